// Asks that fail, and how often is asked.
#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

TEST(Asking, a_failed_ask_is_asked_again_with_the_same_numbers) {
  BenchGate bench(BenchGate::options_for(limited_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  const Ask first = bench.all<Ask>().at(0);
  EXPECT_FALSE(first.again);
  bench.put(PermitsFailed{LineId{0}, first.ask});
  bench.arrive(1, 1);  // More could be asked for now; but first, what became of that?
  bench.pass(Duration::millis(50));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  const Ask second = bench.all<Ask>()[1];
  EXPECT_TRUE(second.again);
  EXPECT_EQ(second.ask, first.ask);
  EXPECT_EQ(second.max, first.max);
  bench.answer({-20});  // It was granted then, for an instant that has passed.
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.all<Send>()[0].permit.stamp, bench.now - Duration::millis(20));
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_FALSE(bench.all<Ask>()[2].again);
}

TEST(Asking, permits_that_came_too_late_go_back_and_others_are_asked_for) {
  BenchGate bench(BenchGate::options_for(limited_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.put(PermitsFailed{LineId{0}, bench.all<Ask>()[0].ask});
  bench.pass(Duration::millis(50));
  bench.answer({-101});
  EXPECT_TRUE(bench.sent().empty());
  ASSERT_EQ(bench.all<Release>().size(), 1u);
  EXPECT_EQ(bench.all<Release>()[0].age, Duration::millis(101));
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

RouteOptions route_in_slots() {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(500);
  route.slot = Duration::millis(5);
  return route;
}

TEST(Asking, permits_that_come_due_in_one_slot_leave_together_at_its_end) {
  BenchGate bench(BenchGate::options_for(route_in_slots()));
  ASSERT_EQ(bench.now.us % 5'000, 0);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 5; ++i) bench.arrive(i, i);
  bench.answer({0});
  bench.answer({1, 4, 5, 6});
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.pass(Duration::micros(4'999));
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.pass(Duration::micros(1));
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2, 3}));
  EXPECT_EQ(bench.gate.next_wakeup(), bench.now + Duration::millis(5));
}

TEST(Asking, whoever_is_awake_does_not_wait_for_the_end_of_a_slot) {
  BenchGate bench(BenchGate::options_for(route_in_slots()));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 3; ++i) bench.arrive(i, i);
  bench.answer({0});
  bench.answer({1, 3});
  bench.pass(Duration::millis(2));
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.arrive(3, 3);  // Something else than an alarm.
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
}

TEST(Asking, a_record_whose_key_or_cost_is_bad_is_a_dead_letter_in_its_turn) {
  RouteOptions route = limited_route();
  route.order = Order::partition;
  route.dead_letter = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({0});
  RecordArrived bad{PartitionId{0}, RecordId{1, 0}, Offset{1}, LineId{0}, std::nullopt, Bytes{1}};
  bad.doom = DeadLetterReason::bad_key;
  bench.put(bad);
  EXPECT_TRUE(bench.all<DeadLetter>().empty());  // The one before it is still under way.
  bench.ended(0, Outcome::accepted);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::bad_key);
  bench.put(DeadLetterEnded{RecordId{1, 0}, true});
  bench.pass(Duration::millis(200));
  EXPECT_EQ(bench.all<Commit>().back().entries[0].next, Offset{2});
}

// A target that takes many lines' records, a few at a time: each attempt ends after so long.
struct ManyLines {
  ManyLines(std::uint32_t lines, Duration each_takes)
      : bench(BenchGate::options_for(limited_route())), takes(each_takes) {
    bench.assign(0);
    for (std::uint32_t i = 1; i <= lines; ++i) {
      bench.gate.add_line(LineId{i}, RouteId{0}, false);
      bench.arrive(i, i, 0, i);
    }
  }

  // Answers each ask at once, with permits that are due `ahead`, until `end`.
  void run(Instant end, Duration ahead) {
    for (; bench.now < end; bench.now = bench.now + Duration::millis(1)) {
      bench.put(TimePassed{});
      while (!sent.empty() && sent.front().first <= bench.now) {
        bench.ended(sent.front().second, Outcome::accepted);
        sent.pop_front();
      }
      for (; seen < bench.commands.size(); ++seen) {
        const Command command = bench.commands[seen];
        if (const auto* ask = std::get_if<Ask>(&command)) {
          const std::vector<Duration> due(static_cast<std::size_t>(ask->max.value), ahead);
          bench.put(PermitsAnswered{ask->line, ask->ask, due, bench.now});
        } else if (const auto* send = std::get_if<Send>(&command)) {
          sent.emplace_back(bench.now + takes, send->record.slot);
        }
      }
    }
  }

  BenchGate bench;
  Duration takes;
  std::deque<std::pair<Instant, std::uint32_t>> sent;
  std::size_t seen = 0;
};

TEST(Asking, however_many_lines_ask_no_permit_lapses) {
  ManyLines many(1000, Duration::millis(10));
  many.run(many.bench.now + Duration::millis(400), Duration{});
  EXPECT_EQ(many.bench.sent().size(), 1000u);
  EXPECT_TRUE(many.bench.all<Release>().empty());
}

// When the line asks next if its answer is short, the limiter went so far ahead of a horizon of
// 500 ms, and one more permit can be had at once.
Duration asks_next_after(Duration ahead, Duration answer_takes, std::uint64_t seed) {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(500);
  GateOptions options = BenchGate::options_for(route);
  options.seed = seed;
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.now = bench.now + answer_takes;
  const Ask ask = bench.all<Ask>().back();
  bench.put(PermitsAnswered{ask.line, ask.ask, {}, bench.now, Duration{1}, LimitIndex{0}, ahead});
  const std::size_t asks = bench.all<Ask>().size();
  const Instant answered = bench.now;
  while (bench.all<Ask>().size() == asks) {
    bench.now = bench.gate.next_wakeup().value();
    bench.put(TimePassed{});
  }
  return bench.now - answered - Duration{1};
}

TEST(Asking, a_line_waits_no_longer_than_its_limiter_goes_ahead) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Duration wait = asks_next_after(Duration::millis(8), {}, seed);
    EXPECT_GE(wait, Duration::millis(2));
    EXPECT_LE(wait, Duration::millis(6));
    EXPECT_GE(asks_next_after(Duration::millis(500), {}, seed), Duration::millis(125));
    EXPECT_EQ(asks_next_after(Duration{}, {}, seed), Duration{});
  }
}

