#include "app/steering/entry_check.h"

#include <boost/algorithm/string/join.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/model/patterns.h"
#include "config/options/route_topics.h"
#include "config/options/share_weights.h"
#include "config/text/values.h"

namespace einlass::app {
namespace {

using Kind = Subject::Kind;

std::vector<config::Change> changes_of(const Steer& steer) {
  std::vector<config::Change> changes;
  for (const auto& [name, value] : steer.values.items()) {
    changes.push_back({.name = name, .value = value_text(value)});
  }
  return changes;
}

std::string joined(const config::Mistakes& mistakes) {
  std::vector<std::string> texts;
  for (const config::Mistake& one : mistakes) texts.push_back(one.path + ": " + one.text);
  return boost::algorithm::join(texts, "; ");
}

// Limits in shadow are asked, and hold up nobody.
bool is_obeyed(const config::Config& config, std::size_t limit) {
  return std::ranges::any_of(config.routes, [&](const config::Route& route) {
    return std::ranges::find(route.limits, limit) != route.limits.end();
  });
}

std::string there_is_no(const std::string& what, const std::string& name,
                        const std::vector<std::string_view>& known) {
  const std::string none = "there is no " + what + " " + name;
  if (known.empty()) return none + "; the file has none";
  const auto there_is = config::what_there_is(name, known);
  return there_is ? none + "; " + *there_is : none;
}

template <class T>
std::string there_is_no(const std::string& what, const std::string& name,
                        const std::vector<T>& all) {
  std::vector<std::string_view> known;
  for (const T& one : all) known.push_back(one.name);
  return there_is_no(what, name, known);
}

std::vector<std::string_view> limits_of(const config::Config& config) {
  std::vector<std::string_view> names;
  for (const config::Limit& limit : config.limits) {
    if (!limit.is_pace) names.push_back(limit.limit.name);
  }
  return names;
}

std::string limit_refusal(const config::Config& config, const Subject& subject) {
  const auto index = limit_index(config, subject.name);
  if (!index) return there_is_no("limit", subject.name, limits_of(config));
  if (config.limits[*index].key.kind == config::KeySource::Kind::none) {
    return "limit " + subject.name + " has no key, so all records have the same bucket";
  }
  if (config::is_pattern(subject.key)) {
    return subject.key +
           " is no key: patterns stand in the file, in the limit's overrides; name one key";
  }
  if (subject.kind == Kind::quota || is_obeyed(config, *index)) return "";
  return "no route obeys limit " + subject.name +
         ", so a pause of its key would stop nothing; pause a key of a limit that a route has and "
         "that is not in shadow, or pause the route";
}

// What the file takes for more than one flow's name is none here either: it would be set, and no
// record would be of it.
std::string flow_refusal(const config::Config& config, const Subject& subject) {
  const auto index = index_of(config.shares, subject.name);
  if (!index) return there_is_no("share", subject.name, config.shares);
  if (config.shares[*index].by.kind == config::KeySource::Kind::none) {
    return "share " + subject.name + " has no `by`, so all records are one flow";
  }
  if (subject.key == config::kDefaultWeight || config::is_pattern(subject.key)) {
    return subject.key +
           " is no flow's name: default and patterns stand in the file; name one flow";
  }
  return "";
}

std::string target_refusal(const config::Config& config, const Subject& subject) {
  const auto index = index_of(config.targets, subject.name);
  if (!index) return there_is_no("target", subject.name, config.targets);
  const auto delivers = [&](const config::Route& route) { return route.target == *index; };
  if (std::ranges::any_of(config.routes, delivers)) return "";
  return "no route delivers to target " + subject.name +
         ", so a pause of it would stop nothing; pause a target that a route names";
}

std::string name_refusal(const config::Config& config, const Subject& subject) {
  switch (subject.kind) {
    case Kind::route:
      if (index_of(config.routes, subject.name)) return "";
      return there_is_no("route", subject.name, config.routes);
    case Kind::target:
      return target_refusal(config, subject);
    case Kind::topic:
      if (config::is_read(config, subject.name)) return "";
      return "no route reads topic " + subject.name +
             ", so a pause of it would stop nothing; pause a topic that a route names or that fits "
             "its pattern";
    case Kind::weight:
      return flow_refusal(config, subject);
    case Kind::quota:
    case Kind::tenant:
      break;
  }
  return limit_refusal(config, subject);
}

std::string read_quota(const config::Config& config, const Subject& subject, const Steer& steer,
                       Meant& meant) {
  const auto changes = changes_of(steer);
  auto read = config::read_value(config, *limit_index(config, subject.name), changes,
                                 {.file = table_key(subject)});
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) return joined(*mistakes);
  meant.value = std::get<config::LimitValue>(std::move(read));
  return "";
}

// REQUIRES: as read_steer() gives it, so that a weight is there and nothing else.
std::string read_weight(const Subject& subject, const Steer& steer, Meant& meant) {
  const std::string text = value_text(steer.values.at("weight"));
  const auto read = config::parse_weight(text);
  if (const auto* wrong = std::get_if<config::Refusal>(&read)) {
    return "shares." + subject.name + ".weight: '" + text + "' " + wrong->text;
  }
  meant.weight = std::get<std::uint16_t>(read);
  return "";
}

}  // namespace

std::string refusal_of(const config::Config& config, const Subject& subject, const Steer& steer,
                       Meant* meant) {
  if (std::string why = name_refusal(config, subject); !why.empty()) return why;
  Meant read;
  std::string why;
  if (subject.kind == Kind::quota) why = read_quota(config, subject, steer, read);
  if (subject.kind == Kind::weight) why = read_weight(subject, steer, read);
  if (meant != nullptr) *meant = std::move(read);
  return why;
}

std::optional<std::size_t> limit_index(const config::Config& config, const std::string& name) {
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    if (config.limits[i].limit.name == name && !config.limits[i].is_pace) return i;
  }
  return std::nullopt;
}

}  // namespace einlass::app
