// Other numbers while records wait, permits are held and attempts are under way.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core::reconfigure_test {
namespace {

GateOptions limited(std::uint32_t max_in_flight = 64) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = 1;
  route.keyless_limits = 1;
  GateOptions options = BenchGate::options_for(route, max_in_flight);
  options.stores = 2;
  return options;
}

GateOptions unlimited(std::uint32_t max_in_flight = 64) {
  GateOptions options = limited(max_in_flight);
  options.routes[0].limit_count = 0;
  options.routes[0].keyless_limits = 0;
  return options;
}

// A target's breaker opens after one failure and waits for an hour.
GateOptions patient() {
  GateOptions options = unlimited();
  options.targets[0].breaker = {1, Duration::seconds(3600), Duration::seconds(3600)};
  return options;
}

// One record fails, and another one as a probe.
void shut(BenchGate& bench) {
  bench.assign(0);
  for (std::uint32_t i = 0; i < 2; ++i) {
    bench.arrive(i, i);
    bench.ended(i, Outcome::retry);
  }
}

void reconfigure(BenchGate& bench, const GateOptions& options) {
  bench.gate.reconfigure(options, bench.now, bench.commands);
  bench.gate.check_invariants();
}

// Seed 1796093030123 of the simulation: the ask was made under the old horizon, and answered after
// the reload, for it had failed in between.
TEST(Reconfigure, nothing_is_asked_further_ahead_than_a_route_without_horizon_may) {
  GateOptions options = BenchGate::options_for(keyed());
  options.routes[0].cost_varies = true;
  options.routes[0].horizon = Duration::millis(100);
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({}, Duration::seconds(1));
  bench.pass(Duration::seconds(5));  // When the permit had been foretold it asks again.
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.put(PermitsFailed{LineId{0}, bench.all<Ask>().back().ask, Duration::millis(100)});
  options.routes[0].horizon = Duration{};
  reconfigure(bench, options);
  bench.pass(Duration::seconds(1));
  ASSERT_TRUE(bench.all<Ask>().back().again);
  bench.answer({}, Duration::seconds(1));  // Others were there first.
  bench.pass(Duration::seconds(5));
  EXPECT_FALSE(bench.all<Ask>().back().again);
  EXPECT_EQ(bench.all<Ask>().back().horizon, Duration{});
}

TEST(Reconfigure, a_line_that_waits_for_hours_asks_at_once) {
  BenchGate bench(limited());
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({}, Duration::seconds(7200));
  bench.pass(Duration::seconds(10));
  EXPECT_EQ(bench.all<Ask>().size(), 1u);
  reconfigure(bench, limited());
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(Reconfigure, a_failed_ask_keeps_its_pause) {
  BenchGate bench(limited());
  bench.assign(0);
  bench.arrive(0, 0);
  bench.put(PermitsFailed{LineId{0}, bench.all<Ask>().at(0).ask});
  reconfigure(bench, limited());
  EXPECT_EQ(bench.all<Ask>().size(), 1u);
  bench.pass(Duration::millis(50));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_TRUE(bench.all<Ask>()[1].again);
}

TEST(Reconfigure, an_open_ask_is_answered_and_permits_stay) {
  BenchGate bench(limited());
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  reconfigure(bench, limited());
  EXPECT_EQ(bench.all<Ask>().size(), 1u);
  bench.answer({300});
  reconfigure(bench, limited());
  EXPECT_TRUE(bench.all<Release>().empty());
  bench.pass(Duration::millis(300));
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(Reconfigure, what_has_gathered_waits_no_longer_than_the_new_linger_time) {
  GateOptions options = unlimited();
  options.targets[0].batch = {.records = 10, .linger = Duration::millis(80)};
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  options.targets[0].batch.linger = Duration::millis(5);
  reconfigure(bench, options);
  EXPECT_TRUE(bench.sent().empty());
  bench.pass(Duration::millis(5));
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(Reconfigure, an_answer_that_was_on_its_way_is_of_the_old_numbers) {
  GateOptions options = limited();
  options.routes[0].dead_letter = true;
  for (const bool never : {false, true}) {
    BenchGate bench(options);
    bench.assign(0);
    bench.arrive(0, 0);
    reconfigure(bench, options);
    ASSERT_EQ(bench.all<Ask>().size(), 1u) << "one ask at a time";
    bench.answer({}, never ? std::nullopt : std::optional(Duration::seconds(60)));
    EXPECT_TRUE(bench.all<DeadLetter>().empty());
    ASSERT_EQ(bench.all<Ask>().size(), 2u);
    bench.answer({}, Duration::seconds(60));
    EXPECT_EQ(bench.all<Ask>().size(), 2u) << "that one is of the new ones";
  }
}

TEST(Reconfigure, records_inside_are_counted_under_no_name_of_other_flows) {
  GateOptions options = limited();
  options.routes[0].share = {.levels = 1};
  options.routes[0].flow_names = 1;
  BenchGate bench(options);
  bench.assign(0);
  RecordArrived event{PartitionId{0}, RecordId{0, 0}, Offset{0},
                      LineId{0},      std::nullopt,   Bytes{100}};
  event.flow.key = FlowKey{1};
  event.flow.name = 0;
  bench.put(event);
  options.routes[0].flow_names = 2;
  reconfigure(bench, options);
  bench.answer({});
  bench.answer({0});
  ASSERT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).share_permits[0], 0u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).share_permits[kNamedFlows], 1u);
}