// What a store says may come of a clock that was wrong, and has been repaired since.
TEST(Asking, whatever_a_store_says_it_is_asked_again_within_half_a_minute) {
  BenchGate bench(BenchGate::options_for(limited_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  for (std::size_t asks = 1; asks < 4; ++asks) {
    ASSERT_EQ(bench.all<Ask>().size(), asks);
    const Duration century = Duration::seconds(100LL * 366 * 86'400);
    const Ask ask = bench.all<Ask>().back();
    bench.put(PermitsAnswered{ask.line, ask.ask, {}, bench.now, century, LimitIndex{0}});
    EXPECT_EQ(bench.gate.standing(0, bench.now)->until, bench.now + century);
    bench.pass(Duration::seconds(15) - Duration{1});
    EXPECT_EQ(bench.all<Ask>().size(), asks);
    bench.pass(Duration::seconds(15) + Duration{1});
  }
}

// Else what comes due on the way there and back is lost.
TEST(Asking, what_an_answer_takes_is_part_of_the_wait) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_LE(asks_next_after(Duration::millis(8), Duration::millis(3), seed), Duration::millis(2));
    EXPECT_EQ(asks_next_after(Duration::millis(8), Duration::millis(9), seed), Duration{});
  }
}

// Permits ahead are kept for later, those that are due must leave soon: neither stands in the way
// of the other.
TEST(Asking, permits_ahead_do_not_hold_up_a_line_whose_permits_are_due) {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(500);
  BenchGate bench(BenchGate::options_for(route, 4));
  bench.assign(0);
  for (std::uint32_t line = 1; line <= 9; ++line) {
    bench.gate.add_line(LineId{line}, RouteId{0}, false);
  }
  for (std::uint32_t line = 1; line <= 8; ++line) {  // Twice the places: no more is wanted ahead.
    bench.arrive(line, line, 0, line);
    ASSERT_EQ(bench.all<Ask>().back().line, LineId{line});
    bench.answer({400});
  }
  bench.arrive(9, 9, 0, 9);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{9});
}

