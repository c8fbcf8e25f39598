// What the gate does with its targets' circuit breakers.
#include <gtest/gtest.h>

#include "core/delivery/breaker.h"
#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core::gate_breaker_test {
namespace {

constexpr Duration kWait = Duration::millis(500);

RecordId record(std::uint32_t slot) { return {slot, 0}; }

GateOptions guarded(RouteOptions route, std::uint32_t max_in_flight = 64) {
  GateOptions options = BenchGate::options_for(route, max_in_flight);
  options.targets[0].breaker = {.failures = 3, .wait = kWait, .max_wait = Duration::seconds(2)};
  return options;
}

RouteOptions free_route() {
  RouteOptions route;
  route.order = Order::none;
  route.retry_initial = route.retry_max = Duration::millis(1);
  return route;
}

RouteOptions route_with_limit() {
  RouteOptions route = free_route();
  route.limit_count = 1;
  route.keyless_limits = 1;
  return route;
}

// Records 0 to 2 fail, and record 3 hangs: it is under way until the test ends it. Then record 4
// comes, is the first probe, and fails too.
void shut(BenchGate& bench) {
  bench.assign(0);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arrive(i, i);
  for (std::uint32_t i = 0; i < 3; ++i) bench.ended(i, Outcome::retry);
  bench.arrive(4, 4);
  ASSERT_EQ(bench.sent().back(), 4u);
  bench.ended(4, Outcome::retry);
}

// Whatever a limit has said: the ask for a probe is the same as the one that was denied.
TEST(GateBreaker, a_permit_for_a_probe_is_asked_for_within_half_a_minute) {
  RouteOptions route = two_limits(Order::none);
  route.retry_initial = route.retry_max = Duration::millis(1);
  route.horizon = Duration::millis(500);
  BenchGate bench(guarded(route));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 5; ++i) bench.arrive(i, i);
  bench.answer({0});
  bench.answer({0, 0, 0}, Duration::seconds(3600));
  ASSERT_EQ(bench.sent().size(), 4u);
  const std::size_t asks = bench.all<Ask>().size();
  for (std::uint32_t i = 0; i < 4; ++i) bench.ended(i, Outcome::retry);
  ASSERT_FALSE(bench.gate.breaker(TargetId{0}).closed());
  bench.pass(Duration::seconds(31));
  EXPECT_GT(bench.all<Ask>().size(), asks);
}

TEST(GateBreaker, it_probes_at_once_and_then_not_before_the_wait_is_over) {
  BenchGate bench(guarded(free_route()));
  shut(bench);
  EXPECT_EQ(bench.gate.breaker(TargetId{0}).state(bench.now), BreakerState::open);
  EXPECT_EQ(bench.gate.held_until(TargetId{0}), bench.now + kWait);
  bench.pass(kWait - Duration::millis(1));
  EXPECT_EQ(bench.sent().size(), 5u);
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::target], 4u);
  bench.pass(Duration::millis(1));
  ASSERT_EQ(bench.sent().size(), 6u);
  bench.pass(Duration::seconds(60));
  EXPECT_EQ(bench.sent().size(), 6u);
  bench.ended(bench.sent().back(), Outcome::accepted, 2);
  EXPECT_EQ(bench.sent().size(), 9u);  // All that waited.
}

DeliveryEnded without_asking(std::uint32_t slot, Outcome outcome) {
  DeliveryEnded event{record(slot), Attempt{1}, outcome, std::nullopt};
  event.asked = false;
  return event;
}

TEST(GateBreaker, a_probe_that_asks_nobody_tells_it_nothing_and_another_probes) {
  BenchGate bench(guarded(free_route()));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 3; ++i) bench.arrive(i, i);
  for (std::uint32_t i = 0; i < 3; ++i) bench.ended(i, Outcome::retry);
  for (std::uint32_t i = 3; i < 6; ++i) bench.arrive(i, i);
  bench.pass(kWait);
  ASSERT_EQ(bench.sent().size(), 4u);
  const std::uint32_t probe = bench.sent().back();
  ASSERT_GE(probe, 3u);
  bench.put(without_asking(probe, Outcome::refused));
  EXPECT_EQ(bench.gate.breaker(TargetId{0}).state(bench.now), BreakerState::probing);
  EXPECT_EQ(bench.sent().size(), 5u);
  EXPECT_NE(bench.sent().back(), probe);
}

