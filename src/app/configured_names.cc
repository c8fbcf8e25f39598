#include "app/configured_names.h"

#include <set>

#include "app/steering/steer.h"
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
    const bool of_keys = kind == "keyed-limits" || kind == "quotas";
    const bool wanted = kind == "limits" || (of_keys && keyed);
    if (wanted && !limit.is_pace) names.insert(limit.limit.name);
  }
  for (const config::Share& share : config.shares) {
    const bool has_flows = share.by.kind != config::KeySource::Kind::none;
    if (kind == "quotas" && has_flows) {
      names.insert(quota_name({Subject::Kind::weight, share.name, {}}));
    }
  }
  names.erase("");  // A route without a dead letter topic.
  return {names.begin(), names.end()};
}

}  // namespace einlass::app