TEST(Reconfigure, fewer_at_a_time_lets_those_under_way_end_first) {
  BenchGate bench(unlimited(4));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 8; ++i) bench.arrive(i, i);
  EXPECT_EQ(bench.sent().size(), 4u);
  reconfigure(bench, unlimited(2));
  for (std::uint32_t i = 0; i < 2; ++i) bench.ended(i, Outcome::accepted);
  EXPECT_EQ(bench.sent().size(), 4u);
  bench.ended(2, Outcome::accepted);
  EXPECT_EQ(bench.sent().size(), 5u);
  bench.ended(3, Outcome::accepted);
  EXPECT_EQ(bench.sent().size(), 6u);
}

TEST(Reconfigure, more_at_a_time_are_sent_at_once) {
  BenchGate bench(unlimited(2));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 8; ++i) bench.arrive(i, i);
  EXPECT_EQ(bench.sent().size(), 2u);
  reconfigure(bench, unlimited(5));
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2, 3, 4}));
}

TEST(Reconfigure, smaller_bounds_hold_and_larger_ones_read) {
  BenchGate bench(limited());
  bench.assign(0);
  for (std::uint32_t i = 0; i < 8; ++i) bench.arrive(i, i);
  GateOptions smaller = limited();
  smaller.routes[0].inside_records = 8;
  reconfigure(bench, smaller);
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  reconfigure(bench, smaller);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_TRUE(bench.all<Read>().empty());
  reconfigure(bench, limited());
  EXPECT_EQ(bench.all<Read>().size(), 1u);
  smaller = limited();
  smaller.inside_bytes = Bytes{700};
  reconfigure(bench, smaller);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 2u);
  bench.assign(1);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 3u) << "the gate as a whole is full";
  reconfigure(bench, limited());
  EXPECT_EQ(bench.all<Read>().size(), 3u);
}

TEST(Reconfigure, who_waits_for_a_store_asks_another_and_back) {
  BenchGate bench(limited());
  bench.assign(0);
  bench.put(StoreDown{StoreId{0}});
  bench.arrive(0, 0);
  EXPECT_TRUE(bench.all<Ask>().empty());
  GateOptions other = limited();
  other.routes[0].store = StoreId{1};
  reconfigure(bench, other);
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  bench.answer({0});
  bench.arrive(1, 1);
  bench.answer({}, Duration::millis(10));
  reconfigure(bench, limited());
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Ask>().size(), 2u);
  bench.put(StoreUp{StoreId{0}});
  EXPECT_EQ(bench.all<Ask>().size(), 3u);
}

