// What is committed of a partition before anything of it has finished.
#include <gtest/gtest.h>

#include <vector>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

RouteOptions free_route(Order order) {
  RouteOptions route;
  route.order = order;
  return route;
}

// Else whoever has the partition next would begin further on, and what is inside would be lost.
TEST(Beginnings, where_a_partition_begins_is_committed_before_anything_is_finished) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{1000}, {}, true});
  bench.arrive(0, 1000);
  bench.pass(Duration{});
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[0].entries[0].next, Offset{1000});
  bench.put(CommitEnded{CommitResult::failed});
  bench.put(PartitionRevoked{PartitionId{0}, bench.now});
  EXPECT_TRUE(bench.all<PartitionDone>().empty());
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 2u);
  EXPECT_EQ(bench.all<Commit>()[1].entries[0].next, Offset{1000});
  bench.put(CommitEnded{CommitResult::committed});
  EXPECT_EQ(bench.all<PartitionDone>().size(), 1u);
}

TEST(Beginnings, that_waits_for_no_interval_but_for_the_commit_under_way) {
  GateOptions options = BenchGate::options_for(free_route(Order::none));
  options.commit_interval = Duration::seconds(60);
  BenchGate bench(options);
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{1000}, {}, true});
  bench.pass(Duration{});
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{0}, Offset{2000}, {}, true});
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Commit>().size(), 1u) << "one at a time";
  bench.put(CommitEnded{CommitResult::committed});
  bench.pass(Duration{});
  ASSERT_EQ(bench.all<Commit>().size(), 2u);
  ASSERT_EQ(bench.all<Commit>()[1].entries.size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[1].entries[0].partition, PartitionId{1});
  EXPECT_EQ(bench.all<Commit>()[1].entries[0].next, Offset{2000});
  bench.put(CommitEnded{CommitResult::committed});
  bench.arrive(0, 1000);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Commit>().size(), 2u) << "what finishes waits for it, as ever";
}

TEST(Beginnings, what_the_group_has_of_a_partition_is_not_committed_again) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0, 1000);
  bench.arrive(0, 1000);
  bench.pass(Duration::seconds(1));
  EXPECT_TRUE(bench.all<Commit>().empty());
}

TEST(Beginnings, where_reading_goes_on_behind_a_gap_is_committed_before_the_next_record) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  const std::vector<OffsetRange> before{{Offset{4}, Offset{6}}};
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{0}, before});
  bench.put(PartitionMoved{PartitionId{0}, Offset{2000}});
  bench.arrive(0, 2000);
  bench.pass(Duration{});
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[0].entries[0].next, Offset{2000});
  EXPECT_EQ(bench.all<Commit>()[0].entries[0].finished, "");
}

// As where each transaction is aborted: no record comes that would hold it.
TEST(Beginnings, one_that_only_moves_on_behind_an_old_record_is_held_too) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  constexpr std::int64_t most = 65'536;  // As docs/guarantees.md promises.
  std::int64_t read = 1;
  for (; bench.all<PartitionHold>().empty() && read <= most; ++read) {
    bench.gate.handle(PartitionMoved{PartitionId{0}, Offset{read + 1}}, bench.now, bench.commands);
  }
  EXPECT_EQ(read, most);
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_EQ(bench.all<PartitionHold>()[0].reason, PartitionHoldReason::ledger_full);
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.all<Read>().size(), 1u);
}

// One topic's trouble is not the others', and a topic that is gone may be another's the next time.
TEST(Beginnings, of_a_failed_commit_only_what_has_not_settled_is_tried_again) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0);
  bench.assign(1);
  bench.arrive(0, 0, 0);
  bench.arrive(1, 0, 1);
  bench.ended(0, Outcome::accepted);
  bench.ended(1, Outcome::accepted);
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  ASSERT_EQ(bench.all<Commit>()[0].entries.size(), 2u);
  const std::vector<PartitionId> settled{PartitionId{1}};
  bench.put(PartitionRevoked{PartitionId{1}, bench.now + Duration::seconds(5)});
  bench.put(CommitEnded{CommitResult::failed, settled});
  ASSERT_EQ(bench.all<PartitionDone>().size(), 1u) << "nobody waits for the other";
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 2u);
  ASSERT_EQ(bench.all<Commit>()[1].entries.size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[1].entries[0].partition, PartitionId{0});
}

// It may be of another order, or of a gate that takes longer ones.
TEST(Beginnings, of_a_map_that_is_too_long_the_end_is_left_out) {
  GateOptions options = BenchGate::options_for(free_route(Order::partition));
  options.most_finished_text = 64;
  BenchGate bench(options);
  std::vector<OffsetRange> before;
  for (std::int64_t i = 0; i < 60; ++i) before.push_back({Offset{3 * i + 2}, Offset{3 * i + 3}});
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{0}, before});
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  const CommitEntry& entry = bench.all<Commit>()[0].entries[0];
  EXPECT_EQ(entry.next, Offset{1});
  const auto named = read_finished(entry.next, entry.finished);
  ASSERT_TRUE(named);
  EXPECT_EQ(*named, std::vector(before.begin(), before.begin() + 30));
}

}  // namespace
}  // namespace einlass::core
