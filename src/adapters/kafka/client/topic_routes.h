// Which route a topic's records belong to: the one that names it, or the first with a pattern that
// fits.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/client/options.h"
#include "core/contract/ids.h"
#include "units/topic_pattern.h"

namespace einlass::kafka {

class TopicRoutes {
 public:
  explicit TopicRoutes(const SourceOptions& options);

  bool has_patterns() const { return !patterns_.empty(); }

  // Which no pattern means: what the options leave out, and what Kafka keeps for itself.
  const std::set<std::string>& left_out() const { return left_out_; }

  std::optional<core::RouteId> find(const std::string& topic) const;

 private:
  std::map<std::string, core::RouteId> named_;
  std::set<std::string> left_out_;
  std::vector<std::pair<TopicPattern, core::RouteId>> patterns_;  // In their order.
};

}  // namespace einlass::kafka
