#include "config/limit_values.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "config/pace.h"
#include "config/parameters.h"
#include "config/patterns.h"
#include "config/suggest.h"
#include "config/tables.h"
#include "units/check.h"

namespace einlass::config {
namespace {

using Names = Section::Names;

bool is_in(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_duration(std::string_view parameter) {
  const auto row = std::ranges::find(kLimit, parameter, &Row<Limit>::name);
  return row != kLimit.end() && row->field.kind == Kind::duration;
}

const Node* add_scalar(Document& document, const std::string& text, Place place) {
  Node& node = document.nodes.emplace_back();
  node.kind = Node::Kind::scalar;
  node.place = place;
  node.text = text;
  return &node;
}

// A burst that is not written anew is as many as the limit at most.
void keep_burst_within(Limit& limit) {
  if (auto* log = std::get_if<limits::SlidingLogParameters>(&limit.limit.parameters)) {
    log->burst = std::min(log->burst, log->limit);
  } else if (limit.burst.value > 0) {
    limit.burst = std::min(limit.burst, counted_limit(limit.limit.parameters));
  }
}

// The limit's section as it would stand in a file with some of its numbers written anew.
class ChangedSection {
 public:
  // Outlived by the reading, the limit, and what is written.
  ChangedSection(Reading& reading, const Limit& limit, std::string path, Place place)
      : reading_(reading), limit_(limit), path_(std::move(path)), open_(live_parameters(limit)) {
    root_.kind = Node::Kind::map;
    root_.place = place;
    for (const WrittenOption& one : written(limit)) {
      root_.entries.push_back({place, one.path.back(), add_scalar(document_, one.value, place)});
    }
  }

  void write(const Entry& entry) {
    if (!is_in(entry.name, open_)) {
      return reading_.wrong(entry.place, below(path_, entry.name), why_not(entry.name));
    }
    new_burst_ |= entry.name == "burst";
    const auto known = std::ranges::find(root_.entries, entry.name, &Entry::name);
    if (known == root_.entries.end()) return root_.entries.push_back(entry);
    *known = entry;
  }

  // What the numbers are then; none, with the mistakes told, if something is wrong with them.
  std::optional<LimitValue> read(int instances) {
    Section section(reading_, &root_, path_, names_in(kLimit));
    Limit changed = limit_;
    if (!read_parameters(section, changed)) return std::nullopt;
    if (!new_burst_) keep_burst_within(changed);
    const auto wrong = wrong_number(changed, instances);
    if (!wrong) return LimitValue{.parameters = changed.limit.parameters, .burst = changed.burst};
    const bool own = is_in(wrong->option, open_);
    reading_.wrong(own ? section.place_of(wrong->option) : root_.place,
                   own ? below(path_, wrong->option) : path_, wrong->text);
    return std::nullopt;
  }

 private:
  std::string why_not(const std::string& name) const {
    const Names all = parameter_names(limit_.limit.parameters);
    if (name == "algorithm" || is_in(name, all)) {
      return "cannot change while the limit is in use, and is the same for all keys";
    }
    if (name == "burst" && counted_limit(limit_.limit.parameters).value > 0) {
      return "is kept by another limit, which is there only where the limit itself has a burst of "
             "less than its `limit`; write one there, or leave this out";
    }
    return "is no parameter of this limit; " +
           suggestion(name, open_).value_or("known here: " + either(open_));
  }

  Reading& reading_;
  const Limit& limit_;
  std::string path_;
  Names open_;  // What may change.
  Document document_;
  Node root_;
  bool new_burst_ = false;
};

// ---- while the gate runs ----

// What stands there is data: nothing in it stands for a variable.
const Environment& no_variables() {
  static const Environment kNone = [](const std::string&) { return std::nullopt; };
  return kNone;
}

void write(ChangedSection& section, std::span<const Change> changes, int line, Document& document) {
  for (const Change& change : changes) {
    const bool micros = change.number && is_duration(change.name);
    const Node* value =
        add_scalar(document, change.value + (micros ? "us" : ""), Place{line, change.column});
    section.write({Place{line, change.name_column}, change.name, value});
  }
}

void check_leases(Reading& reading, const Config& config, std::size_t limit,
                  const LimitValue& value, Place place, const std::string& path) {
  for (const Route& route : config.routes) {
    if (std::ranges::find(route.limits, limit) == route.limits.end()) continue;
    const auto text =
        short_lease(config, config.limits[limit], value.parameters, config.targets[route.target]);
    if (text) return reading.wrong(place, below(path, "lease"), *text);
  }
}

// ---- in the file ----

std::optional<LimitOverride> read_override(Reading& reading, const Entry& entry,
                                           const std::string& path, const Limit& limit) {
  const std::size_t before = reading.mistakes();
  if (const auto refusal = refuse_pattern(entry.name)) {
    reading.wrong(entry.place, path, *refusal);
  }
  const auto changes = map_entries(reading, entry.value, path);
  if (changes.empty() && reading.mistakes() == before) {
    reading.wrong(entry.place, path, "changes nothing; write a number, or leave it out");
  }
  ChangedSection section(reading, limit, path, entry.value->place);
  for (const Entry* change : changes) section.write(*change);
  auto value = section.read(reading.config.instances);
  if (!value || reading.mistakes() != before) return std::nullopt;
  return LimitOverride{entry.name, std::move(*value)};
}

void read_overrides(Section& section, Limit& limit) {
  const std::string path = section.path_of();
  // Without its own numbers nothing can be said of others.
  if (!section.sound({"algorithm", "cost", "default_cost", "on_outage"})) return;
  Limit as_written = limit;  // A strict one's window is not longer yet.
  as_written.strict = false;
  for (const Entry* entry : map_entries(section.reading(), section.find(), path)) {
    auto one = read_override(section.reading(), *entry, below(path, entry->name), as_written);
    if (one) limit.overrides.push_back(std::move(*one));
  }
}

void print_overrides(PrintedPage& page, const Limit& limit) {
  if (limit.overrides.empty()) return;
  page.section([&] {
    for (const LimitOverride& one : limit.overrides) {
      Limit of_key = limit;
      of_key.limit.parameters = one.value.parameters;
      of_key.burst = one.value.burst;
      page.section(one.key, [&] { print_live(page, of_key); });
    }
  });
}

void describe_overrides(const std::string& path, std::vector<Option>& all) {
  for (const Row<Limit>& row : kLimit) {
    if (!row.field.is_live || !is_in(row.name, all_parameters())) continue;
    Option& option = all.emplace_back();
    static_cast<OptionTraits&>(option) = row.field;
    option.section = path + ".NAME";
    option.name = row.name;
    option.default_value = "see text";
    option.text = "As at the limit, whose own holds where this is left out.";
  }
}

}  // namespace

std::variant<LimitValue, Mistakes> read_value(const Config& config, std::size_t limit,
                                              std::span<const Change> changes,
                                              const ChangePlace& place) {
  const Limit& of = config.limits[limit];
  CHECK(!of.is_pace);
  Reading reading(place.file, no_variables());
  Document document;
  const Place at{place.line, place.column};
  const std::string path = place.path.empty() ? "limits." + of.limit.name : place.path;
  ChangedSection section(reading, of, path, at);
  write(section, changes, place.line, document);
  std::optional<LimitValue> value = section.read(config.instances);
  if (value) {
    complete(*value, of);
    check_leases(reading, config, limit, *value, at, path);
  }
  Mistakes mistakes = reading.take_mistakes();
  if (!mistakes.empty()) return mistakes;
  return std::move(*value);
}

Field<Limit> overrides() {
  Field<Limit> field =
      custom<Limit>(Kind::sections, "map", read_overrides, print_overrides)
          .defaults_to("none")
          .live()
          .only_where([](const Limit& limit) { return limit.key.kind != KeySource::Kind::none; },
                      {"key"},
                      "names keys, but the limit has one bucket for all; write key: header:NAME");
  field.describe = describe_overrides;
  return field;
}

}  // namespace einlass::config
