#include "adapters/kafka/client/topic_routes.h"

namespace einlass::kafka {

TopicRoutes::TopicRoutes(const SourceOptions& options)
    : left_out_{"__consumer_offsets", "__transaction_state", "__share_group_state",
                "__cluster_metadata"} {
  left_out_.insert(options.left_out.begin(), options.left_out.end());
  for (const SourceOptions::Topic& topic : options.topics) {
    if (TopicPattern::is_one(topic.name)) {
      patterns_.emplace_back(TopicPattern(topic.name), topic.route);
    } else {
      named_.emplace(topic.name, topic.route);
      left_out_.erase(topic.name);
    }
  }
}

std::optional<core::RouteId> TopicRoutes::find(const std::string& topic) const {
  if (const auto found = named_.find(topic); found != named_.end()) return found->second;
  if (left_out_.contains(topic)) return std::nullopt;
  for (const auto& [pattern, route] : patterns_) {
    if (pattern.fits(topic)) return route;
  }
  return std::nullopt;
}

}  // namespace einlass::kafka
