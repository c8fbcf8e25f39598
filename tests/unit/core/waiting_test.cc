// What the records inside are said to wait for: each for what holds up the first of its lane.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "bench_gate.h"

namespace einlass::core::waiting_test {
namespace {

constexpr Duration kRetry = Duration::millis(40);

// Line 0 is one tenant's, line 1 another's.
struct TwoTenants : BenchGate {
  explicit TwoTenants(Order order, std::uint32_t places = 64)
      : BenchGate(options_for(two_limits(order), places)) {
    gate.add_line(LineId{1}, RouteId{0}, true);
    assign(0, 0);
  }

  // Of line 0 the first, and so many of line 1 behind it.
  void arrive_behind(std::uint32_t others) {
    arrive(0, 0, 0, 0);
    for (std::uint32_t i = 1; i <= others; ++i) arrive(i, i, 0, 1);
  }

  void deny(std::uint8_t limit) {
    const Ask ask = all<Ask>().back();
    put(PermitsAnswered{ask.line, ask.ask, {}, now, kRetry, LimitIndex{limit}});
  }

  Waiting waiting() const { return gate.waiting(now)[0]; }
};

TEST(Waiting, behind_another_counts_under_the_limit_that_the_first_waits_for) {
  TwoTenants bench(Order::partition);
  bench.arrive_behind(5);
  EXPECT_EQ(bench.waiting().records[Cause::limit], 6u);
  EXPECT_EQ(bench.waiting().for_limit[1], 0u) << "nobody has answered yet";
  bench.deny(1);
  const Waiting waiting = bench.waiting();
  EXPECT_EQ(waiting.records[Cause::limit], 6u);
  EXPECT_EQ(waiting.records[Cause::order], 0u);
  EXPECT_EQ(waiting.behind[Cause::limit], 5u);
  EXPECT_EQ(waiting.for_limit[0], 0u);
  EXPECT_EQ(waiting.for_limit[1], 6u);
  EXPECT_EQ(waiting.lines, 2u);
  EXPECT_EQ(waiting.lines_for_limit[1], 1u) << "the other tenant is not at its limit";
}

TEST(Waiting, the_only_limit_needs_no_answer_to_have_a_name) {
  RouteOptions route = two_limits(Order::partition);
  route.limit_count = 1;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].for_limit[0], 1u);
}

TEST(Waiting, behind_one_that_is_under_way_waits_for_the_order_alone) {
  TwoTenants bench(Order::partition);
  bench.arrive_behind(5);
  bench.answer({0});
  const Waiting waiting = bench.waiting();
  EXPECT_EQ(waiting.records[Cause::in_flight], 1u) << "as many as the target has";
  EXPECT_EQ(waiting.records[Cause::order], 5u);
  EXPECT_EQ(waiting.behind[Cause::order], 5u);
  EXPECT_EQ(waiting.behind[Cause::in_flight], 0u);
}

TEST(Waiting, behind_one_that_waits_for_its_next_attempt) {
  TwoTenants bench(Order::partition);
  bench.arrive_behind(2);
  bench.answer({0});
  bench.ended(0, Outcome::retry);
  EXPECT_EQ(bench.waiting().records[Cause::retry], 3u);
  EXPECT_EQ(bench.waiting().behind[Cause::retry], 2u);
}

TEST(Waiting, behind_one_whose_target_asked_for_a_pause) {
  TwoTenants bench(Order::key);
  for (std::uint32_t i = 0; i < 6; ++i) bench.arrive(i, i, 0, 0, i % 2);
  bench.put(TargetHold{TargetId{0}, Duration::seconds(9)});
  const Waiting waiting = bench.waiting();
  EXPECT_EQ(waiting.records[Cause::target], 6u);
  EXPECT_EQ(waiting.behind[Cause::target], 4u);
}

// All that are ready wait for their target, and all behind one of them do too.
TEST(Waiting, behind_many_that_wait_for_a_target) {
  constexpr std::uint32_t kLanes = 100;
  BenchGate bench(BenchGate::options_for(route_by(Order::key)));
  bench.assign(0);
  bench.put(TargetHold{TargetId{0}, Duration::seconds(9)});
  for (std::uint32_t i = 0; i < 2 * kLanes; ++i) bench.arrive(i, i, 0, 0, i % kLanes);
  const Waiting waiting = bench.gate.waiting(bench.now)[0];
  EXPECT_EQ(waiting.records[Cause::target], 2 * kLanes);
  EXPECT_EQ(waiting.behind[Cause::target], kLanes);
}

TEST(Waiting, behind_one_whose_limiter_does_not_answer) {
  TwoTenants bench(Order::partition);
  bench.put(StoreDown{StoreId{0}});
  bench.arrive_behind(3);
  EXPECT_EQ(bench.waiting().records[Cause::outage], 4u);
  EXPECT_EQ(bench.waiting().behind[Cause::outage], 3u);
}

// One place, which another line takes: the first lane has a permit that is due, the others have none.
TEST(Waiting, each_lane_for_what_its_own_first_record_waits_for) {
  RouteOptions route = two_limits(Order::key);
  route.limit_count = 1;
  route.horizon = Duration::millis(500);
  BenchGate bench(BenchGate::options_for(route, 1));
  bench.assign(0);
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  for (std::uint32_t i = 0; i < 12; ++i) bench.arrive(i, i, 0, 0, i / 4);
  bench.answer({5});
  bench.arrive(12, 12, 0, 1, 12);
  bench.answer({0});
  for (std::uint32_t i = 13; i < 15; ++i) bench.arrive(i, i, 0, 1, 12);
  bench.pass(Duration::millis(5));
  const Waiting waiting = bench.gate.waiting(bench.now)[0];
  EXPECT_EQ(waiting.records[Cause::in_flight], 1u);
  EXPECT_EQ(waiting.records[Cause::order], 2u);
  EXPECT_EQ(waiting.records[Cause::target], 4u);
  EXPECT_EQ(waiting.behind[Cause::target], 3u);
  EXPECT_EQ(waiting.records[Cause::limit], 8u);
  EXPECT_EQ(waiting.for_limit[0], 8u);
}

TEST(Waiting, costs_more_than_the_limits_can_ever_pay) {
  RouteOptions route = two_limits(Order::partition);
  route.cost_varies = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  const Ask ask = bench.all<Ask>().back();
  bench.put(PermitsAnswered{ask.line, ask.ask, {}, bench.now, std::nullopt, LimitIndex{1}});
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::limit], 2u);
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].behind[Cause::limit], 1u);
}

TEST(LongestLines, say_what_the_first_of_their_lane_waits_for) {
  TwoTenants bench(Order::partition);
  bench.arrive_behind(5);
  bench.deny(1);
  const auto longest = bench.gate.longest_lines(2, bench.now);
  ASSERT_EQ(longest.size(), 2u);
  EXPECT_EQ(longest[0].line, LineId{1});
  EXPECT_EQ(longest[0].waits, WaitsFor::permit);
  EXPECT_EQ(longest[0].limit, LimitIndex{1});
  EXPECT_EQ(longest[0].until, bench.now + kRetry);
  EXPECT_EQ(longest[0].first, (RecordId{0, 0}));
  EXPECT_EQ(longest[0].oldest, (RecordId{1, 0}));
  EXPECT_EQ(longest[1].line, LineId{0});
  EXPECT_FALSE(longest[1].first) << "it stands behind nobody";
  EXPECT_EQ(longest[1].oldest, (RecordId{0, 0}));
}

}  // namespace
}  // namespace einlass::core::waiting_test
