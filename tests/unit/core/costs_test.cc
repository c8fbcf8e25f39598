// Records that bring their own cost.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

RouteOptions varying_route() {
  RouteOptions route = limited_route();
  route.cost_varies = true;
  return route;
}

void arrive_at(BenchGate& bench, std::uint32_t record, std::int64_t cost) {
  bench.put(RecordArrived{PartitionId{0}, RecordId{record, 0}, Offset{record}, LineId{0},
                          std::nullopt, Bytes{100}, Permits{cost}});
}

std::vector<std::int64_t> costs_of(const Ask& ask) {
  std::vector<std::int64_t> costs;
  for (const Permits cost : ask.costs) costs.push_back(cost.value);
  return costs;
}

TEST(Costs, one_ask_is_for_records_of_several_costs) {
  BenchGate bench(BenchGate::options_for(varying_route()));
  bench.assign(0);
  arrive_at(bench, 0, 5);
  for (std::uint32_t i = 1; i < 4; ++i) arrive_at(bench, i, i < 3 ? 2 : 7);
  EXPECT_EQ(bench.all<Ask>().at(0).cost, Permits{5});
  EXPECT_TRUE(bench.all<Ask>()[0].costs.empty()) << "one cost is no list";
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.all<Send>()[0].permit.cost, Permits{5});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_EQ(bench.all<Ask>()[1].cost, Permits{2});
  EXPECT_EQ(bench.all<Ask>()[1].max, Permits{3});
  EXPECT_EQ(costs_of(bench.all<Ask>()[1]), (std::vector<std::int64_t>{2, 2, 7}));
  bench.answer({0, 0}, Duration::millis(5));
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2}));
  EXPECT_EQ(bench.all<Send>().back().permit.cost, Permits{2});
  bench.pass(Duration::millis(5));
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{7});
  EXPECT_TRUE(bench.all<Ask>().back().costs.empty());
}

TEST(Costs, a_list_that_got_no_answer_is_asked_again) {
  BenchGate bench(BenchGate::options_for(varying_route()));
  bench.assign(0);
  arrive_at(bench, 0, 1);
  for (std::uint32_t i = 1; i < 4; ++i) arrive_at(bench, i, i);
  bench.answer({0});
  ASSERT_EQ(costs_of(bench.all<Ask>().back()), (std::vector<std::int64_t>{1, 2, 3}));
  bench.put(PermitsFailed{LineId{0}, bench.all<Ask>().back().ask});
  arrive_at(bench, 4, 9);
  bench.pass(Duration::millis(50));
  EXPECT_TRUE(bench.all<Ask>().back().again);
  EXPECT_EQ(costs_of(bench.all<Ask>().back()), (std::vector<std::int64_t>{1, 2, 3}));
  bench.answer({0, 0, 0});
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2, 3}));
  EXPECT_EQ(bench.all<Send>().back().permit.cost, Permits{3});
}

// What stands behind one that could never be paid for is not asked for with it, and what is granted
// before it is used.
TEST(Costs, who_can_never_be_paid_is_found_behind_others) {
  BenchGate bench(BenchGate::options_for(varying_route()));
  bench.assign(0);
  arrive_at(bench, 0, 1);
  arrive_at(bench, 1, 2);
  arrive_at(bench, 2, 500);
  arrive_at(bench, 3, 3);
  bench.answer({0});
  bench.answer({200});  // Of 2, 500 and 3: the first, and none of the others ever.
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{500});
  bench.answer({});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).never, 1u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{3});
  bench.answer({300});
  bench.pass(Duration::millis(300));
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 3}));
}

// How long its limit made a costly record wait is nothing to those behind it, once it is gone.
// The limit has a key, or none.
class GoneCosts : public testing::TestWithParam<std::uint32_t> {
 protected:
  static RouteOptions route() {
    RouteOptions route = varying_route();
    route.keyless_limits = GetParam();
    route.dead_letter = true;
    return route;
  }

  // Two records, of 500 and of 1.
  void SetUp() override {
    bench.assign(0);
    bench.assign(1);
    bench.put(RecordArrived{PartitionId{1}, RecordId{0, 0}, Offset{0}, LineId{0}, std::nullopt,
                            Bytes{100}, Permits{500}});
    arrive_at(bench, 1, 1);
    EXPECT_EQ(bench.all<Ask>().back().cost, Permits{500});
  }

