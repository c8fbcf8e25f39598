// Partitions as people name them: "results 0 to 3, 7; orders 1".
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "units/id.h"

namespace einlass {

// One partition of a topic.
struct TopicPartition {
  std::string topic;
  PartitionNumber number;
  auto operator<=>(const TopicPartition&) const = default;
};

// In order, whatever order they come in; empty for none.
std::string partitions_in_words(std::vector<TopicPartition> partitions);

}  // namespace einlass
