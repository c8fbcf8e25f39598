#include "config/limits/limit_values.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "config/limits/changed_section.h"
#include "config/limits/parameters.h"
#include "config/tables/tables.h"
#include "units/check.h"

namespace einlass::config {
namespace {

bool is_duration(std::string_view parameter) {
  const auto row = std::ranges::find(kLimit, parameter, &Row<Limit>::name);
  return row != kLimit.end() && row->field.kind == Kind::duration;
}

// What stands there is data: nothing in it stands for a variable.
const Environment& no_variables() {
  static const Environment kNone = [](const std::string&) { return std::nullopt; };
  return kNone;
}

void write(ChangedSection& section, std::span<const Change> changes, int line, Document& document) {
  for (const Change& change : changes) {
    const bool micros = change.number && is_duration(change.name);
    const Node* value =
        add_scalar(document, change.value + (micros ? "us" : ""), Position{line, change.column});
    section.write({Position{line, change.name_column}, change.name, value});
  }
}

// Null if the route has none.
const Limit* shared_by_gates(const Config& config, const Route& route) {
  for (const std::size_t index : route.limits) {
    if (config.limits[index].share) return &config.limits[index];
  }
  return nullptr;
}

// What the routes that have the limit say of its numbers.
void check_routes(Reading& reading, const Config& config, std::size_t limit,
                  const LimitValue& value, Position position, const std::string& path) {
  const Limit& of = config.limits[limit];
  for (const Route& route : config.routes) {
    if (std::ranges::find(route.limits, limit) == route.limits.end()) continue;
    const auto lease = short_lease(config, of, value.parameters, config.targets[route.target]);
    if (lease) return reading.wrong(position, below(path, "lease"), *lease);
    const Limit* const shared = shared_by_gates(config, route);
    if (shared == nullptr || shared == &of) continue;
    const auto ahead = short_ahead(of, value.parameters, *shared);
    if (ahead) return reading.wrong(position, path, *ahead);
  }
}

}  // namespace

Permits cost_of(const Limit& limit) {
  return limit.limit.cost_from_record ? limit.default_cost : limit.limit.cost;
}

std::variant<LimitValue, Mistakes> read_value(const Config& config, std::size_t limit,
                                              std::span<const Change> changes,
                                              const ChangesPosition& position) {
  const Limit& of = config.limits[limit];
  CHECK(!of.is_pace);
  Reading reading(position.file, no_variables());
  Document document;
  const Position at{position.line, position.column};
  const std::string path = position.path.empty() ? "limits." + of.limit.name : position.path;
  ChangedSection section(reading, of, path, at);
  write(section, changes, position.line, document);
  std::optional<LimitValue> value = section.read(config.instances);
  if (value) {
    complete(*value, of);
    check_routes(reading, config, limit, *value, at, path);
  }
  Mistakes mistakes = reading.take_mistakes();
  if (!mistakes.empty()) return mistakes;
  return std::move(*value);
}

}  // namespace einlass::config
