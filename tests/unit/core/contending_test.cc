// Lines that contend for limits without key.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/gate/gate.h"
#include "core/lines/keyless_limit.h"
#include "unit/core/bench_gate.h"
#include "unit/core/rush.h"

namespace einlass::core {
namespace {

RouteOptions route_of(std::vector<std::uint16_t> limits) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = static_cast<std::uint8_t>(limits.size());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    route.keyless_limits |= 1u << i;
    route.limits[i] = LimitId{limits[i]};
  }
  return route;
}

GateOptions with(std::vector<RouteOptions> routes) {
  GateOptions options = BenchGate::options_for(routes[0]);
  options.routes = std::move(routes);
  return options;
}

std::int64_t sent_by(const Rush& rush, std::uint32_t first, std::uint32_t last) {
  return std::count_if(rush.sent.begin(), rush.sent.end(), [&](const Rush::Sent& sent) {
    return sent.line >= first && sent.line <= last;
  });
}

void deny(BenchGate& bench, const Ask& ask, Duration retry, LimitIndex short_of = LimitIndex{0}) {
  bench.put(PermitsAnswered{ask.line, ask.ask, {}, bench.now, retry, short_of, ask.horizon});
}

// All that it is for.
void grant(BenchGate& bench, const Ask& ask) {
  const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
  bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now});
}

// The lines that have asked, in order.
Slots askers(const BenchGate& bench) {
  Slots lines;
  for (const Ask& ask : bench.all<Ask>()) lines.push_back(ask.line.value);
  return lines;
}

// Lines 0 to 2 want limit 0 alone; line 3 wants limit 1 too, which gives a permit in 500 ticks.
TEST(Contending, who_waits_for_one_limit_keeps_nobody_from_another) {
  Rush rush(with({route_of({0}), route_of({0, 1})}));
  for (const std::uint32_t line : {1u, 2u}) rush.add_line(line, 0);
  rush.add_line(3, 1);
  for (const std::uint32_t line : {0u, 1u, 2u}) rush.limit(line, {0});
  rush.limit(3, {0, 1});
  rush.gives_each(1, kTick * 500);
  for (const std::uint32_t line : {0u, 1u, 2u, 3u}) rush.arrive(line, 3000);
  rush.run(2000);
  EXPECT_GE(sent_by(rush, 0, 2), 1980);
  EXPECT_GE(sent_by(rush, 3, 3), 3);
}

// Somebody else may take what comes: whose turn it was asks again before the others.
TEST(Contending, who_asked_in_its_turn_and_was_given_nothing_is_the_first_again) {
  BenchGate bench(with({route_of({0})}));
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  for (const std::uint32_t line : {0u, 1u, 2u}) bench.arrive(line, line, 0, line);
  // Nobody knew that the limit is short; from here on one asks at a time.
  for (const Ask& ask : bench.all<Ask>()) deny(bench, ask, Duration::millis(10));
  Slots asked;
  for (int turn = 0; turn < 4; ++turn) {
    bench.pass(Duration::millis(10));
    asked.push_back(bench.all<Ask>().back().line.value);
    deny(bench, bench.all<Ask>().back(), Duration::millis(10));
  }
  EXPECT_EQ(asked, Slots(4, asked[0]));
  bench.pass(Duration::millis(10));
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{asked[0]});
}

// Those of the other route book what comes due within 50 ms; line 0 takes only what is due.
TEST(Contending, who_does_not_look_ahead_asks_when_it_was_told_to) {
  RouteOptions ahead = route_of({0, 1});
  ahead.horizon = Duration::millis(50);
  BenchGate bench(with({route_of({0}), ahead}));
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  bench.arrive(0, 0);
  for (const std::uint32_t line : {1u, 2u, 3u}) {
    bench.gate.add_line(LineId{line}, RouteId{1}, true);
    bench.arrive(line, line, 1, line);
  }
  for (const Ask& ask : bench.all<Ask>()) deny(bench, ask, Duration::millis(10));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.all<Ask>().back().horizon, ahead.horizon);
    bench.answer({10 + i});
  }
  EXPECT_EQ(bench.all<Ask>().size(), 7u) << "and none of line 0";
  bench.pass(Duration::millis(10));
  EXPECT_EQ(askers(bench).back(), 0u);
}

// What it was told may be wrong by then.
TEST(Contending, who_does_not_look_ahead_asks_again_within_half_a_minute) {
  RouteOptions ahead = route_of({0, 1});
  ahead.horizon = Duration::millis(50);
  BenchGate bench(with({route_of({0}), ahead}));
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  bench.arrive(0, 0);
  bench.arrive(1, 1, 1, 1);
  for (const Ask& ask : bench.all<Ask>()) deny(bench, ask, Duration::seconds(3600));
  bench.pass(Duration::seconds(31));
  bench.answer({0});
  bench.pass(Duration::millis(1));
  EXPECT_EQ(std::ranges::count(askers(bench), 0u), 2);
}

