#include <gtest/gtest.h>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

RouteOptions free_route() {
  RouteOptions route;
  route.order = Order::none;
  return route;
}

// A gate that commits by count, with a partition of which the first record is committed, so that
// the interval has just begun.
struct ByCount : BenchGate {
  explicit ByCount(std::uint32_t commit_records) : BenchGate(options(commit_records)) {
    assign(0);
    finish(1);
    pass(Duration::seconds(60));
    put(CommitEnded{CommitResult::committed});
    pass(Duration::millis(20));
  }
  static GateOptions options(std::uint32_t commit_records) {
    GateOptions options = options_for(free_route());
    options.commit_interval = Duration::seconds(60);
    options.commit_records = commit_records;
    return options;
  }

  void finish(std::uint32_t records) {
    for (; records > 0; --records, ++next) {
      arrive(static_cast<std::uint32_t>(next), next);
      ended(static_cast<std::uint32_t>(next), Outcome::accepted);
    }
  }
  std::size_t commits_after(Duration time) {
    pass(time);
    return all<Commit>().size();
  }

  std::int64_t next = 0;
};

TEST(Commits, the_last_one_does_not_wait_for_a_long_interval) {
  GateOptions options = BenchGate::options_for(free_route());
  options.commit_interval = Duration::seconds(60);
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::seconds(60));
  bench.put(CommitEnded{CommitResult::committed});
  bench.ended(1, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(5)});
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 2u);
  EXPECT_EQ(bench.all<Commit>()[1].entries[0].next, Offset{2});
}

TEST(Commits, where_a_partition_begins_does_not_wait_for_the_interval_though_it_failed) {
  GateOptions options = BenchGate::options_for(free_route());
  options.commit_interval = Duration::seconds(60);
  BenchGate bench(options);
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{7}, {}, true});
  for (std::size_t tries = 1; tries < 4; ++tries) {
    bench.pass(Duration::millis(100));
    ASSERT_EQ(bench.all<Commit>().size(), tries);
    EXPECT_EQ(bench.all<Commit>().back().entries[0].next, Offset{7});
    bench.put(CommitEnded{CommitResult::failed});
  }
  bench.pass(Duration::millis(100));
  bench.put(CommitEnded{CommitResult::committed});
  bench.arrive(0, 7);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Commit>().size(), 4u) << "and then all is as ever";
}

constexpr Duration kNow;
constexpr Duration kBusy = Duration::millis(10);  // As docs/guarantees.md promises.

TEST(Commits, so_many_finished_records_do_not_wait_for_the_interval) {
  ByCount bench(3);
  bench.finish(2);
  EXPECT_EQ(bench.commits_after(kBusy), 1u);
  bench.finish(1);
  EXPECT_EQ(bench.commits_after(kNow), 2u);
}

TEST(Commits, what_finishes_while_one_is_under_way_goes_after_its_end) {
  ByCount bench(3);
  bench.finish(3);
  EXPECT_EQ(bench.commits_after(kNow), 2u);
  bench.finish(5);
  EXPECT_EQ(bench.commits_after(kBusy), 2u);
  bench.put(CommitEnded{CommitResult::committed});
  EXPECT_EQ(bench.commits_after(kNow), 3u);
}

TEST(Commits, a_fast_gate_does_not_commit_without_a_pause) {
  ByCount bench(3);
  bench.finish(3);
  EXPECT_EQ(bench.commits_after(kNow), 2u);
  bench.put(CommitEnded{CommitResult::committed});
  bench.finish(100);
  EXPECT_EQ(bench.commits_after(kBusy - Duration{1}), 2u);
  EXPECT_EQ(bench.commits_after(Duration{1}), 3u);
}

TEST(Commits, the_next_one_counts_anew) {
  ByCount bench(3);
  bench.finish(3);
  EXPECT_EQ(bench.commits_after(kNow), 2u);
  bench.put(CommitEnded{CommitResult::committed});
  bench.finish(2);
  EXPECT_EQ(bench.commits_after(kBusy), 2u);
  bench.finish(1);
  EXPECT_EQ(bench.commits_after(kNow), 3u);
}

TEST(Commits, dead_letters_count_too) {
  RouteOptions route = free_route();
  route.dead_letter = true;
  GateOptions options = BenchGate::options_for(route);
  options.commit_interval = Duration::seconds(60);
  options.commit_records = 2;
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::seconds(60));
  bench.put(CommitEnded{CommitResult::committed});
  for (const std::uint32_t record : {1u, 2u}) {
    bench.arrive(record, record);
    bench.ended(record, Outcome::refused);
    bench.put(DeadLetterEnded{RecordId{record, 0}, true});
  }
  bench.pass(kBusy);
  EXPECT_EQ(bench.all<Commit>().size(), 2u);
}

}  // namespace
}  // namespace einlass::core
