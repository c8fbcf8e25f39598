// How fresh records and retries share a target and its limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"
#include "unit/core/rush.h"

namespace einlass::core {
namespace {

RouteOptions route_with(std::uint8_t limits, std::uint32_t shared) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = limits;
  route.keyless_limits = shared;
  route.retry_initial = route.retry_max = Duration{1};
  return route;
}

GateOptions with_share(std::vector<RouteOptions> routes, std::int64_t share,
                       std::uint32_t max_in_flight = 64) {
  GateOptions options = BenchGate::options_for(routes[0], max_in_flight);
  options.routes = std::move(routes);
  options.targets[0].retry_share = share;
  return options;
}

// ---- inside a line ----

std::string kinds(const std::vector<Rush::Sent>& sent, std::size_t from, std::size_t count) {
  std::string text;
  for (std::size_t i = from; i < from + count; ++i) text += sent.at(i).retry ? 'r' : 'f';
  return text;
}

TEST(Sharing, in_a_line_every_fifth_permit_is_a_retrys_while_fresh_records_wait) {
  Rush rush(with_share({route_with(1, 1)}, 20));
  rush.limit(0, {0});
  rush.fails(0, true);
  rush.arrive(0, 10);
  rush.run(10);  // Each fails once or more.
  rush.fails(0, false);
  rush.retries_of_all();
  rush.arrive(0, 20);
  const std::size_t from = rush.sent.size();
  rush.run(30);
  ASSERT_GE(rush.sent.size(), from + 29);
  // The permit that was on its way may be used by either.
  const std::string text = kinds(rush.sent, from, 29);
  for (std::size_t i = 1; i + 5 <= 25; ++i) {
    EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                         text.begin() + static_cast<std::ptrdiff_t>(i) + 5, 'r'),
              1)
        << text;
  }
  EXPECT_EQ(text.substr(26), "rrr") << text;  // Nobody else wants them any more.
}

TEST(Sharing, a_share_of_all_is_first_come_first_served) {
  Rush rush(with_share({route_with(1, 1)}, 100));
  rush.limit(0, {0});
  rush.fails(0, true);
  rush.arrive(0, 10);
  rush.run(10);
  rush.fails(0, false);
  rush.arrive(0, 20);
  rush.retries_of_all();
  rush.run(9);
  EXPECT_EQ(rush.retries_of_all(), (std::pair{9, 9}));
}

TEST(Sharing, retries_alone_use_everything) {
  Rush rush(with_share({route_with(1, 1)}, 1));
  rush.limit(0, {0});
  rush.fails(0, true);
  rush.arrive(0, 1);
  rush.run(50);
  EXPECT_GE(rush.sent.size(), 50u);
}

// ---- among lines ----

// Line 0 has fresh records that are accepted, line 1 nothing but records that fail.
struct Two {
  Two(const GateOptions& options, std::vector<int> first, std::vector<int> second)
      : rush(options) {
    rush.add_line(1, static_cast<std::uint16_t>(options.routes.size() - 1));
    rush.limit(0, first);
    rush.limit(1, second);
    rush.fails(1, true);
    rush.arrive(1, 20);
    rush.run(40);
    rush.arrive(0, 2000);
    rush.run(100);
    rush.retries_of_all();
    rush.run(500);
  }
  Rush rush;
};

TEST(Sharing, lines_share_a_limit_without_key) {
  Two two(with_share({route_with(2, 1)}, 20), {0, 1}, {0, 2});
  const auto [retries, all] = two.rush.retries_of_all();
  EXPECT_GE(all, 495);
  EXPECT_LE(retries, all / 5 + 1);
  EXPECT_GE(retries, all / 5 - 10);
}

TEST(Sharing, lines_of_two_routes_share_their_common_limit) {
  Two two(with_share({route_with(1, 1), route_with(1, 1)}, 50), {0}, {0});
  const auto [retries, all] = two.rush.retries_of_all();
  EXPECT_GE(all, 495);
  EXPECT_LE(retries, all / 2 + 1);
  EXPECT_GE(retries, all * 2 / 5);
}

