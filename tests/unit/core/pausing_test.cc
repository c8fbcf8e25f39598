// Routes, lines and partitions that somebody has paused.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

RouteOptions without_limits() {
  RouteOptions route;
  route.order = Order::none;
  return route;
}

struct PausingBench : BenchGate {
  explicit PausingBench(const RouteOptions& route = keyed(), std::uint32_t max_in_flight = 64)
      : BenchGate(options_for(route, max_in_flight)) {
    assign(0);
    gate.add_line(LineId{1}, RouteId{0}, true);
  }
  void route(bool paused) { put(RoutePaused{RouteId{0}, paused}); }
  void line(bool paused, std::uint32_t id = 0) { put(LinePaused{LineId{id}, paused}); }
  std::uint64_t waiting() const { return gate.waiting(now)[0].records[Cause::paused]; }
};

TEST(Pausing, nothing_of_a_paused_line_leaves_or_asks_and_the_others_go_on) {
  PausingBench bench;
  bench.line(true);
  bench.arrive(0, 0);
  bench.arrive(1, 1, 0, 1);
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  EXPECT_EQ(bench.all<Ask>()[0].line, LineId{1});
  EXPECT_EQ(bench.waiting(), 1u);
  EXPECT_EQ(bench.gate.standing(0, bench.now)->waits, WaitsFor::pause);
  bench.line(false);
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.waiting(), 0u);
}

TEST(Pausing, its_target_is_tried_by_none_while_all_that_is_inside_is_paused) {
  PausingBench bench;
  const auto may_go = [&] { return bench.gate.records_may_go(TargetId{0}); };
  EXPECT_FALSE(may_go());
  bench.arrive(0, 0);
  EXPECT_TRUE(may_go());
  bench.line(true);
  EXPECT_FALSE(may_go());
  bench.arrive(1, 1, 0, 1);
  EXPECT_TRUE(may_go()) << "another key's";
  bench.route(true);
  EXPECT_FALSE(may_go());
  bench.route(false);
  EXPECT_TRUE(may_go());
}

TEST(Pausing, permits_that_it_holds_go_back) {
  PausingBench bench;
  bench.arrive(0, 0);
  bench.answer({50});
  bench.line(true);
  EXPECT_EQ(bench.all<Release>().size(), 1u);
  bench.pass(Duration::seconds(1));
  EXPECT_TRUE(bench.sent().empty());
}

TEST(Pausing, an_answer_that_comes_during_the_pause_is_given_back) {
  PausingBench bench;
  bench.arrive(0, 0);
  bench.line(true);
  bench.answer({0});
  EXPECT_TRUE(bench.sent().empty());
  EXPECT_EQ(bench.all<Release>().size(), 1u);
}

TEST(Pausing, records_without_limits_wait_too) {
  PausingBench bench(without_limits());
  bench.route(true);
  bench.arrive(0, 0);
  bench.arrive(1, 1, 0, 1);
  EXPECT_TRUE(bench.sent().empty());
  EXPECT_EQ(bench.waiting(), 2u);
  bench.route(false);
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
}

TEST(Pausing, a_line_of_a_paused_route_that_is_paused_itself_waits_for_both) {
  PausingBench bench(without_limits());
  bench.line(true);
  bench.route(true);
  bench.arrive(0, 0);
  bench.line(false);
  EXPECT_TRUE(bench.sent().empty());
  bench.line(true);
  bench.route(false);
  EXPECT_TRUE(bench.sent().empty());
  bench.line(false);
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(Pausing, attempts_under_way_end_and_their_retries_wait) {
  PausingBench bench(without_limits());
  bench.arrive(0, 0);
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.route(true);
  bench.ended(0, Outcome::retry);
  bench.pass(Duration::seconds(60));
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.route(false);
  EXPECT_EQ(bench.sent(), (Slots{0, 0}));
}

TEST(Pausing, a_paused_route_is_read_no_further_nor_are_partitions_that_come) {
  PausingBench bench;
  bench.route(true);
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_EQ(bench.all<PartitionHold>()[0].reason, PartitionHoldReason::paused);
  bench.assign(1);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 2u);
  bench.route(false);
  EXPECT_EQ(bench.all<Read>().size(), 2u);
}

TEST(Pausing, a_paused_partition_is_read_no_further_and_what_is_inside_goes_on) {
  PausingBench bench(without_limits());
  bench.put(PartitionPaused{PartitionId{0}, true});
  EXPECT_EQ(bench.all<PartitionHold>().size(), 1u);
  bench.arrive(0, 0);
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.ended(0, Outcome::accepted);
  EXPECT_TRUE(bench.all<Read>().empty());
  bench.put(PartitionPaused{PartitionId{0}, false});
  EXPECT_EQ(bench.all<Read>().size(), 1u);
}

TEST(Pausing, a_paused_line_takes_none_of_the_places) {
  PausingBench bench(without_limits(), 4);
  bench.arrive(0, 0);
  bench.line(true);
  for (std::uint32_t i = 1; i < 7; ++i) bench.arrive(i, i, 0, 1);
  bench.ended(0, Outcome::retry);
  EXPECT_EQ(bench.sent().size(), 5u) << "all four places, besides the first attempt";
}

TEST(Pausing, a_new_line_may_be_paused_from_the_start) {
  PausingBench bench(without_limits());
  bench.gate.add_line(LineId{2}, RouteId{0}, false, true);
  bench.arrive(0, 0, 0, 2);
  EXPECT_TRUE(bench.sent().empty());
  bench.line(false, 2);
  EXPECT_EQ(bench.sent(), Slots{0});
}

}  // namespace
}  // namespace einlass::core
