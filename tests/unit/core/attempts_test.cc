// Which attempts bring a record nearer to its dead letter, and what becomes of that.
#include <gtest/gtest.h>

#include <numeric>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

// A gate with one record, which may fail twice.
struct OneRecord : BenchGate {
  static GateOptions twice() {
    RouteOptions route;
    route.dead_letter = true;
    route.attempts = 2;
    return options_for(route);
  }
  OneRecord() : BenchGate(twice()) {
    assign(0);
    arrive(0, 0);
  }
};

TEST(Attempts, that_do_not_count_bring_no_record_nearer_to_its_dead_letter) {
  OneRecord bench;
  const auto ends = [&](std::uint32_t attempt, bool counts) {
    bench.put(DeliveryEnded{RecordId{0, 0}, Attempt{attempt}, Outcome::retry, {}, counts});
    bench.pass(Duration::seconds(31));
  };
  for (std::uint32_t attempt = 1; attempt <= 5; ++attempt) ends(attempt, false);
  ends(6, true);
  ends(7, false);
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  ASSERT_EQ(bench.sent().size(), 8u);
  ends(8, true);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::attempts);
}

// Only those of which the target was not asked: it has no trouble with them.
TEST(Attempts, that_do_not_count_come_more_seldom_all_the_same) {
  for (const bool asked : {true, false}) {
    OneRecord bench;
    std::uint32_t attempt = 0;
    for (int steps = 0; steps < 6'000; ++steps) {
      for (; attempt < bench.sent().size(); ++attempt) {
        DeliveryEnded ended{RecordId{0, 0}, Attempt{attempt + 1}, Outcome::retry, {}, false};
        ended.asked = asked;
        bench.put(ended);
      }
      bench.pass(Duration::millis(10));
    }
    EXPECT_EQ(attempt < 30, asked) << attempt << " attempts in a minute";
  }
}

TEST(Attempts, of_which_nothing_was_sent_are_not_counted) {
  OneRecord bench;
  const auto ends = [&](std::uint32_t attempt, bool sent) {
    DeliveryEnded ended{RecordId{0, 0}, Attempt{attempt}, Outcome::retry, {}, false};
    ended.asked = ended.sent = sent;
    bench.put(ended);
    bench.pass(Duration::seconds(31));
  };
  ends(1, false);
  ends(2, true);
  ends(3, false);
  const RouteStats& stats = bench.gate.stats(RouteId{0});
  EXPECT_EQ(stats.attempts_retry, 1u);
  const auto& counts = stats.attempt_duration.counts;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), 1u);
}

TEST(Attempts, a_refusal_for_a_records_size_is_told_as_such) {
  OneRecord bench;
  bench.put(DeliveryEnded{.record = {0, 0},
                          .attempt = {1},
                          .outcome = Outcome::refused,
                          .hold_target = {},
                          .too_large = true});
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::too_large);
}

class AttemptsThatSayWait : public ::testing::TestWithParam<std::uint32_t> {};

// Where it was the last one, but with others in its request, the record goes on alone.
TEST_P(AttemptsThatSayWait, its_record_waits_as_long_and_nobody_else_does) {
  RouteOptions route;
  route.order = Order::none;
  route.dead_letter = true;
  route.attempts = GetParam() > 1 ? 1 : 0;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.put(DeliveryEnded{.record = {0, 0},
                          .attempt = {1},
                          .outcome = Outcome::retry,
                          .hold_target = {},
                          .together = GetParam(),
                          .wait = Duration::seconds(600)});
  bench.pass(Duration::seconds(599));
  bench.arrive(1, 1);
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1}));
  bench.pass(Duration::seconds(31));
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1, 0}));
}

INSTANTIATE_TEST_SUITE_P(Together, AttemptsThatSayWait, ::testing::Values(1, 2));

TEST(Attempts, no_more_begin_at_once_than_the_target_takes) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route);
  options.targets[0].at_once = Bytes{250};
  BenchGate bench(options);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 8; ++i) bench.arrive(i, i);  // Of 100 bytes each.
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2}));
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2})) << "there are places, but it is not ready";
  bench.put(TargetReady{TargetId{0}});
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2, 3, 4, 5}));
  bench.put(TargetReady{TargetId{0}});
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2, 3, 4, 5, 6, 7}));
}

// By a reload another stands for it, who has begun nothing.
TEST(Attempts, a_new_target_takes_as_much_again) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route);
  options.targets[0].at_once = Bytes{100};
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  EXPECT_EQ(bench.sent(), (Slots{0}));
  bench.gate.reconfigure(options, bench.now, bench.commands);
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
}

TEST(Attempts, a_dead_letter_that_cannot_be_written_is_tried_less_and_less_often) {
  RouteOptions route;
  route.dead_letter = true;
  route.retry_initial = Duration::millis(200);
  route.retry_max = Duration::seconds(30);
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::refused);
  std::size_t tries = 0;
  for (const Instant end = bench.now + Duration::seconds(600); bench.now < end;) {
    if (bench.all<DeadLetter>().size() > tries) {
      ++tries;
      bench.put(DeadLetterEnded{RecordId{0, 0}, false});
    }
    bench.pass(Duration::millis(10));
  }
  EXPECT_GE(tries, 20u) << "at the latest after the maximum";
  EXPECT_LE(tries, 80u);
  bench.pass(Duration::seconds(30));
  bench.put(DeadLetterEnded{RecordId{0, 0}, true});
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Commit>().back().entries[0].next, Offset{1});
}

}  // namespace
}  // namespace einlass::core