// The first target's retries stand apart from nothing, and its line always has more.
TEST(Sharing, a_line_without_a_budget_leaves_the_share_to_others_retries) {
  GateOptions options = with_share({route_with(1, 1), route_with(1, 1)}, 100);
  options.routes[1].target = TargetId{1};
  options.targets.push_back(options.targets[0]);
  options.targets[1].retry_share = 20;
  Two two(options, {0}, {0});
  const auto [retries, all] = two.rush.retries_of_all();
  EXPECT_GE(all, 495);
  EXPECT_LE(retries, all / 5 + 1);
  EXPECT_GE(retries, all / 5 - 10);
}

// Line 0 has fresh records, line 1 nothing but retries, and the target takes one at a time.
std::pair<int, int> attempts_at_a_full_target(std::vector<RouteOptions> routes, bool fresh) {
  Rush rush(with_share(routes, 20, 1));
  rush.add_line(1, static_cast<std::uint16_t>(routes.size() - 1));
  rush.limit(0, {0});
  rush.limit(1, {1});
  rush.be_slow();
  rush.fails(1, true);
  rush.arrive(1, 20);
  rush.run(40);
  rush.retries_of_all();
  if (fresh) rush.arrive(0, 2000);
  rush.run(500);
  return rush.retries_of_all();
}

TEST(Sharing, lines_without_limits_share_the_targets_room) {
  const std::vector<RouteOptions> routes{route_with(0, 0), route_with(0, 0)};
  const auto [retries, all] = attempts_at_a_full_target(routes, true);
  EXPECT_GE(all, 499);
  EXPECT_LE(retries, all / 5 + 1);
  EXPECT_GE(retries, all / 5 - 5);
  EXPECT_GE(attempts_at_a_full_target(routes, false).first, 499);
}

TEST(Sharing, lines_with_limits_of_their_own_share_the_targets_room) {
  const auto [retries, all] = attempts_at_a_full_target({route_with(1, 0)}, true);
  EXPECT_GE(all, 490);
  EXPECT_LE(retries, all / 5 + 1);
  EXPECT_GE(retries, all / 8);
  EXPECT_GE(attempts_at_a_full_target({route_with(1, 0)}, false).first, 490);
}

// They could hold permits for all that the target takes, and no fresh record would be asked for.
TEST(Sharing, many_lines_with_nothing_but_retries_do_not_keep_a_fresh_one_from_asking) {
  Rush rush(with_share({route_with(1, 0)}, 20, 1));
  rush.limit(0, {0});
  rush.be_slow();
  for (std::uint32_t line = 1; line <= 60; ++line) {
    rush.add_line(line, 0);
    rush.limit(line, {static_cast<int>(line)});
    rush.fails(line, true);
    rush.arrive(line, 3);
  }
  rush.run(400);
  rush.arrive(0, 2000);
  rush.run(200);
  rush.retries_of_all();
  rush.run(500);
  const auto [retries, all] = rush.retries_of_all();
  EXPECT_GE(all, 490);
  EXPECT_LE(retries, all / 5 + 1);
}

TEST(Sharing, a_line_that_is_bound_by_its_own_limit_competes_with_nobody) {
  Two two(with_share({route_with(1, 0)}, 20), {0}, {1});
  const auto [retries, all] = two.rush.retries_of_all();
  EXPECT_GE(retries, 495);
  EXPECT_GE(all - retries, 495);
}

TEST(Sharing, another_routes_limit_is_no_reason_to_wait) {
  std::vector<RouteOptions> routes{route_with(1, 1), route_with(1, 1)};
  routes[1].limits[0] = LimitId{7};
  Two two(with_share(routes, 20), {0}, {1});
  const auto [retries, all] = two.rush.retries_of_all();
  EXPECT_GE(retries, 495);
  EXPECT_GE(all - retries, 495);
}

TEST(Sharing, lines_with_both_kinds_leave_the_share_to_others_in_turn) {
  Rush rush(with_share({route_with(2, 1)}, 20));
  rush.add_line(1, 0);
  rush.limit(0, {0, 1});
  rush.limit(1, {0, 2});
  for (const std::uint32_t line : {0u, 1u}) rush.fails(line, true), rush.arrive(line, 20);
  rush.run(80);
  rush.fails(0, false);
  // Line 0 has both kinds for long; line 1 only retries.
  rush.arrive(0, 3000);
  rush.run(100);
  rush.fails(0, true);
  rush.arrive(0, 20);
  rush.retries_of_all();
  const std::size_t from = rush.sent.size();
  rush.run(1000);
  const auto [retries, all] = rush.retries_of_all();
  EXPECT_GE(all, 990);
  EXPECT_LE(retries, all / 5 + 2);
  EXPECT_GE(retries, all / 5 - 20);
  for (const std::uint32_t line : {0u, 1u}) {
    const auto its =
        std::count_if(rush.sent.begin() + static_cast<std::ptrdiff_t>(from), rush.sent.end(),
                      [&](const Rush::Sent& s) { return s.retry && s.line == line; });
    EXPECT_GE(its, retries / 4) << "line " << line;
  }
}

