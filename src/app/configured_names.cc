#include "app/configured_names.h"

#include <set>

#include "units/topic_pattern.h"

namespace einlass::app {

std::vector<std::string> configured_names(const config::Config& config, std::string_view kind) {
  std::set<std::string> names;
  for (const config::Route& route : config.routes) {
    if (kind == "routes") names.insert(route.name);
    if (kind == "dead-letter-topics") names.insert(route.dead_letter);
    for (const std::string& topic : route.topics) {
      if (kind == "topics" && !TopicPattern::is_one(topic)) names.insert(topic);
    }
  }
  for (const config::Target& target : config.targets) {
    if (kind == "targets") names.insert(target.name);
  }
  for (const config::Limit& limit : config.limits) {
    const bool keyed = limit.key.kind != config::KeySource::Kind::none;
    const bool wanted = kind == "limits" || (kind == "keyed-limits" && keyed);
    if (wanted && !limit.is_pace) names.insert(limit.limit.name);
  }
  names.erase("");  // A route without a dead letter topic.
  return {names.begin(), names.end()};
}

}  // namespace einlass::app
