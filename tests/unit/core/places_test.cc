// How lines share a target's places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench_gate.h"

namespace einlass::core {
namespace {

// Lines 0 and 1 at one target of `places`, without order.
GateOptions two_lines(std::uint32_t places) {
  RouteOptions route;
  route.order = Order::none;
  route.retry_initial = route.retry_max = Duration{1};
  return BenchGate::options_for(route, places);
}

struct Places : ::testing::Test {
  BenchGate bench;

  explicit Places(const GateOptions& options = two_lines(16)) : bench(options) {}

  void SetUp() override {
    bench.gate.add_line(LineId{1}, RouteId{0}, true);
    bench.assign(0);
  }

  // The records of line 0 have even slots, those of line 1 odd ones.
  std::int64_t sent_of(std::uint32_t line) const {
    const auto sent = bench.sent();
    return std::count_if(sent.begin(), sent.end(), [&](auto slot) { return slot % 2 == line; });
  }
  void arrive(std::uint32_t line, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i, ++number_) {
      bench.arrive(2 * number_ + line, number_, 0, line);
    }
  }

 private:
  std::uint32_t number_ = 0;
};

TEST_F(Places, a_line_that_is_alone_has_them_all) {
  arrive(0, 40);
  EXPECT_EQ(sent_of(0), 16);
}

// The other line has a record that waits for its next attempt, and is paused.
TEST(PlacesOfTwo, who_is_left_alone_has_them_all_at_once) {
  GateOptions options = two_lines(16);
  options.routes[0].retry_initial = options.routes[0].retry_max = Duration::seconds(1);
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(100, 0, 0, 1);
  bench.ended(100, Outcome::retry);
  for (std::uint32_t i = 0; i < 40; ++i) bench.arrive(i, i + 1);
  ASSERT_EQ(bench.sent().size(), 1u + 14u);
  bench.put(LinePaused{LineId{1}, true});
  EXPECT_EQ(bench.sent().size(), 1u + 16u);
}

// Where keys bring lines at any time.
TEST(KeyedPlaces, a_line_that_is_alone_leaves_an_eighth_to_the_next) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = 1;
  BenchGate bench(BenchGate::options_for(route, 16));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 40; ++i) bench.arrive(i, i);
  for (std::size_t seen = 0; seen < bench.all<Ask>().size(); ++seen) {
    const Ask ask = bench.all<Ask>()[seen];
    const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
    bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now});
  }
  EXPECT_EQ(bench.sent().size(), 14u);
}

// The target is so slow that no permit is likely to be used before it lapses.
TEST(PlacesOfTwoRoutes, who_needs_permits_has_places_beside_one_who_needs_none) {
  for (const std::uint32_t places : {1u, 3u, 7u}) {
    GateOptions options = two_lines(places);
    options.routes.push_back(keyed());
    BenchGate bench(options);
    bench.gate.add_line(LineId{1}, RouteId{1}, true);
    bench.assign(0);
    bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
    for (std::uint32_t i = 0; i < 200; ++i) bench.arrive(i, i);
    for (std::uint32_t i = 0; i < 200; ++i) bench.arrive(200 + i, i, 1, 1);
    std::size_t asks = 0, ends = 0;
    for (int turn = 1; turn <= 1'000; ++turn) {
      bench.pass(Duration::millis(10));
      if (turn % 10 == 0) bench.ended(bench.sent()[ends++], Outcome::accepted);
      for (; asks < bench.all<Ask>().size(); ++asks) {
        const Ask ask = bench.all<Ask>()[asks];
        const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
        bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now});
      }
    }
    const auto sent = bench.sent();
    const auto limited = std::ranges::count_if(sent, [](auto slot) { return slot >= 200; });
    EXPECT_GE(limited, 30) << "of " << sent.size() << " in " << places << " places";
  }
}

TEST_F(Places, what_a_line_takes_beyond_its_part_leaves_an_eighth_to_those_who_come) {
  arrive(1, 1);
  arrive(0, 40);
  EXPECT_EQ(sent_of(0), 13) << "one of line 1, and two are left";
  arrive(1, 20);
  EXPECT_EQ(sent_of(1), 3);
}

TEST_F(Places, backlogged_lines_have_equal_parts_and_nothing_is_left) {
  arrive(1, 1);
  arrive(0, 40);
  arrive(1, 40);
  for (int ends = 0; ends < 40; ++ends) bench.ended(bench.sent()[ends], Outcome::accepted);
  std::int64_t in_flight[2] = {0, 0};
  const auto sent = bench.sent();
  for (std::size_t i = 40; i < sent.size(); ++i) ++in_flight[sent[i] % 2];
  EXPECT_EQ(in_flight[0], 8);
  EXPECT_EQ(in_flight[1], 8);
}