// Answers the line's open ask with this many permits, due now; the shared limit has no more.
void grant(BenchGate& bench, std::uint32_t line, int permits, Duration retry = kTick) {
  const std::vector<Ask> asks = bench.all<Ask>();
  const auto last = std::find_if(asks.rbegin(), asks.rend(),
                                 [&](const Ask& ask) { return ask.line == LineId{line}; });
  ASSERT_NE(last, asks.rend());
  bench.due.assign(static_cast<std::size_t>(permits), Duration{});
  bench.put(PermitsAnswered{last->line, last->ask, bench.due, bench.now, retry, LimitIndex{0}});
}

TEST(Sharing, what_one_line_has_asked_for_no_other_is_given) {
  BenchGate bench(with_share({route_with(2, 1)}, 20));
  bench.assign(0);
  std::uint32_t number = 1;
  for (const std::uint32_t line : {1u, 2u}) {
    bench.gate.add_line(LineId{line}, RouteId{0}, true);
    for (const std::uint32_t end = number + 3; number < end; ++number) {
      bench.arrive(number, number, 0, line);
      bench.answer({0});
      bench.ended(number, Outcome::retry);
    }
    bench.pass(kTick);
  }
  grant(bench, 1, 0);
  grant(bench, 2, 0);
  for (std::uint32_t i = 10; i < 100; ++i) bench.arrive(i, i);
  std::size_t seen = bench.all<Ask>().size();
  int fresh = 0;
  // Until a line with nothing but a retry is let ask, for the credit of those that have left.
  for (; fresh < 50; ++fresh) {
    bench.pass(kTick);
    ASSERT_EQ(bench.all<Ask>().size(), seen + 1) << "one at a time";
    seen = bench.all<Ask>().size();
    if (bench.all<Ask>().back().line != LineId{0}) break;
    grant(bench, 0, 1);
    bench.ended(bench.sent().back(), Outcome::accepted);
  }
  EXPECT_GE(fresh, 2) << "with the six that went before: credit for two";
  EXPECT_LT(fresh, 50);
  EXPECT_EQ(bench.all<Ask>().back().max, Permits{2}) << "of three, for there is credit for two";
  grant(bench, bench.all<Ask>().back().line.value, 1);
  bench.pass(kTick);
  ASSERT_GT(bench.all<Ask>().size(), seen);
  EXPECT_EQ(bench.all<Ask>()[seen].line, LineId{0}) << "both wait, and there was credit for one";
}

// Line 1 waits for the limit with a retry, for which there is no credit for long.
TEST(Sharing, a_fresh_record_goes_before_long_where_its_line_waited_with_a_retry) {
  Rush rush(with_share({route_with(1, 1)}, 1));
  for (const std::uint32_t line : {1u, 2u}) rush.add_line(line, 0);
  for (const std::uint32_t line : {0u, 1u, 2u}) rush.limit(line, {0});
  rush.fails(1, true);
  rush.arrive(1, 1);
  for (const std::uint32_t line : {0u, 2u}) rush.arrive(line, 100);
  rush.run(20);
  rush.sent.clear();
  rush.arrive(1, 1);
  rush.run(20);
  const auto its = [](const Rush::Sent& sent) { return sent.line == 1 && !sent.retry; };
  EXPECT_EQ(std::count_if(rush.sent.begin(), rush.sent.end(), its), 1);
}

