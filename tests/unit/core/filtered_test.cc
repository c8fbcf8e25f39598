// Records that their route leaves out: finished as they come, whatever stands before them.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

void filter(BenchGate& bench, std::int64_t offset) {
  bench.put(RecordFiltered{PartitionId{0}, Offset{offset}});
}

TEST(Filtered, it_is_finished_and_counted_without_a_command_for_it) {
  RouteOptions limited = route_by(Order::partition);
  limited.limit_count = 1;
  BenchGate bench(BenchGate::options_for(limited));
  bench.assign(0);
  filter(bench, 0);
  EXPECT_TRUE(bench.commands.empty());
  const RouteStats& stats = bench.gate.stats(RouteId{0});
  EXPECT_EQ(stats.received, 1u);
  EXPECT_EQ(stats.filtered, 1u);
  EXPECT_EQ(stats.inside, 0u);
  bench.pass(Duration::millis(200));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[0].entries[0].next, Offset{1});
  EXPECT_EQ(bench.gate.find(PartitionId{0}, Offset{0}).where, Whereabouts::finished);
}

// Nothing of it is forgotten: it is in the commit, ahead of what is not finished.
TEST(Filtered, it_waits_for_nobody_in_order_of_partition) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  filter(bench, 2);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(200));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  const CommitEntry& entry = bench.all<Commit>()[0].entries[0];
  EXPECT_EQ(entry.next, Offset{1});
  EXPECT_EQ(entry.finished, write_finished(Offset{1}, std::vector<OffsetRange>{{{2}, {3}}}));
}

TEST(Filtered, what_was_finished_before_is_counted_as_that) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  const std::vector<OffsetRange> finished = {{{1}, {2}}};
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{0}, finished});
  filter(bench, 0);
  filter(bench, 1);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).filtered, 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).finished_before, 1u);
}

TEST(Filtered, of_a_partition_that_is_given_back_it_is_kafkas_still) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  filter(bench, 1);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).received, 1u);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(200));
  EXPECT_EQ(bench.all<Commit>().back().entries[0].next, Offset{1});
}

// Behind one record that takes long, with nothing else of its partition to hold it.
TEST(Filtered, a_partition_of_which_all_else_is_left_out_is_held_too) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  constexpr std::int64_t most = 65'536;  // As docs/guarantees.md promises.
  std::int64_t read = 1;
  for (; bench.all<PartitionHold>().empty() && read <= most; ++read) {
    bench.gate.handle(RecordFiltered{PartitionId{0}, Offset{read}}, bench.now, bench.commands);
  }
  EXPECT_EQ(read, most);
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_EQ(bench.all<PartitionHold>()[0].reason, PartitionHoldReason::ledger_full);
  EXPECT_TRUE(bench.gate.held_by_ledger(PartitionId{0}));
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  EXPECT_FALSE(bench.gate.held_by_ledger(PartitionId{0})) << "it is leaving";
}

// Each second one: no two of them are a range. In order of partition nothing else finishes ahead.
TEST(Filtered, a_partition_is_read_no_further_than_a_commit_can_tell_of) {
  GateOptions options = BenchGate::options_for(route_by(Order::partition));
  options.routes[0].inside_records = 100'000;
  options.inside_records = 1'000'000;
  options.most_finished_text = kLeastFinishedText;
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  std::int64_t offset = 1;
  for (; bench.all<PartitionHold>().empty() && offset < 10'000; offset += 2) {
    bench.arrive(static_cast<std::uint32_t>(offset), offset);
    filter(bench, offset + 1);
  }
  ASSERT_FALSE(bench.all<PartitionHold>().empty());
  EXPECT_EQ(bench.all<PartitionHold>()[0].reason, PartitionHoldReason::ledger_full);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(200));
  ASSERT_FALSE(bench.all<Commit>().empty());
  const CommitEntry& entry = bench.all<Commit>().back().entries[0];
  EXPECT_LE(entry.finished.size(), options.most_finished_text);
  const auto told = read_finished(entry.next, entry.finished);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->size(), static_cast<std::size_t>(offset / 2)) << "each of them";
}

// Each second record goes by another route, and those finish as they will.
TEST(Filtered, one_in_order_of_partition_that_leads_on_is_held_before_that_too) {
  GateOptions options = BenchGate::options_for(route_by(Order::partition), 1000);
  options.routes.push_back(route_by(Order::none));
  options.routes[0].leads_on = true;
  options.most_finished_text = 100;
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.assign(0);
  std::uint32_t count = 0;
  for (; bench.all<PartitionHold>().empty() && count < 500; ++count) {
    RecordArrived event{PartitionId{0},    RecordId{count, 0}, Offset{count},
                        LineId{count % 2}, std::nullopt,       Bytes{100}};
    event.route = RouteId{static_cast<std::uint16_t>(count % 2)};
    bench.put(event);
  }
  for (std::uint32_t i = 1; i < count; i += 2) bench.ended(i, Outcome::accepted);
  bench.pass(Duration::millis(200));
  ASSERT_FALSE(bench.all<Commit>().empty());
  const CommitEntry entry = bench.all<Commit>().back().entries[0];
  EXPECT_EQ(read_finished(entry.next, entry.finished)->size(), count / 2) << "each of them";
}

}  // namespace
}  // namespace einlass::core
