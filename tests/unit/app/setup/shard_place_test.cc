#include "app/setup/shard_place.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

TEST(ShardPlace, PartsAddUpToTheWholeAndDifferByOneAtMost) {
  for (const std::int64_t whole : {1, 2, 7, 64, 100'000}) {
    for (int shards = 1; shards <= 7; ++shards) {
      std::int64_t sum = 0;
      for (int i = 0; i < shards; ++i) {
        const std::int64_t part = ShardPlace{i, shards}.part(whole);
        EXPECT_GE(part, whole / shards);
        EXPECT_LE(part, whole / shards + 1);
        sum += part;
      }
      EXPECT_EQ(sum, whole);
    }
  }
}

TEST(ShardPlace, OneAloneHasTheInstancesOwnName) {
  EXPECT_EQ((ShardPlace{0, 1}.member("gate-1")), "gate-1");
  EXPECT_EQ((ShardPlace{0, 2}.member("gate-1")), "gate-1-0");
  EXPECT_EQ((ShardPlace{1, 2}.member("gate-1")), "gate-1-1");
}

}  // namespace
}  // namespace einlass::app
