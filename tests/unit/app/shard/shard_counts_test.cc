#include "app/shard/shard_counts.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

TEST(ShardCounts, CountsWhatTheConsumerIsTold) {
  ShardCounts counts;
  for (int i = 0; i < 4; ++i) counts.note(core::PartitionAssigned{});
  for (int i = 0; i < 2; ++i) counts.note(core::PartitionRevoked{});
  for (int i = 0; i < 6; ++i) counts.note(core::CommitEnded{core::CommitResult::committed});
  for (int i = 0; i < 5; ++i) counts.note(core::CommitEnded{core::CommitResult::failed});
  for (int i = 0; i < 3; ++i) counts.note(core::CommitEnded{core::CommitResult::fenced});
  counts.note(core::TimePassed{});
  EXPECT_EQ(counts.assigned, 4u);
  EXPECT_EQ(counts.revoked, 2u);
  EXPECT_EQ(counts.committed, 6u);
  EXPECT_EQ(counts.failed, 5u);
  EXPECT_EQ(counts.fenced, 3u);
}

TEST(ShardCounts, ACommitInATransactionIsOne) {
  ShardCounts counts;
  for (int i = 0; i < 3; ++i) counts.note(kafka::TransactionEnd::committed);
  counts.note(kafka::TransactionEnd::aborted);
  counts.note(kafka::TransactionEnd::unknown);
  EXPECT_EQ(counts.committed, 3u);
  EXPECT_EQ(counts.failed, 2u);
}

}  // namespace
}  // namespace einlass::app