// A target of one place, with three lines of one limit with a key each; line 2's attempt hangs. A
// record of line 1 has failed, and what its limit grants lies ahead: it may be asked for before
// there is a place.
TEST(Sharing, retries_ask_for_nothing_while_a_fresh_record_waits_for_the_target_and_then_at_once) {
  RouteOptions route = route_with(1, 0);
  route.horizon = Duration::millis(500);
  route.dead_letter = true;
  BenchGate bench(with_share({route}, 20, 1));
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0, 0, 1);
  bench.answer({1});
  bench.pass(kTick);
  bench.ended(0, Outcome::retry);
  bench.arrive(1, 1, 0, 2);
  bench.answer({0});
  RecordArrived fresh{PartitionId{0}, RecordId{2, 0}, Offset{2}, LineId{0}, std::nullopt, Bytes{1}};
  fresh.expires = bench.now + kTick * 10;
  bench.put(fresh);
  bench.answer({0});
  ASSERT_EQ(bench.sent(), (Slots{0, 1}));
  bench.pass(kTick * 9);
  EXPECT_EQ(bench.all<Ask>().size(), 3u) << "the retry is ready, and has its turn behind line 0";
  bench.pass(kTick);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  ASSERT_EQ(bench.all<Ask>().size(), 4u) << "nobody waits before it any more";
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
}

// Line 1 stands first, and its partition is given back: it has nothing but a retry then, whose turn
// it is not while line 2 has a fresh record.
TEST(Sharing, whose_fresh_record_is_given_back_keeps_nobody_from_asking) {
  BenchGate bench(with_share({route_with(1, 0)}, 20, 1));
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  for (const std::uint32_t partition : {0u, 1u}) bench.assign(partition);
  bench.arrive(0, 0, 0, 1);
  bench.answer({0});
  bench.ended(0, Outcome::retry);
  bench.arrive(1, 1);  // Asks for all that the target takes; the others wait for their turn.
  bench.arrive(2, 0, 1, 1);
  bench.pass(kTick);
  bench.arrive(3, 2, 0, 2);
  bench.put(PartitionRevoked{PartitionId{1}, bench.now});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({}, kTick * 100);
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{2});
}

// Line 0 has a fresh record and a retry, for which it has saved up; line 1 has spent what the
// target has for retries, and wants a place too. `aside`: it had its part of the places, and would
// wait for others if line 2, whose attempt hangs, had not been paused since.
Slots sent_after_a_hold(bool aside) {
  BenchGate bench(with_share({route_with(0, 0)}, 50, 3));
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1, 0, 1);
  bench.arrive(2, 2, 0, 2);
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    bench.ended(1, Outcome::retry, attempt);
    bench.pass(kTick);
  }
  if (!aside) bench.ended(1, Outcome::accepted, 4);
  bench.ended(0, Outcome::retry, 1, kTick * 10);
  bench.pass(kTick);
  bench.arrive(3, 3);
  bench.arrive(4, 4, 0, 1);
  bench.put(LinePaused{LineId{2}, true});
  const std::size_t before = bench.sent().size();
  bench.pass(kTick * 10);
  const Slots sent = bench.sent();
  return {sent.begin() + static_cast<std::ptrdiff_t>(before), sent.end()};
}

TEST(Sharing, a_retry_that_the_targets_share_does_not_pay_for_goes_behind_those_who_wait) {
  EXPECT_EQ(sent_after_a_hold(false), (Slots{3, 4}));
  EXPECT_EQ(sent_after_a_hold(true), (Slots{3}));
}

// Its breaker is open, and a line that waited for its turn has nothing but a retry by then: it goes
// to wait for its share, and the turn is the next one's.
TEST(Sharing, whoever_loses_his_fresh_records_keeps_nobody_from_his_turn) {
  GateOptions options = with_share({route_with(1, 1)}, 20);
  options.targets[0].breaker = {.failures = 1, .wait = kTick * 100};
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.assign(1);
  bench.arrive(0, 0);
  grant(bench, 0, 1);
  bench.ended(0, Outcome::retry);
  bench.pass(kTick);
  grant(bench, 0, 1);
  bench.ended(0, Outcome::retry, 2);  // The first probe.
  bench.arrive(1, 0, 1);
  bench.pass(kTick * 2);  // The retry is ready too.
  bench.arrive(2, 1, 0, 1);
  bench.put(PartitionRevoked{PartitionId{1}, bench.now});
  bench.commands.clear();
  bench.pass(kTick * 100);
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  EXPECT_EQ(bench.all<Ask>()[0].line, LineId{1});
}

}  // namespace
}  // namespace einlass::core