  BenchGate bench{BenchGate::options_for(route())};
};

TEST_P(GoneCosts, who_goes_while_it_waits_holds_up_nobody) {
  bench.answer({}, Duration::seconds(20));
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  bench.put(PartitionLost{PartitionId{1}});
  bench.pass({});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{1});
}

TEST_P(GoneCosts, who_goes_before_the_answer_holds_up_nobody) {
  bench.put(PartitionLost{PartitionId{1}});
  bench.answer({}, Duration::seconds(20));
  bench.pass({});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{1});
}

// That nothing could ever pay for it was said of the one that is gone.
TEST_P(GoneCosts, who_goes_before_it_is_denied_for_good_takes_nobody_along) {
  bench.put(PartitionLost{PartitionId{1}});
  bench.answer({});
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{1});
}

INSTANTIATE_TEST_SUITE_P(, GoneCosts, testing::Values(0u, 1u));

// What the limit that all share has said last was said to another line.
TEST(Costs, who_goes_denied_by_a_limit_of_its_own_hurries_nobody_at_the_one_that_all_share) {
  RouteOptions route = two_limits(Order::none);
  route.cost_varies = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.assign(1);
  bench.arrive(0, 0, 1, 0);
  bench.answer({}, Duration::millis(10));
  bench.pass(Duration::millis(10));
  const Ask failed = bench.all<Ask>().back();
  bench.put(PermitsFailed{failed.line, failed.ask});
  bench.arrive(1, 0, 0, 1);
  ASSERT_EQ(bench.all<Ask>().back().line, LineId{1});
  bench.answer({}, Duration::seconds(2));
  bench.arrive(2, 1, 0, 0);
  bench.put(PartitionLost{PartitionId{1}});
  bench.pass(Duration::millis(500));
  const Ask again = bench.all<Ask>().back();
  ASSERT_TRUE(again.again);
  const std::size_t asks = bench.all<Ask>().size();
  bench.put(PermitsAnswered{
      again.line, again.ask, {}, bench.now, Duration::seconds(20), LimitIndex{1}, Duration{}});
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Ask>().size(), asks) << "the other line waits for a second more";
}

// A permit that was asked for with another record, which is gone, is as good for the one denied.
TEST(Costs, who_leaves_with_another_permit_holds_up_nobody) {
  BenchGate bench(BenchGate::options_for(varying_route()));
  bench.assign(0);
  bench.assign(1);
  bench.put(RecordArrived{PartitionId{1}, RecordId{0, 0}, Offset{0}, LineId{0}, std::nullopt,
                          Bytes{100}, Permits{500}});
  arrive_at(bench, 1, 500);
  arrive_at(bench, 2, 1);
  bench.answer({200});
  bench.answer({}, Duration::seconds(20));
  bench.put(PartitionLost{PartitionId{1}});
  bench.pass(Duration::millis(250));
  EXPECT_EQ(bench.sent(), Slots{1});
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{1});
}

// A record of 500, whose limit has less left than was foretold: others were there first.
struct OvertakenCosts : testing::Test {
  static RouteOptions route() {
    RouteOptions route = varying_route();
    route.horizon = Duration::millis(500);
    return route;
  }

  // Denied twice, the second time when it was to be had. Up to `ahead` before they are due permits
  // are granted.
  void SetUp() override {
    bench.assign(0);
    arrive_at(bench, 0, 500);
    bench.answer({}, Duration::millis(100));
    bench.pass(Duration::millis(400));
    ASSERT_EQ(bench.all<Ask>().size(), 2u);
  }

  void deny(Duration ahead) {
    const Ask ask = bench.all<Ask>().back();
    bench.put(PermitsAnswered{
        ask.line, ask.ask, {}, bench.now, Duration::millis(100), LimitIndex{0}, ahead});
  }

  BenchGate bench{BenchGate::options_for(route())};
};

TEST_F(OvertakenCosts, ask_for_one_permit_as_far_ahead_as_it_takes) {
  arrive_at(bench, 1, 1);
  deny(Duration::millis(500));
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().horizon, Duration::seconds(1));
  EXPECT_EQ(bench.all<Ask>().back().max, Permits{1});
  bench.answer({900});
  EXPECT_EQ(bench.all<Ask>().back().horizon, Duration::millis(500)) << "for the next";
}

