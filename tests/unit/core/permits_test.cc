// When a permit is used, and when it goes back.
#include <gtest/gtest.h>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

// One limit for all, which grants ahead.
RouteOptions ahead_route() {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(500);
  return route;
}

TEST(Permits, ahead_are_used_at_their_instant_and_not_before) {
  BenchGate bench(BenchGate::options_for(ahead_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({300});
  bench.pass(Duration::millis(299));
  EXPECT_TRUE(bench.sent().empty());
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.all<Send>()[0].permit.stamp, Instant{1'300'000});
}

TEST(Permits, one_that_was_not_used_in_time_goes_back_and_another_is_asked_for) {
  BenchGate bench(BenchGate::options_for(ahead_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({50});
  bench.put(TargetHold{TargetId{0}, Duration::seconds(1)});
  bench.pass(Duration::millis(150));
  EXPECT_TRUE(bench.all<Release>().empty()) << "it may be used for 100 ms";
  bench.pass(Duration::millis(1));
  ASSERT_EQ(bench.all<Release>().size(), 1u);
  EXPECT_EQ(bench.all<Release>()[0].permit.stamp, Instant{1'050'000});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).limits[0].released, 1u);
  bench.pass(Duration::seconds(1));
  EXPECT_TRUE(bench.sent().empty());
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(Permits, that_nobody_is_left_to_use_go_back) {
  BenchGate bench(BenchGate::options_for(ahead_route(), 1));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({50});
  bench.pass(Duration::millis(50));
  ASSERT_EQ(bench.sent(), Slots{0});
  bench.arrive(1, 1);
  bench.ended(0, Outcome::accepted);
  bench.answer({10});
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  EXPECT_EQ(bench.all<Release>().size(), 1u);  // Nobody is left to use it.
  EXPECT_EQ(bench.gate.stats(RouteId{0}).limits[0].released, 1u);
}

}  // namespace
}  // namespace einlass::core
