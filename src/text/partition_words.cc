#include "text/partition_words.h"

#include <algorithm>
#include <cstddef>

namespace einlass {

std::string partitions_in_words(std::vector<TopicPartition> partitions) {
  std::ranges::sort(partitions);
  std::string text;
  for (std::size_t i = 0; i < partitions.size();) {
    const TopicPartition& first = partitions[i];
    const bool same_topic = i > 0 && partitions[i - 1].topic == first.topic;
    text += same_topic ? ", " : (i > 0 ? "; " : "") + first.topic + " ";
    std::size_t last = i;
    while (last + 1 < partitions.size() && partitions[last + 1].topic == first.topic &&
           partitions[last + 1].number.value == partitions[last].number.value + 1) {
      ++last;
    }
    text += std::to_string(first.number.value);
    if (last > i + 1) text += " to " + std::to_string(partitions[last].number.value);
    i = last > i + 1 ? last + 1 : i + 1;
  }
  return text;
}

}  // namespace einlass