// The first of each request is a bad one, as its answer says.
TEST(GateBreaker, each_record_that_a_request_brought_home_is_an_answer) {
  GateOptions options = guarded(free_route());
  options.targets[0].batch = {4, Bytes{10'000}, Duration::millis(1)};
  BenchGate bench(options);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 80; ++i) {
    if (i % 4 == 0) bench.pass(Duration::millis(500));
    bench.arrive(i, i);
    if (i % 4 < 3) continue;
    for (std::uint32_t each = i - 3; each <= i; ++each) {
      bench.ended(each, each == i - 3 ? Outcome::retry : Outcome::accepted);
    }
    for (std::uint32_t bad = 0; bad < i; bad += 4) {
      bench.put(DeliveryEnded{record(bad), Attempt{2}, Outcome::retry, std::nullopt});
    }
  }
  EXPECT_EQ(bench.gate.breaker(TargetId{0}).state(bench.now), BreakerState::closed);
}

TEST(GateBreaker, attempts_that_ask_nobody_are_neither_failures_nor_answers) {
  BenchGate bench(guarded(free_route()));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 10; ++i) bench.arrive(i, i);
  for (std::uint32_t i = 0; i < 4; ++i) bench.put(without_asking(i, Outcome::retry));
  EXPECT_TRUE(bench.gate.breaker(TargetId{0}).closed());
  for (std::uint32_t i = 4; i < 6; ++i) bench.ended(i, Outcome::retry);
  bench.put(without_asking(6, Outcome::refused));
  bench.ended(7, Outcome::retry);
  EXPECT_FALSE(bench.gate.breaker(TargetId{0}).closed());
}

TEST(GateBreaker, an_old_attempt_that_succeeds_lets_all_go_on_at_once) {
  BenchGate bench(guarded(free_route()));
  shut(bench);
  bench.pass(Duration::millis(10));
  EXPECT_EQ(bench.sent().size(), 5u);
  bench.ended(3, Outcome::accepted);
  EXPECT_EQ(bench.sent().size(), 9u);
  EXPECT_EQ(bench.gate.breaker(TargetId{0}).state(bench.now), BreakerState::closed);
}

TEST(GateBreaker, a_retry_after_that_ends_earlier_is_not_forgotten_when_it_closes) {
  BenchGate bench(guarded(free_route()));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arrive(i, i);
  for (std::uint32_t i = 0; i < 2; ++i) bench.ended(i, Outcome::retry);
  bench.ended(2, Outcome::retry, 1, Duration::millis(100));
  bench.ended(3, Outcome::accepted);  // Closes it; the other hold stays.
  bench.pass(Duration::millis(99));
  EXPECT_EQ(bench.sent().size(), 4u);
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.sent().size(), 7u);
}

// As shut(), up to the first probe, with a permit for each record; line 1 has none yet.
void fail_under_permits(BenchGate& bench) {
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 3; ++i) {
    bench.arrive(i, i);
    bench.answer({0});
  }
  for (std::uint32_t i = 0; i < 3; ++i) bench.ended(i, Outcome::retry);
}

TEST(GateBreaker, while_it_is_open_no_permit_is_asked_for_and_one_for_a_probe) {
  BenchGate bench(guarded(route_with_limit()));
  fail_under_permits(bench);
  bench.arrive(3, 3, 0, 1);
  bench.answer({0});
  bench.ended(3, Outcome::retry);  // The first probe.
  const std::size_t asks = bench.all<Ask>().size();
  for (std::uint32_t i = 4; i < 7; ++i) bench.arrive(i, i, 0, 1);
  bench.pass(kWait - Duration::millis(1));
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration::millis(1));
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);  // Of two lines.
  EXPECT_EQ(bench.all<Ask>().back().max, Permits{1});
  bench.answer({0});
  EXPECT_EQ(bench.sent().size(), 5u);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
}

