#include "app/process/shard_number.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

TEST(ShardNumber, PartsAddUpToTheWholeAndDifferByOneAtMost) {
  for (const std::int64_t whole : {1, 2, 7, 64, 100'000}) {
    for (int shards = 1; shards <= 7; ++shards) {
      std::int64_t sum = 0;
      for (int i = 0; i < shards; ++i) {
        const std::int64_t part = ShardNumber{i, shards}.part(whole);
        EXPECT_GE(part, whole / shards);
        EXPECT_LE(part, whole / shards + 1);
        sum += part;
      }
      EXPECT_EQ(sum, whole);
    }
  }
}

TEST(ShardNumber, OneAloneHasTheInstancesOwnName) {
  EXPECT_EQ((ShardNumber{0, 1}.member("gate-1")), "gate-1");
  EXPECT_EQ((ShardNumber{0, 2}.member("gate-1")), "gate-1-0");
  EXPECT_EQ((ShardNumber{1, 2}.member("gate-1")), "gate-1-1");
}

}  // namespace
}  // namespace einlass::app
