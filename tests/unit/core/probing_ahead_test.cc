// Whose permit a probe of a shut target takes where limits grant ahead.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core::probing_ahead_test {
namespace {

constexpr Duration kWait = Duration::millis(500);

// Of several limits, which grant ahead; the breaker opens with the first failure.
GateOptions guarded_ahead(Duration retry) {
  RouteOptions route = two_limits(Order::none);
  route.horizon = Duration::millis(500);
  route.dead_letter = true;
  route.retry_initial = route.retry_max = retry;
  GateOptions options = BenchGate::options_for(route);
  options.targets[0].breaker = {.failures = 1, .wait = kWait, .max_wait = Duration::seconds(2)};
  return options;
}

void send_first(BenchGate& bench) {
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({0});
}

// Where others book ahead none is ever due at once.
TEST(ProbingAhead, whoever_was_denied_a_permit_asks_for_a_probe_ahead) {
  BenchGate bench(guarded_ahead(Duration::millis(1)));
  send_first(bench);
  bench.arrive(1, 1);
  bench.answer({}, Duration::seconds(2));
  bench.ended(0, Outcome::retry);
  const std::size_t asks = bench.all<Ask>().size();
  bench.pass(Duration::millis(1'500) - Duration{1});
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration{1});
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);
  EXPECT_EQ(bench.all<Ask>().back().horizon, Duration::millis(500));
  EXPECT_EQ(bench.all<Ask>().back().max, Permits{1});
  // Nobody else asks until it is due; then it is used at once.
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.answer({500});
  bench.arrive(2, 2, 0, 1);
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
  bench.pass(Duration::millis(500));
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
  bench.ended(1, Outcome::accepted);
  EXPECT_GT(bench.all<Ask>().size(), asks + 1);
}

// Others would have to ask, and be told of a permit that is due still later: so this one is used.
TEST(ProbingAhead, a_probes_permit_that_comes_due_is_used_whoever_has_probed_least) {
  BenchGate bench(guarded_ahead(Duration::seconds(600)));
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  send_first(bench);
  bench.ended(0, Outcome::retry);
  bench.arrive(1, 1);  // Line 0 probes, and the breaker waits for half a second.
  bench.answer({0});
  bench.ended(1, Outcome::retry);
  bench.arrive(2, 2);
  bench.arrive(3, 3, 0, 1);
  bench.pass(kWait);
  ASSERT_EQ(bench.all<Ask>().back().line, LineId{1});
  bench.answer({}, Duration::millis(375));
  ASSERT_EQ(bench.all<Ask>().back().horizon, Duration::millis(500));
  bench.answer({370});
  bench.pass(Duration::millis(370));
  EXPECT_EQ(bench.sent().back(), 3u);
}

// They were booked while the target was well, by a line whose records may be what is bad.
TEST(ProbingAhead, permits_that_were_booked_before_keep_nobody_else_from_probing) {
  BenchGate bench(guarded_ahead(Duration::seconds(600)));
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  send_first(bench);
  bench.arrive(1, 1);
  bench.answer({450});
  bench.arrive(2, 2);
  bench.answer({950});
  bench.ended(0, Outcome::retry);
  bench.pass(kWait);
  ASSERT_EQ(bench.sent().size(), 2u);
  bench.arrive(3, 3, 0, 1);
  bench.ended(bench.sent().back(), Outcome::retry);
  bench.pass(kWait);
  EXPECT_EQ(bench.sent().size(), 2u);
  ASSERT_EQ(bench.all<Ask>().back().line, LineId{1});
  bench.answer({0});
  EXPECT_EQ(bench.sent().back(), 3u);
}

// One probe goes at a time: what is booked for it beyond that is lost to others.
TEST(ProbingAhead, where_permits_lie_far_ahead_not_each_line_books_one_for_a_probe) {
  GateOptions options = guarded_ahead(Duration::seconds(600));
  options.routes[0].horizon = Duration::seconds(30);
  BenchGate bench(options);
  for (const std::uint32_t line : {1u, 2u, 3u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  send_first(bench);
  bench.ended(0, Outcome::retry);
  bench.arrive(1, 1, 0, 1);
  bench.pass(kWait);
  bench.answer({}, Duration::seconds(20));
  ASSERT_EQ(bench.all<Ask>().back().horizon, options.routes[0].horizon);
  bench.answer({20'000});
  const std::size_t asks = bench.all<Ask>().size();
  bench.arrive(2, 2, 0, 2);
  bench.pass(Duration::seconds(4));
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration::seconds(2));
  bench.arrive(3, 3, 0, 3);
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
}

// As where all that is inside waits: no record comes, and no attempt ends.
TEST(ProbingAhead, others_ask_after_a_while_though_nothing_else_happens) {
  GateOptions options = guarded_ahead(Duration::seconds(600));
  options.routes[0].horizon = Duration::seconds(30);
  BenchGate bench(options);
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  send_first(bench);
  bench.ended(0, Outcome::retry);
  bench.arrive(1, 1, 0, 1);
  bench.pass(kWait);
  bench.answer({}, Duration::seconds(20));
  bench.answer({20'000});
  const std::size_t asks = bench.all<Ask>().size();
  bench.arrive(2, 2, 0, 2);
  bench.pass(Duration::seconds(5) - Duration{1});
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration{1});
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{2});
}

// Its record is gone before the permit comes due, and another of its records is not to be sent yet.
TEST(ProbingAhead, who_has_nothing_to_probe_with_any_more_leaves_the_probe_to_others) {
  BenchGate bench(guarded_ahead(Duration::seconds(600)));
  send_first(bench);
  RecordArrived soon{PartitionId{0}, RecordId{1, 0}, Offset{1},
                     LineId{0},      std::nullopt,   Bytes{100}};
  soon.expires = bench.now + Duration::millis(1'600);
  bench.put(soon);
  bench.answer({}, Duration::seconds(2));
  bench.ended(0, Outcome::retry);
  bench.pass(Duration::millis(1'500));
  ASSERT_EQ(bench.all<Ask>().back().horizon, Duration::millis(500));
  bench.answer({500});
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.arrive(2, 2, 0, 1);
  const std::size_t asks = bench.all<Ask>().size();
  bench.pass(Duration::millis(99));
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration::millis(1));
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
}

}  // namespace
}  // namespace einlass::core::probing_ahead_test