TEST(Reconfigure, a_shorter_commit_interval_counts_from_the_last_commit) {
  GateOptions slow = unlimited();
  slow.commit_interval = Duration::seconds(60);
  BenchGate bench(slow);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(1));
  bench.put(CommitEnded{CommitResult::committed});
  bench.arrive(1, 1);
  bench.ended(1, Outcome::accepted);
  const std::size_t before = bench.all<Commit>().size();
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Commit>().size(), before);
  reconfigure(bench, unlimited());
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.all<Commit>().size(), before + 1);
}

TEST(Reconfigure, a_breaker_opens_after_as_many_failures_as_it_says_then) {
  GateOptions options = unlimited();
  options.routes[0].retry_initial = options.routes[0].retry_max = Duration::micros(1);
  BenchGate bench(options);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arrive(i, i);
  bench.pass(Duration::millis(1));
  for (std::uint32_t i = 0; i < 2; ++i) bench.ended(i, Outcome::retry);
  EXPECT_TRUE(bench.gate.breaker(TargetId{0}).closed());
  options.targets[0].breaker.failures = 3;
  reconfigure(bench, options);
  bench.ended(2, Outcome::retry);
  EXPECT_FALSE(bench.gate.breaker(TargetId{0}).closed());
}

// What is left then is the hold, which ends sooner than the breaker would have closed.
TEST(Reconfigure, of_a_target_without_breaker_the_hold_alone_is_waited_for) {
  GateOptions options = patient();
  BenchGate bench(options);
  shut(bench);
  ASSERT_EQ(bench.gate.held_until(TargetId{0}), bench.now + Duration::seconds(3600));
  bench.put(TargetHold{TargetId{0}, Duration::seconds(10)});
  options.targets[0].breaker.failures = 0;
  reconfigure(bench, options);
  bench.pass(Duration::seconds(10) - Duration::micros(1));
  EXPECT_EQ(bench.gate.next_wakeup(), bench.now + Duration::micros(1));
}

TEST(Reconfigure, a_breaker_that_waits_for_an_hour_waits_no_longer_than_the_new_longest_wait) {
  GateOptions options = patient();
  BenchGate bench(options);
  shut(bench);
  bench.pass(Duration::seconds(2));
  const std::size_t sent = bench.sent().size();
  options.targets[0].breaker = {1, Duration::seconds(1), Duration::seconds(5)};
  reconfigure(bench, options);
  bench.pass(Duration::seconds(3) - Duration::micros(1));
  EXPECT_EQ(bench.sent().size(), sent);
  bench.pass(Duration::micros(1));
  EXPECT_EQ(bench.sent().size(), sent + 1);
  bench.ended(bench.sent().back(), Outcome::retry, 2);
  EXPECT_EQ(bench.gate.held_until(TargetId{0}), bench.now + Duration::seconds(5));
}

TEST(Reconfigure, a_breaker_that_has_waited_for_longer_probes_at_once) {
  GateOptions options = patient();
  BenchGate bench(options);
  shut(bench);
  bench.pass(Duration::seconds(60));
  const std::size_t sent = bench.sent().size();
  options.targets[0].breaker = {1, Duration::seconds(1), Duration::seconds(5)};
  reconfigure(bench, options);
  EXPECT_EQ(bench.sent().size(), sent + 1);
}

TEST(Reconfigure, attempts_and_pauses_are_those_of_the_moment) {
  GateOptions options = unlimited();
  options.routes[0].dead_letter = true;
  options.routes[0].retry_initial = options.routes[0].retry_max = Duration::seconds(3600);
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.ended(0, Outcome::retry);
  options.routes[0].attempts = 1;
  reconfigure(bench, options);
  bench.ended(1, Outcome::retry);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].record.slot, 1u);
}

}  // namespace
}  // namespace einlass::core::reconfigure_test