// Else what was short once would be asked by one line at a time for ever, and the last of many
// lines would wait for the answers to all others one after the other.
TEST(Contending, each_answer_that_is_not_short_lets_twice_as_many_lines_ask_at_once) {
  BenchGate bench(with({route_of({0})}));
  bench.assign(0);
  for (std::uint32_t line = 0; line < 8; ++line) {
    if (line > 0) bench.gate.add_line(LineId{line}, RouteId{0}, true);
    bench.arrive(line, line, 0, line);
  }
  for (const Ask& ask : bench.all<Ask>()) deny(bench, ask, Duration::millis(10));
  std::size_t answered = bench.all<Ask>().size();
  bench.pass(Duration::millis(10));
  std::vector<std::size_t> open;
  for (; answered < bench.all<Ask>().size(); ++answered) {
    open.push_back(bench.all<Ask>().size() - answered);
    grant(bench, bench.all<Ask>()[answered]);
  }
  EXPECT_EQ(open, (std::vector<std::size_t>{1, 2, 4, 5, 4, 3, 2, 1}));
}

// A line with a backlog is looked at first when its ask is answered, and when a record comes: it
// would ask again and again before those that have one record each.
TEST(Contending, who_wants_more_asks_again_when_those_who_wait_have_had_their_turns) {
  BenchGate bench(with({route_of({0})}));
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0);
  deny(bench, bench.all<Ask>().back(), Duration::millis(10));
  bench.arrive(1, 1, 0, 1);
  bench.arrive(2, 2, 0, 2);
  for (std::uint32_t record = 3; record < 13; ++record) bench.arrive(record, record);
  bench.pass(Duration::millis(10));
  for (std::size_t ask = 1; ask < 4; ++ask) grant(bench, bench.all<Ask>().at(ask));
  EXPECT_EQ(askers(bench), (Slots{0, 0, 1, 2, 0}));
}

TEST(Contending, who_comes_just_when_something_can_be_had_again_stands_behind_those_who_wait) {
  BenchGate bench(with({route_of({0})}));
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0);
  deny(bench, bench.all<Ask>().back(), Duration::millis(10));
  bench.now = bench.now + Duration::millis(10);
  bench.arrive(1, 1, 0, 1);  // Before the alarm has gone off.
  bench.pass(Duration{});
  EXPECT_EQ(askers(bench), (Slots{0, 0}));
}

// Limit 0 gives a permit each 10 ms, limit 1 none for half a second. Line 1 wants both: in the
// queue of limit 0 it would have its turns there for nothing, and be denied each time.
TEST(Contending, a_line_waits_where_it_was_denied_whatever_else_is_short) {
  BenchGate bench(with({route_of({0}), route_of({0, 1})}));
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  bench.arrive(0, 0, 1, 1);
  deny(bench, bench.all<Ask>().back(), Duration::millis(500), LimitIndex{1});
  bench.arrive(1, 0);
  deny(bench, bench.all<Ask>().back(), Duration::millis(10));
  for (std::uint32_t record = 2; record < 40; ++record) bench.arrive(record, record);
  bench.arrive(40, 1, 1, 1);  // Line 1 is looked at again.
  Slots expected{1, 0};
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    bench.pass(Duration::millis(10));
    bench.answer({0}, Duration::millis(10));
    expected.push_back(0);
  }
  EXPECT_EQ(askers(bench), expected);
}