TEST(Asking, permits_that_are_due_do_not_hold_up_a_line_that_holds_some_for_later) {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(40);
  route.keyless_limits = 0;
  BenchGate bench(BenchGate::options_for(route, 4));
  bench.assign(0);
  for (std::uint32_t line = 1; line <= 5; ++line) {
    bench.gate.add_line(LineId{line}, RouteId{0}, false);
  }
  bench.arrive(0, 0, 0, 0);
  bench.answer({0});  // It takes a place.
  bench.arrive(1, 1, 0, 1);
  bench.answer({30});
  // The other three places are asked for, one each: the fourth line must wait, ...
  for (std::uint32_t i = 2; i <= 5; ++i) bench.arrive(i, i, 0, i);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{4});
  // ... and who wants more for later need not.
  bench.arrive(6, 6, 0, 1);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
}

// It may be given something at once, like one who comes new: they take turns.
TEST(Asking, who_is_bound_and_holds_nothing_asks_in_turn) {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(500);
  route.keyless_limits = 0;
  BenchGate bench(BenchGate::options_for(route, 1));
  bench.assign(0);
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, false);
  bench.arrive(0, 0, 0, 1);
  bench.answer({100});
  bench.pass(Duration::millis(101));
  EXPECT_EQ(bench.sent(), Slots{0});  // Its line is bound, and holds nothing; no place is free.
  bench.arrive(1, 1, 0, 2);
  bench.arrive(2, 2, 0, 1);
  const std::size_t asks = bench.all<Ask>().size();
  bench.ended(0, Outcome::accepted);
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{2});
}

// Else each permit would cost the limiter a call.
TEST(Asking, while_a_line_has_permits_left_it_does_not_ask_for_few) {
  RouteOptions route = limited_route();
  route.horizon = Duration::millis(500);
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  for (std::uint32_t i = 0; i <= 10; ++i) bench.arrive(i, i);
  bench.answer({0});
  ASSERT_EQ(bench.all<Ask>().back().max, Permits{10});
  bench.answer(std::vector<int>(10, 400));
  for (std::uint32_t i = 11; i <= 19; ++i) bench.arrive(i, i);
  EXPECT_EQ(bench.all<Ask>().size(), 2u);
  bench.arrive(20, 20);
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().max, Permits{10}) << "as many as it has";
}

// Line 0 has sent a hundred records within the last 50 ms. By its own pace alone line 1 would ask
// for no more than there are places, and could never catch up.
TEST(Asking, a_line_that_comes_new_asks_for_its_part_of_what_its_target_has_been_taking) {
  BenchGate bench(BenchGate::options_for(keyed(), 4));
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 100; ++i) {
    bench.arrive(i, i);
    bench.answer({0});
    bench.ended(i, Outcome::accepted);
  }
  ASSERT_EQ(bench.sent().size(), 100u);
  for (std::uint32_t i = 100; i < 300; ++i) bench.arrive(i, i, 0, 1);
  bench.answer({0});
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
  EXPECT_GE(bench.all<Ask>().back().max, Permits{50});
}

