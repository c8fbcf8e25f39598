#include "app/steering/entry_check.h"

#include <variant>

#include "config/options/route_topics.h"

namespace einlass::app {
namespace {

using Kind = Subject::Kind;

std::vector<config::Change> changes_of(const Steer& steer) {
  std::vector<config::Change> changes;
  for (const auto& [name, value] : steer.values.items()) {
    changes.push_back(
        {.name = name, .value = value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return changes;
}

std::string joined(const config::Mistakes& mistakes) {
  std::string text;
  for (const config::Mistake& mistake : mistakes) {
    text += (text.empty() ? "" : "; ") + mistake.path + ": " + mistake.text;
  }
  return text;
}

// Limits in shadow are asked, and hold up nobody.
bool is_obeyed(const config::Config& config, std::size_t limit) {
  return std::ranges::any_of(config.routes, [&](const config::Route& route) {
    return std::ranges::find(route.limits, limit) != route.limits.end();
  });
}

std::string limit_refusal(const config::Config& config, const Subject& subject) {
  const auto place = limit_place(config, subject.name);
  if (!place) return "there is no limit " + subject.name;
  if (config.limits[*place].key.kind == config::KeySource::Kind::none) {
    return "limit " + subject.name + " has no key, so all records have the same bucket";
  }
  if (subject.kind == Kind::quota || is_obeyed(config, *place)) return "";
  return "no route obeys limit " + subject.name +
         ", so a pause of its key would stop nothing; pause a key of a limit that a route has and "
         "that is not in shadow, or pause the route";
}

std::string name_refusal(const config::Config& config, const Subject& subject) {
  switch (subject.kind) {
    case Kind::route:
      return place_of(config.routes, subject.name) ? "" : "there is no route " + subject.name;
    case Kind::target:
      return place_of(config.targets, subject.name) ? "" : "there is no target " + subject.name;
    case Kind::topic:
      if (config::is_read(config, subject.name)) return "";
      return "no route reads topic " + subject.name +
             ", so a pause of it would stop nothing; pause a topic that a route names or that fits "
             "its pattern";
    case Kind::quota:
    case Kind::tenant:
      break;
  }
  return limit_refusal(config, subject);
}

}  // namespace

std::string refusal_of(const config::Config& config, const Subject& subject, const Steer& steer,
                       std::optional<config::LimitValue>* value) {
  if (std::string why = name_refusal(config, subject); !why.empty()) return why;
  if (subject.kind != Kind::quota) return "";
  const auto changes = changes_of(steer);
  auto read = config::read_value(config, *limit_place(config, subject.name), changes,
                                 {.file = table_key(subject)});
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) return joined(*mistakes);
  if (value != nullptr) *value = std::get<config::LimitValue>(std::move(read));
  return "";
}

std::optional<std::size_t> limit_place(const config::Config& config, const std::string& name) {
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    if (config.limits[i].limit.name == name && !config.limits[i].is_pace) return i;
  }
  return std::nullopt;
}

}  // namespace einlass::app