TEST_F(OvertakenCosts, do_not_ask_a_limit_for_more_than_it_bears) {
  deny(Duration::millis(200));
  EXPECT_EQ(bench.all<Ask>().size(), 2u);
}

TEST_F(OvertakenCosts, are_asked_for_as_before_where_the_limit_is_another_by_now) {
  bench.put(LimitsChanged{LineId{0}, true});
  deny(Duration::millis(500));
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().horizon, Duration::millis(500));
}

TEST_F(OvertakenCosts, are_not_booked_for_ever) {
  for (int i = 0; i < 20; ++i) deny(bench.all<Ask>().back().horizon);
  EXPECT_EQ(bench.all<Ask>().back().horizon, Duration::millis(30'500));
  EXPECT_LT(bench.all<Ask>().size(), 12u);
}

// A permit that was asked for with another record goes back, and those behind it find theirs.
TEST(Costs, the_permit_of_a_record_that_is_gone_goes_back) {
  BenchGate bench(BenchGate::options_for(varying_route()));
  bench.assign(0);
  bench.assign(1);
  const auto arrive = [&](std::uint32_t record, std::uint32_t partition, std::int64_t cost) {
    bench.put(RecordArrived{PartitionId{partition}, RecordId{record, 0}, Offset{record}, LineId{0},
                            std::nullopt, Bytes{100}, Permits{cost}});
  };
  arrive(0, 0, 1);
  arrive(1, 1, 4);
  arrive(2, 0, 2);
  arrive(3, 0, 3);
  bench.answer({0});
  bench.answer({10, 20, 30});
  bench.put(PartitionLost{PartitionId{1}});
  bench.pass(Duration::millis(30));
  ASSERT_EQ(bench.all<Release>().size(), 1u);
  EXPECT_EQ(bench.all<Release>()[0].permit.cost, Permits{4});
  EXPECT_EQ(bench.sent(), (Slots{0, 2, 3}));
}

TEST(Costs, a_record_that_nothing_could_pay_for_waits_aside) {
  BenchGate bench(BenchGate::options_for(varying_route()));
  bench.assign(0);
  arrive_at(bench, 0, 500);
  arrive_at(bench, 1, 1);
  bench.answer({});  // Never.
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::limit], 2u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).never, 1u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{1});
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{1});
  bench.pass(Duration::seconds(30));
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{500});  // The limit may be another by now.
}

TEST(Costs, with_a_dead_letter_topic_it_goes_there) {
  RouteOptions route = varying_route();
  route.dead_letter = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  arrive_at(bench, 0, 500);
  arrive_at(bench, 1, 1);
  bench.answer({});
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::never);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{1});
}

// A part of the limit denies it, but the whole limit could pay: it is no dead letter.
TEST(Costs, what_a_stand_in_denies_for_good_only_waits_aside) {
  RouteOptions route = varying_route();
  route.dead_letter = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  arrive_at(bench, 0, 8);
  arrive_at(bench, 1, 1);
  const Ask asked = bench.all<Ask>().at(0);
  PermitsAnswered never{.line = asked.line, .ask = asked.ask, .due = {}, .limiter_now = bench.now};
  never.stand_in = true;
  bench.put(never);
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{1});
}

// The next probe is for another record than the last one, though that is still the first.
TEST(Costs, a_probe_is_asked_for_at_the_cost_of_the_record_that_makes_it) {
  RouteOptions route = varying_route();
  route.retry_initial = route.retry_max = Duration{1};
  GateOptions options = BenchGate::options_for(route);
  options.targets[0].breaker = {1, Duration::millis(10), Duration::millis(10)};
  BenchGate bench(options);
  bench.assign(0);
  arrive_at(bench, 0, 5);
  for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
    bench.answer({0});
    ASSERT_EQ(bench.sent().size(), attempt);
    bench.ended(0, Outcome::retry, attempt);
    if (attempt == 1) bench.pass(Duration::millis(11));
  }
  bench.pass(Duration{1});
  arrive_at(bench, 1, 2);
  bench.pass(Duration::millis(11));
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{2});
  bench.answer({0});
  EXPECT_EQ(bench.sent().back(), 1u);
}

}  // namespace
}  // namespace einlass::core