TEST(GateBreaker, a_line_that_gets_no_permit_leaves_the_probe_to_others) {
  RouteOptions route = route_with_limit();
  route.keyless_limits = 0;
  BenchGate bench(guarded(route));
  fail_under_permits(bench);
  bench.arrive(3, 3, 0, 1);
  bench.pass(kWait);
  const LineId first = bench.all<Ask>().back().line;
  bench.answer({}, Duration::seconds(5));
  ASSERT_NE(bench.all<Ask>().back().line, first);
  bench.answer({0});
  EXPECT_EQ(bench.sent().size(), 4u);
}

// Fails record 0 until its first probe has failed too and it is ready again.
void fail_the_probe(BenchGate& bench) {
  bench.assign(0);
  bench.arrive(0, 0);
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    bench.ended(0, Outcome::retry, attempt);
    bench.pass(Duration::millis(1));
  }
  bench.pass(kWait);
  ASSERT_EQ(bench.sent().size(), 4u);
  bench.ended(0, Outcome::retry, 4);
  bench.pass(Duration::millis(10));
}

TEST(GateBreaker, the_next_probe_is_for_another_record_than_the_failed_one) {
  for (const std::int64_t share : {100, 20}) {
    GateOptions options = guarded(free_route());
    options.targets[0].retry_share = share;
    BenchGate bench(options);
    fail_the_probe(bench);
    bench.arrive(1, 1);  // Behind the one that failed.
    bench.pass(Duration::seconds(1));
    ASSERT_EQ(bench.sent().size(), 5u);
    EXPECT_EQ(bench.sent().back(), 1u);
    bench.ended(1, Outcome::accepted);
    EXPECT_EQ(bench.sent().back(), 0u);
  }
}

TEST(GateBreaker, a_bad_record_alone_in_its_line_lets_another_line_probe) {
  GateOptions options = guarded(free_route());
  options.routes.push_back(options.routes[0]);
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  fail_the_probe(bench);
  bench.arrive(1, 0, 1, 1);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.sent().back(), 1u);
  bench.ended(1, Outcome::accepted);
  EXPECT_EQ(bench.sent().back(), 0u);
}

// What has failed may have failed for its own sake. Lines 0 and 1 have more than their part of the
// places with attempts that hang, and wait aside: line 0 with a retry, line 1 with fresh records.
TEST(GateBreaker, of_lines_that_wait_aside_one_with_fresh_records_probes_before_one_with_retries) {
  GateOptions options = guarded(free_route(), 16);
  options.targets[0].retry_share = 20;
  BenchGate bench(options);
  for (std::uint32_t i = 1; i < 4; ++i) bench.gate.add_line(LineId{i}, RouteId{0}, true);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 8; ++i) bench.arrive(i, i);
  bench.arrive(8, 8, 0, 2);
  bench.arrive(9, 9, 0, 3);
  for (std::uint32_t i = 10; i < 20; ++i) bench.arrive(i, i, 0, 1);
  ASSERT_EQ(bench.sent().size(), 14u) << "an eighth of the places is left to others";
  bench.ended(0, Outcome::retry);
  bench.pass(Duration::millis(1));
  ASSERT_EQ(bench.all<Send>().back().attempt, Attempt{1}) << "record 0 waits";
  bench.ended(8, Outcome::retry);
  const std::size_t before = bench.sent().size();
  bench.ended(9, Outcome::retry);  // The breaker opens.
  ASSERT_FALSE(bench.gate.breaker(TargetId{0}).closed());
  ASSERT_EQ(bench.sent().size(), before + 1);
  EXPECT_EQ(bench.all<Send>().back().attempt, Attempt{1});
  EXPECT_GE(bench.sent().back(), 10u) << "one of line 1";
}

// Line 0's retry is ready again just before the next probe is due, and the loop sees both at once.
TEST(GateBreaker, a_retry_that_is_ready_with_the_probe_lets_a_fresh_record_go_first) {
  RouteOptions route = route_with_limit();
  route.keyless_limits = 0;
  route.retry_initial = route.retry_max = kWait - Duration::millis(10);
  GateOptions options = guarded(route);
  options.targets[0].breaker.failures = 1;
  options.targets[0].retry_share = 20;
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({0});
  bench.ended(0, Outcome::retry);
  bench.pass(kWait);  // The first probe.
  bench.answer({0});
  bench.ended(0, Outcome::retry, 2);
  bench.arrive(1, 1, 0, 1);
  const std::size_t asks = bench.all<Ask>().size();
  bench.now = bench.now + kWait;
  bench.put(TimePassed{});
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
}