// A target that takes one record at a time: its lines ask in turn. Line 1 has had its turn, and was
// denied; what another line has asked for meanwhile does not send it back to the end.
TEST(Contending, who_had_its_turn_at_the_target_asks_as_soon_as_its_limit_lets_it) {
  GateOptions options = with({route_of({0}), keyed()});
  options.targets[0].max_in_flight = 1;
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.gate.add_line(LineId{2}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  bench.arrive(0, 0, 0, 1);
  bench.arrive(1, 1);
  ASSERT_EQ(bench.all<Ask>().size(), 1u) << "for all that the target takes";
  bench.answer({}, Duration::millis(10));
  bench.arrive(2, 0, 1, 2);
  ASSERT_EQ(bench.all<Ask>().back().line, LineId{2});
  bench.pass(Duration::millis(10));
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
}

// Each limit has two lines of its own and one that wants both.
TEST(Contending, who_wants_two_limits_gets_both) {
  Rush rush(with({route_of({0}), route_of({1}), route_of({0, 1})}));
  rush.add_line(1, 0);
  rush.add_line(2, 1);
  rush.add_line(3, 1);
  rush.add_line(4, 2);
  for (const std::uint32_t line : {0u, 1u}) rush.limit(line, {0});
  for (const std::uint32_t line : {2u, 3u}) rush.limit(line, {1});
  rush.limit(4, {0, 1});
  for (const std::uint32_t line : {0u, 1u, 2u, 3u, 4u}) rush.arrive(line, 1500);
  rush.run(1000);
  EXPECT_GE(sent_by(rush, 4, 4), 1000 / 6) << "about a third of each would be its turn";
  EXPECT_LE(sent_by(rush, 4, 4), 1000 / 2);
  EXPECT_GE(sent_by(rush, 0, 3) + 2 * sent_by(rush, 4, 4), 1975) << "nothing is left unused";
}

TEST(Contending, a_long_time_without_shortage_makes_nobodys_turn_long) {
  constexpr std::uint32_t kLines = 100;
  Rush rush(with({route_of({0})}));
  rush.limit(0, {0});
  rush.gives_each(0, Duration{});
  for (int i = 0; i < 5000; ++i) rush.arrive(0, 1);
  ASSERT_EQ(rush.sent.size(), 5000u);
  rush.gives_each(0, kTick);
  rush.sent.clear();
  for (std::uint32_t line = 1; line <= kLines; ++line) {
    rush.add_line(line, 0);
    rush.limit(line, {0});
  }
  for (std::uint32_t line = 1; line <= kLines; ++line) rush.arrive(line, 100);
  rush.run(2);
  rush.most_asked = Permits{0};
  rush.run(kLines + 10);
  EXPECT_EQ(rush.most_asked, Permits{4});
  for (std::uint32_t line = 1; line <= kLines; ++line) {
    EXPECT_GE(sent_by(rush, line, line), 1) << line;
  }
}

// Limit 0 is short: lines of another target ask it in turn. The target of line 0 takes one record
// at a time, for 100 ms each, and line 1, which has another limit, always has more for it.
struct ShortAndFull {
  ShortAndFull() : bench(options()) {
    bench.gate.add_line(LineId{1}, RouteId{1}, true);
    for (const std::uint32_t line : {2u, 3u, 4u}) {
      bench.gate.add_line(LineId{line}, RouteId{2}, true);
    }
    for (std::uint16_t i = 0; i < 3; ++i) {
      bench.put(PartitionAssigned{PartitionId{i}, RouteId{i}, Offset{0}});
    }
  }

  static GateOptions options() {
    GateOptions options = with({route_of({0}), keyed(), route_of({0})});
    options.targets[0].max_in_flight = 1;
    options.targets.push_back({64});
    options.routes[2].target = TargetId{1};
    for (RouteOptions& route : options.routes) route.inside_records = 10'000;
    return options;
  }

  // Grants line 1 all, and the others one each 10 ms; all attempts but those of the first target
  // end at once.
  void play() {
    for (; seen < bench.commands.size(); ++seen) {
      const Command command = bench.commands[seen];
      if (const auto* ask = std::get_if<Ask>(&command)) {
        answer(*ask);
      } else if (const auto* send = std::get_if<Send>(&command)) {
        if (send->target == TargetId{0}) {
          at_target = send->record.slot;
        } else {
          bench.ended(send->record.slot, Outcome::accepted);
        }
      }
    }
  }

  void answer(const Ask& ask) {
    if (ask.line == LineId{1}) return grant(bench, ask);
    const bool has = next <= bench.now;
    if (has) next = bench.now + Duration::millis(10);
    const std::vector<Duration> due(static_cast<std::size_t>(has));
    PermitsAnswered event{ask.line, ask.ask, due, bench.now};
    if (!has || ask.max > Permits{1}) event.retry = next - bench.now;
    bench.put(event);
  }

  void arrive(std::uint32_t record, std::uint32_t offset, std::uint32_t partition,
              std::uint32_t line) {
    bench.arrive(record, offset, partition, line);
    play();
  }

  BenchGate bench;
  Instant next = bench.now;
  std::optional<std::uint32_t> at_target;
  std::size_t seen = 0;
};

TEST(Contending, who_waits_for_a_full_target_and_for_a_short_limit_gets_both) {
  ShortAndFull world;
  for (std::uint32_t i = 0; i < 1'200; ++i) world.arrive(10'000 + i, i, 2, 2 + i % 3);
  for (std::uint32_t i = 0; i < 200; ++i) world.arrive(1'000 + i, i, 1, 1);
  for (std::uint32_t i = 0; i < 100; ++i) world.arrive(i, i, 0, 0);
  for (int step = 0; step < 2'000; ++step) {  // 10 s.
    world.bench.pass(Duration::millis(5));
    world.play();
    if (step % 20 != 0 || !world.at_target) continue;
    world.bench.ended(*std::exchange(world.at_target, std::nullopt), Outcome::accepted);
    world.play();
  }
  const auto sent = world.bench.sent();
  EXPECT_GE(std::ranges::count_if(sent, [](auto slot) { return slot < 100; }), 20);
}

}  // namespace
}  // namespace einlass::core
