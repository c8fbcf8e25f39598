// Limits on attempts under way: their ends, and the lines that they hold back.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

RouteOptions held_route() {
  RouteOptions route = limited_route();
  route.held_limits = 1;
  return route;
}

TEST(UnderWay, the_end_of_an_attempt_is_told_and_followed_by_the_next_ask) {
  BenchGate bench(BenchGate::options_for(held_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({0});
  bench.arrive(1, 1);
  bench.answer({}, Duration::seconds(30));  // When the first one's lease would end.
  const std::size_t asks = bench.all<Ask>().size();
  bench.ended(0, Outcome::accepted);
  ASSERT_EQ(bench.all<Ended>().size(), 1u);
  EXPECT_EQ(bench.all<Ended>()[0].permit.ask, bench.all<Send>()[0].permit.ask);
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
}

TEST(UnderWay, places_that_others_free_are_looked_for_soon) {
  BenchGate bench(BenchGate::options_for(held_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({}, Duration::seconds(30));
  bench.pass(Duration::millis(20));
  EXPECT_EQ(bench.all<Ask>().size(), 2u);
}

// That answer knows nothing of the place, and nobody else would look for it soon.
TEST(UnderWay, a_place_that_comes_free_while_an_ask_is_open_is_asked_for) {
  for (const std::uint32_t shared : {0u, 1u}) {
    RouteOptions route = held_route();
    route.keyless_limits = shared;
    BenchGate bench(BenchGate::options_for(route));
    bench.assign(0);
    for (std::uint32_t record = 0; record < 2; ++record) {
      bench.arrive(record, record);
      bench.answer({0});
    }
    for (std::uint32_t record = 2; record < 6; ++record) bench.arrive(record, record);
    bench.answer({}, Duration::seconds(30));
    bench.ended(0, Outcome::accepted);
    const std::size_t asks = bench.all<Ask>().size();
    bench.ended(1, Outcome::accepted);
    EXPECT_EQ(bench.all<Ask>().size(), asks) << "one is open";
    bench.answer({0}, Duration::seconds(30));
    EXPECT_EQ(bench.all<Ask>().size(), asks + 1) << "the end of the second";
    bench.answer({0}, Duration::seconds(30));
    EXPECT_EQ(bench.all<Ask>().size(), asks + 1) << "nothing has ended since";
    EXPECT_EQ(bench.sent().size(), 4u);
  }
}

// A limit on attempts under way over lines of one record each or more, and what its holder answers.
struct HeldLines {
  HeldLines(std::uint32_t lines, std::int64_t limit, const RouteOptions& route = held_route(),
            std::uint32_t each = 1, std::uint32_t places = 64)
      : bench(BenchGate::options_for(route, places)), free(limit) {
    bench.assign(0);
    for (std::uint32_t i = 1; i <= lines; ++i) {
      bench.gate.add_line(LineId{i}, RouteId{0}, false);
      for (std::uint32_t n = (i - 1) * each + 1; n <= i * each; ++n) bench.arrive(n, n, 0, i);
    }
  }

  // Each attempt ends after so long. Whoever asks beside us takes what is left free at the end of
  // a turn, and keeps it.
  void run(Duration time, Duration takes, bool others = false) {
    const Instant end = bench.now + time;
    for (; bench.now < end; bench.now = bench.now + Duration::millis(1)) {
      bench.put(TimePassed{});
      while (!sent.empty() && sent.front().first <= bench.now) {
        ++free;
        bench.ended(sent.front().second, Outcome::accepted);
        sent.pop_front();
        answer(takes);
      }
      answer(takes);
      if (others) taken += std::exchange(free, 0);
    }
  }

  void answer(Duration takes) {
    for (; seen < bench.commands.size(); ++seen) {
      const Command command = bench.commands[seen];
      if (const auto* ask = std::get_if<Ask>(&command)) {
        const std::int64_t granted = std::min(free, ask->max.value);
        free -= granted;
        const std::vector<Duration> due(static_cast<std::size_t>(granted));
        std::optional<Duration> retry;
        if (granted < ask->max.value) retry = Duration::seconds(30);
        bench.put(PermitsAnswered{ask->line, ask->ask, due, bench.now, retry, LimitIndex{0}});
      } else if (const auto* send = std::get_if<Send>(&command)) {
        sent.emplace_back(bench.now + takes, send->record.slot);
      }
    }
  }

  BenchGate bench;
  std::int64_t free;
  std::int64_t taken = 0;
  std::deque<std::pair<Instant, std::uint32_t>> sent;
  std::size_t seen = 0;
};

TEST(UnderWay, lines_held_back_by_one_limit_ask_no_more_often_than_one_line) {
  HeldLines many(1000, 5);
  many.run(Duration::seconds(1), Duration::seconds(60));
  EXPECT_EQ(many.bench.sent().size(), 5u);
  // Each once when it came, and then one for all.
  EXPECT_LE(many.bench.all<Ask>().size(), 1000u + 110u);
}

TEST(UnderWay, each_end_lets_another_of_them_in_at_once) {
  HeldLines many(1000, 5);
  many.run(Duration::seconds(2), Duration::millis(10));
  // Five each 10 ms take two seconds for a thousand; now and then some are left to others.
  EXPECT_GE(many.bench.sent().size(), 980u);
  EXPECT_LE(many.bench.all<Ask>().size(), 2 * 1000u + 220u) << "one when it came, and one in turn";
}

TEST(UnderWay, a_gate_with_all_the_places_leaves_some_to_others) {
  HeldLines many(1000, 5);
  many.run(Duration::seconds(4), Duration::millis(50), true);
  EXPECT_GE(many.taken, 3);
}

// Whose next ask is for many would take along what it has just left; and records of one key may be
// in several gates.
TEST(UnderWay, one_line_with_all_the_places_leaves_some_to_others) {
  for (const std::uint32_t keyless : {1u, 0u}) {
    SCOPED_TRACE(keyless);
    RouteOptions route = held_route();
    route.keyless_limits = keyless;
    HeldLines one(1, 5, route, 1000);
    one.run(Duration::seconds(4), Duration::millis(50), true);
    EXPECT_GE(one.taken, 3);
  }
}

// It has all places of its target but the eighth that stays free, and waits aside for one of its
// own to end. Its attempts are so slow that it asks for nothing before.
TEST(UnderWay, who_waits_aside_for_a_place_leaves_some_to_others) {
  RouteOptions route = held_route();
  route.keyless_limits = 0;
  HeldLines one(1, 7, route, 1000, 8);
  one.run(Duration::seconds(4), Duration::millis(400), true);
  EXPECT_GE(one.taken, 3);
}

// Where there are many lines each has few places that are its own, but may take more.
TEST(UnderWay, nothing_is_left_to_others_while_the_line_may_take_more) {
  BenchGate bench(BenchGate::options_for(held_route()));
  bench.assign(0);
  for (std::uint32_t i = 1; i <= 40; ++i) {
    bench.gate.add_line(LineId{i}, RouteId{0}, true);
    bench.arrive(i, i, 0, i);
    bench.answer({0});
  }
  bench.ended(1, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  bench.ended(2, Outcome::accepted);
  const std::size_t asks = bench.all<Ask>().size();
  bench.arrive(41, 41, 0, 1);
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
}

TEST(UnderWay, lines_of_two_targets_that_share_a_limit_are_let_in_in_turn) {
  GateOptions options = BenchGate::options_for(held_route());
  options.routes.push_back(options.routes[0]);
  options.routes[1].target = TargetId{1};
  options.targets.push_back(options.targets[0]);
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  bench.arrive(0, 0);
  bench.answer({0});  // The only place.
  bench.arrive(1, 0, 1, 1);
  bench.answer({}, Duration::seconds(30));
  bench.arrive(2, 1);
  bench.answer({}, Duration::seconds(30));
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1}) << "it has waited longer";
}

TEST(UnderWay, an_abandoned_attempt_keeps_its_place_until_it_ends) {
  BenchGate bench(BenchGate::options_for(held_route()));
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.assign(0);
  bench.arrive(0, 0, 0, 1);
  bench.answer({0});
  bench.put(PartitionLost{PartitionId{0}});
  bench.put(PartitionRevoked{PartitionId{0}, bench.now});
  bench.pass(Duration::seconds(1));
  EXPECT_TRUE(bench.all<ForgetLine>().empty());
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.all<Ended>().size(), 1u);
  EXPECT_EQ(bench.all<ForgetLine>().size(), 1u);
}

}  // namespace
}  // namespace einlass::core