TEST(GateBreaker, a_full_target_is_not_probed_beyond_its_places) {
  BenchGate bench(guarded(free_route(), 4));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 8; ++i) bench.arrive(i, i);
  bench.ended(0, Outcome::retry);
  bench.ended(1, Outcome::retry);
  bench.ended(2, Outcome::retry);
  EXPECT_EQ(bench.sent().size(), 7u);  // Three hang: 3, 4 and 5.
  bench.pass(kWait * 10);
  EXPECT_EQ(bench.sent().size(), 7u);
}

TEST(GateBreaker, an_abandoned_probe_still_counts) {
  BenchGate bench(guarded(free_route()));
  bench.assign(0);
  bench.assign(1);
  for (std::uint32_t i = 0; i < 3; ++i) bench.arrive(i, i);
  for (std::uint32_t i = 0; i < 3; ++i) bench.ended(i, Outcome::retry);
  bench.pass(kWait);
  const std::uint32_t probe = bench.sent().back();
  bench.put(PartitionLost{PartitionId{0}});
  bench.arrive(7, 0, 1);
  EXPECT_EQ(bench.sent().size(), 4u);
  bench.ended(probe, Outcome::accepted, 2);
  EXPECT_EQ(bench.sent().back(), 7u);
}

// Answers each ask with all that it is for.
void answer_all(BenchGate& bench, std::size_t& answered) {
  for (auto asks = bench.all<Ask>(); answered < asks.size(); asks = bench.all<Ask>()) {
    const Ask ask = asks[answered++];
    const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
    bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now});
    bench.now = bench.now + Duration::millis(3);
  }
}

// Two lines have permits for what is ordered behind the failing record of a third, and so no turn
// was ever left to it; one of 26,000 worlds of the simulation, as it was then, ended so.
TEST(GateBreaker, a_target_is_tried_again_where_other_lines_hold_permits_behind_the_probe) {
  RouteOptions route = keyed();
  route.order = Order::partition;
  route.use_within = Duration::seconds(4);
  route.retry_initial = route.retry_max = Duration::millis(10);
  GateOptions options = BenchGate::options_for(route, 2);
  options.targets[0].retry_share = 20;
  options.targets[0].breaker.failures = 1;
  options.targets[0].breaker.wait = kWait;
  BenchGate bench(options);
  for (std::uint32_t line : {1, 2, 3}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  std::uint32_t next = 0;
  for (std::uint32_t line : {1, 2, 1, 2, 1, 2, 3, 3, 3, 1, 2, 1, 2}) {
    bench.arrive(next, next, 0, line);
    ++next;
  }
  std::size_t answered = 0;
  answer_all(bench, answered);
  for (std::uint32_t slot = 0; slot < 6; ++slot) {
    bench.ended(slot, Outcome::accepted);
    answer_all(bench, answered);
  }
  std::uint32_t attempt = 0;
  for (int i = 0; i < 40; ++i) {
    const Send last = bench.all<Send>().back();
    ASSERT_EQ(last.record.slot, 6u);
    if (last.attempt.value != attempt) {
      attempt = last.attempt.value;
      bench.ended(6, Outcome::retry, attempt);
    }
    bench.pass(Duration::millis(50));
    answer_all(bench, answered);
  }
  ASSERT_GT(attempt, 1u);
  for (int i = 0; i < 60 && bench.all<Send>().back().attempt.value == attempt; ++i) {
    bench.pass(Duration::seconds(1));
    answer_all(bench, answered);
  }
  EXPECT_GT(bench.all<Send>().back().attempt.value, attempt);
}

TEST(GateHold, what_another_gate_was_told_holds_here_too) {
  BenchGate bench(BenchGate::options_for(free_route()));
  bench.assign(0);
  bench.put(TargetHold{TargetId{0}, Duration::millis(50)});
  bench.put(TargetHold{TargetId{0}, Duration::millis(20)});
  bench.arrive(0, 0);
  bench.pass(Duration::millis(49));
  EXPECT_TRUE(bench.sent().empty());
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.sent(), Slots{0});
}

}  // namespace
}  // namespace einlass::core::gate_breaker_test
