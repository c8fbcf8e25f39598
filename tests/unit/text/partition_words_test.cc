#include "text/partition_words.h"

#include <gtest/gtest.h>

namespace einlass {
namespace {

TopicPartition at(const char* topic, int number) { return {topic, PartitionNumber{number}}; }

TEST(PartitionWords, NameRunsAndTopicsInOrder) {
  EXPECT_EQ(
      partitions_in_words({at("b", 1), at("a", 7), at("a", 2), at("a", 0), at("a", 1), at("a", 8)}),
      "a 0 to 2, 7, 8; b 1");
  EXPECT_EQ(partitions_in_words({at("a", 0), at("a", 1)}), "a 0, 1");
  EXPECT_EQ(partitions_in_words({}), "");
}

}  // namespace
}  // namespace einlass