TEST_F(Places, who_becomes_alone_has_the_rest_too) {
  arrive(1, 1);
  arrive(0, 40);
  bench.ended(1, Outcome::accepted);
  EXPECT_EQ(sent_of(0), 16);
}

// Its dead letter is its end: no attempt ends then, and no place comes free.
TEST(PlacesLeft, who_becomes_alone_by_a_dead_letter_has_the_rest_too) {
  GateOptions options = two_lines(16);
  options.routes[0].dead_letter = true;
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0, 0, 1);
  bench.ended(0, Outcome::refused);
  for (std::uint32_t i = 1; i <= 40; ++i) bench.arrive(i, i);
  ASSERT_EQ(bench.sent().size(), 1u + 14u) << "two are left to line 1, which is there still";
  bench.put(DeadLetterEnded{RecordId{0, 0}, true});
  EXPECT_EQ(bench.sent().size(), 1u + 16u);
}

// Records that go together wait for a place and not aside, so nobody else looks at the line whose
// attempts are no longer its own.
TEST(PlacesLeft, who_gives_up_attempts_with_a_partition_has_its_part_for_the_others_at_once) {
  GateOptions options = two_lines(8);
  options.targets[0].batch.records = 2;
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  for (const std::uint32_t partition : {0u, 1u}) bench.assign(partition);
  bench.arrive(0, 0, 0, 1);
  for (std::uint32_t i = 1; i <= 6; ++i) bench.arrive(i, i, 1);
  bench.arrive(7, 7);
  ASSERT_EQ(bench.sent().size(), 7u) << "line 0 has more than its part, and one place is left";
  bench.put(PartitionRevoked{PartitionId{1}, bench.now});
  EXPECT_EQ(bench.sent().back(), 7u);
}

TEST_F(Places, each_end_lets_the_next_go) {
  arrive(1, 1);
  arrive(0, 40);
  const auto first = bench.sent()[1];
  bench.ended(first, Outcome::accepted);
  EXPECT_EQ(sent_of(0), 14);
}

// A line whose attempts hang has them all but an eighth; as it has more than its part, whatever
// comes free is another's.
TEST_F(Places, a_line_that_hangs_leaves_the_rest_to_others) {
  arrive(1, 1);
  arrive(0, 40);
  arrive(1, 40);
  for (int ends = 0; ends < 30; ++ends) {
    const auto sent = bench.sent();
    const auto last = std::find_if(sent.rbegin(), sent.rend(), [](auto slot) { return slot % 2; });
    bench.ended(*last, Outcome::accepted);
  }
  EXPECT_EQ(sent_of(0), 13);
  EXPECT_EQ(sent_of(1), 33);
}

// The same where a fifth of the attempts may be retries while fresh records wait, once without a
// limit and once with one that grants whatever it is asked for.
struct PlacesWithShare : Places, ::testing::WithParamInterface<std::uint8_t> {
  PlacesWithShare() : Places(options()) {}

  static GateOptions options() {
    GateOptions options = two_lines(16);
    options.routes[0].limit_count = GetParam();
    options.targets[0].retry_share = 20;
    return options;
  }

  void grant() {
    for (; asks_ < bench.all<Ask>().size(); ++asks_) {
      const Ask ask = bench.all<Ask>()[asks_];
      const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
      bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now, std::nullopt, LimitIndex{0}});
    }
  }
  // Ends what is under way of line 1, and what goes then, as long as it is this attempt.
  void end_all_of_line_1(std::uint32_t attempt, Outcome outcome) {
    grant();
    for (; ends_ < bench.all<Send>().size(); ++ends_, grant()) {
      const Send send = bench.all<Send>()[ends_];
      if (send.record.slot % 2 == 0) continue;
      bench.ended(send.record.slot, outcome, attempt);
    }
  }

 private:
  std::size_t asks_ = 0;
  std::size_t ends_ = 0;
};

TEST_P(PlacesWithShare, retries_do_not_wait_for_fresh_records_that_have_enough) {
  arrive(1, 10);
  end_all_of_line_1(1, Outcome::retry);
  ASSERT_EQ(sent_of(1), 10);
  arrive(0, 100);  // Its attempts hang.
  grant();
  ASSERT_EQ(sent_of(0), 14);
  bench.pass(Duration::millis(1));
  end_all_of_line_1(2, Outcome::accepted);
  EXPECT_EQ(sent_of(1), 20) << "all of them twice";
  EXPECT_EQ(sent_of(0), GetParam() == 0 ? 16 : 14) << "alone it has all that it may have";
}

INSTANTIATE_TEST_SUITE_P(Limits, PlacesWithShare, ::testing::Values(0, 1));