// Else what the limit has for the next half second would be booked for a target that cannot use it.
TEST(Asking, permits_ahead_that_a_target_cannot_use_soon_keep_its_lines_from_asking_for_more) {
  RouteOptions route = keyed();
  route.horizon = Duration::millis(500);
  BenchGate bench(BenchGate::options_for(route, 4));
  bench.assign(0);
  for (std::uint32_t line = 1; line <= 8; ++line) {  // Twice the places.
    bench.gate.add_line(LineId{line}, RouteId{0}, false);
    bench.arrive(line, line, 0, line);
    bench.answer({400});
  }
  ASSERT_EQ(bench.all<Ask>().size(), 8u);
  bench.arrive(9, 9, 0, 1);
  bench.pass(Duration::millis(399));
  EXPECT_EQ(bench.all<Ask>().size(), 8u);
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.sent().size(), 4u);
  EXPECT_EQ(bench.all<Ask>().size(), 9u) << "some have left";
}

// The fourth record waits for the third, which is under way: it stays where it is, and asking again
// at once would be told the same, as fast as the limiter can answer.
TEST(Asking, that_no_waiting_helps_is_not_asked_again_at_once_while_no_record_could_go) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition, 1)));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 2; ++i) {
    bench.arrive(i, i);
    bench.answer({0});
    bench.ended(i, Outcome::accepted);
  }
  bench.arrive(2, 2);
  bench.arrive(3, 3);
  bench.answer({0});
  ASSERT_EQ(bench.all<Ask>().size(), 4u);
  bench.answer({});
  bench.pass(Duration::millis(999));
  EXPECT_EQ(bench.all<Ask>().size(), 4u);
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  bench.ended(2, Outcome::accepted);
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.all<Ask>().size(), 5u);
}

TEST(Asking, a_line_whose_ask_failed_waits_for_the_limiter_until_it_is_answered) {
  BenchGate bench(BenchGate::options_for(limited_route()));
  bench.assign(0);
  bench.arrive(0, 0);
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::limit], 1u) << "nothing is wrong yet";
  const Ask ask = bench.all<Ask>().back();
  bench.put(PermitsFailed{ask.line, ask.ask, Duration::seconds(1)});
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::outage], 1u);
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::limit], 0u);
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::outage], 1u)
      << "asked again, and not yet answered";
  bench.answer({}, Duration::seconds(1));
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::limit], 1u) << "denied is an answer";
}

// Lines 0 and 1 are denied, line 2 takes the only place, and line 3 waits for its turn.
TEST(Asking, who_was_denied_in_its_turn_asks_before_the_others_also_where_its_target_is_full) {
  BenchGate bench(BenchGate::options_for(keyed(), 1));
  for (const std::uint32_t line : {1u, 2u, 3u}) {
    bench.gate.add_line(LineId{line}, RouteId{0}, true);
  }
  bench.assign(0);
  for (const std::uint32_t line : {0u, 1u, 2u, 3u}) bench.arrive(line, line, 0, line);
  bench.answer({}, Duration::millis(10));
  bench.answer({}, Duration::millis(10));
  bench.answer({0});
  bench.pass(Duration::millis(10));
  const std::size_t before = bench.all<Ask>().size();
  bench.answer({0});  // One of the two has asked for what is next.
  bench.ended(2, Outcome::accepted);
  bench.ended(bench.sent().back(), Outcome::accepted);
  ASSERT_GT(bench.all<Ask>().size(), before);
  const LineId first = bench.all<Ask>()[before - 1].line, second = bench.all<Ask>()[before].line;
  EXPECT_EQ(first.value + second.value, 1u) << first.value << ", " << second.value;
}

TEST(Asking, what_failed_is_asked_again_at_once_where_another_answers_it) {
  RouteOptions route = limited_route();
  route.stood_in_for = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  const Ask ask = bench.all<Ask>().back();
  bench.put(PermitsFailed{ask.line, ask.ask, Duration::seconds(1)});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_TRUE(bench.all<Ask>().back().again);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

}  // namespace
}  // namespace einlass::core