// Grants what was asked for since, at once.
struct Granting {
  explicit Granting(const GateOptions& options) : bench(options) {}

  void grant() {
    for (; asks < bench.all<Ask>().size(); ++asks) {
      const Ask ask = bench.all<Ask>()[asks];
      const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
      bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now});
    }
  }

  BenchGate bench;
  std::size_t asks = 0;
};

TEST(PlacesOfTwoRoutes, whose_attempts_hang_keeps_nobody_from_asking) {
  GateOptions options = two_lines(4);
  options.routes.push_back(keyed());
  Granting world(options);
  BenchGate& bench = world.bench;
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  for (std::uint32_t i = 0; i < 2; ++i) bench.arrive(i, i);
  for (std::uint32_t i = 0; i < 10; ++i) bench.arrive(100 + i, i, 1, 1);
  world.grant();
  ASSERT_EQ(bench.sent().size(), 4u);
  for (std::uint32_t i = 2; i < 90; ++i) bench.arrive(i, i);
  bench.pass(Duration::seconds(1));
  for (std::uint32_t i = 0; i < 10; ++i) bench.arrive(200 + i, 10 + i, 1, 2);
  world.grant();
  std::size_t ends = 0;
  const auto has_sent = [&] {
    return std::ranges::any_of(bench.sent(), [](auto slot) { return slot >= 200; });
  };
  for (int turn = 0; turn < 30 && !has_sent(); ++turn) {  // The attempts of line 1 hang.
    while (bench.sent()[ends] >= 100) ++ends;
    bench.ended(bench.sent()[ends++], Outcome::accepted);
    world.grant();
    bench.pass(Duration::millis(100));
  }
  EXPECT_TRUE(has_sent());
}

TEST(PlacesLeft, who_waits_aside_is_looked_at_when_its_part_has_become_larger) {
  BenchGate bench(two_lines(4));
  for (const std::uint32_t line : {1u, 2u, 3u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  std::uint32_t number = 0;
  const auto arrive = [&](std::uint32_t line) {
    bench.arrive(4 * number + line, number, 0, line);
    ++number;
  };
  for (const std::uint32_t line : {3u, 2u, 1u, 0u}) arrive(line);
  for (int i = 0; i < 60; ++i) {
    arrive(1);
    arrive(2);
  }
  for (int i = 0; i < 3; ++i) arrive(0);
  bench.ended(bench.sent()[0], Outcome::accepted);  // Line 3 is gone: two places are a part now.
  std::size_t next = 1;
  for (int ends = 0; ends < 40; ++ends) {  // The attempt of line 0 hangs.
    while (bench.sent()[next] % 4 == 0) ++next;
    bench.ended(bench.sent()[next++], Outcome::accepted);
  }
  const auto sent = bench.sent();
  EXPECT_GE(std::ranges::count_if(sent, [](auto slot) { return slot % 4 == 0; }), 2);
}

// The others' first record waits for more: so that is there to be filled.
TEST(KeyedPlaces, who_has_its_part_of_the_places_fills_a_request_that_gathers) {
  GateOptions options = BenchGate::options_for(keyed(), 8);
  options.targets[0].batch = {4, Bytes{10'000}, Duration::millis(5)};
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  std::uint32_t next = 0;
  const auto arrive = [&](std::uint32_t line, std::uint32_t count) {
    for (const std::uint32_t end = next + count; next < end; ++next) {
      bench.arrive(next, next, 0, line);
    }
  };
  std::size_t answered = 0;
  const auto grant_all = [&] {
    for (; answered < bench.all<Ask>().size(); ++answered) {
      const Ask ask = bench.all<Ask>()[answered];
      const std::vector<Duration> due(static_cast<std::size_t>(ask.max.value));
      bench.put(PermitsAnswered{ask.line, ask.ask, due, bench.now});
    }
  };
  arrive(1, 8);
  grant_all();
  arrive(0, 20);
  grant_all();
  ASSERT_EQ(bench.sent().size(), 28u) << "seven requests, five of line 0";
  bench.pass(Duration::seconds(60));  // What it expects to send soon is nothing by then.
  arrive(0, 3);
  ASSERT_EQ(bench.all<Ask>().size(), answered) << "the last place is for others";
  arrive(1, 1);
  grant_all();
  ASSERT_EQ(bench.sent().size(), 28u) << "it gathers";
  for (std::uint32_t record = 0; record < 4; ++record) {
    bench.put(
        DeliveryEnded{RecordId{record, 0}, Attempt{1}, Outcome::accepted, std::nullopt, true, 4});
  }
  grant_all();
  EXPECT_EQ(bench.sent().size(), 32u);
}

}  // namespace
}  // namespace einlass::core
