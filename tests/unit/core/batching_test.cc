// Several records in one request.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bench_gate.h"

namespace einlass::core {
namespace {

using Requests = std::vector<std::vector<std::uint32_t>>;

// A gate whose target takes four records in a request and waits 5 ms for them.
struct Batching : ::testing::Test {
  BenchGate bench = BenchGate(options());

  static GateOptions options() {
    RouteOptions route;
    route.order = Order::partition;
    route.attempts = 2;
    route.dead_letter = true;
    GateOptions all = BenchGate::options_for(route, 2);
    all.targets[0].batch = {4, Bytes{10'000}, Duration::millis(5)};
    return all;
  }
  void SetUp() override {
    bench.assign(0);
    bench.assign(1);
  }

  void arrive(std::uint32_t first, std::uint32_t count, std::uint32_t partition = 0) {
    for (std::uint32_t i = first; i < first + count; ++i) bench.arrive(i, i, partition);
  }
  void ended(std::uint32_t record, Outcome outcome, std::uint32_t attempt, std::uint32_t together) {
    bench.put(DeliveryEnded{RecordId{record, 0}, Attempt{attempt}, outcome, std::nullopt, true,
                            together});
  }
  void all_ended(std::uint32_t count, Outcome outcome, std::uint32_t attempt) {
    for (std::uint32_t i = 0; i < count; ++i) ended(i, outcome, attempt, count);
  }

  // The slots of the records of each request since the last call.
  Requests requests() {
    Requests found;
    bool more = false;
    for (const Send& send : bench.all<Send>()) {
      if (!more) found.emplace_back();
      found.back().push_back(send.record.slot);
      more = send.more;
    }
    EXPECT_FALSE(more);
    bench.commands.clear();
    return found;
  }
};

TEST_F(Batching, a_full_request_leaves_at_once) {
  arrive(0, 4);
  EXPECT_EQ(bench.gate.waiting_in(LineId{0}), 0u) << "all are at the target";
  EXPECT_EQ(requests(), (Requests{{0, 1, 2, 3}}));
}

TEST_F(Batching, a_request_that_does_not_fill_leaves_after_the_linger_time) {
  arrive(0, 3);
  bench.pass(Duration::micros(4'999));
  EXPECT_EQ(requests(), Requests{});
  bench.pass(Duration::micros(1));
  EXPECT_EQ(requests(), (Requests{{0, 1, 2}}));
}

TEST_F(Batching, the_rest_of_a_lane_waits_until_the_request_has_ended) {
  arrive(0, 6);
  EXPECT_EQ(requests(), (Requests{{0, 1, 2, 3}}));
  bench.pass(Duration::millis(50));
  EXPECT_EQ(requests(), Requests{});
  for (std::uint32_t i = 0; i < 4; ++i) ended(i, Outcome::accepted, 1, 4);
  bench.pass(Duration::millis(5));
  EXPECT_EQ(requests(), (Requests{{4, 5}}));
}

TEST_F(Batching, lanes_share_a_request_and_a_request_takes_one_place) {
  arrive(0, 2, 0);
  arrive(2, 2, 1);
  EXPECT_EQ(requests(), (Requests{{0, 1, 2, 3}}));
  bench.assign(2);
  bench.assign(3);
  arrive(4, 4, 2);
  bench.pass(Duration::millis(5));
  EXPECT_EQ(requests(), (Requests{{4, 5, 6, 7}})) << "the second place";
  arrive(8, 4, 3);
  bench.pass(Duration::millis(50));
  EXPECT_EQ(requests(), Requests{}) << "there is no third";
}

TEST_F(Batching, no_record_is_added_beyond_the_bytes) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    RecordArrived event{
        PartitionId{0}, RecordId{i, 0}, Offset{i}, LineId{0},
        std::nullopt,   Bytes{60'000}};  // What it takes in memory is not what is written of it.
    event.content = Bytes{i == 0 ? 20'000 : 6'000};
    bench.put(event);
  }
  bench.pass(Duration::millis(5));
  EXPECT_EQ(requests(), (Requests{{0}})) << "one that is larger goes alone";
  ended(0, Outcome::accepted, 1, 1);
  bench.pass(Duration::millis(5));
  EXPECT_EQ(requests(), (Requests{{1}}));
}

// Both failed in one request; the second is too late by then.
TEST_F(Batching, one_behind_another_that_expired_meanwhile_is_a_dead_letter_in_its_turn) {
  bench.arrive(0, 0);
  RecordArrived late{PartitionId{0}, RecordId{1, 0}, Offset{1},
                     LineId{0},      std::nullopt,   Bytes{100}};
  late.expires = bench.now + Duration::seconds(1);
  bench.put(late);
  bench.pass(Duration::millis(5));
  ASSERT_EQ(requests(), (Requests{{0, 1}}));
  bench.pass(Duration::seconds(2));
  all_ended(2, Outcome::retry, 1);
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  bench.pass(Duration::seconds(60));
  ASSERT_EQ(requests(), (Requests{{0}}));
  ended(0, Outcome::accepted, 2, 1);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::expired);
}

// Of records whose offsets follow one another only the first is named.
TEST(BatchingByName, no_record_is_added_beyond_the_names) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route, 8);
  options.targets[0].batch = {100, Bytes{10'000}, Duration::millis(5), Bytes{100}};
  BenchGate bench(options);
  bench.assign(0);
  std::uint32_t slot = 0;
  const auto arrive = [&](std::int64_t offset, std::uint16_t name) {
    RecordArrived event{PartitionId{0}, RecordId{slot++, 0}, Offset{offset},
                        LineId{0},      std::nullopt,        Bytes{100}};
    event.name_size = name;
    bench.put(event);
  };
  for (std::int64_t offset = 0; offset < 50; ++offset) arrive(offset, 40);
  arrive(60, 40);
  arrive(61, 0);  // It is not named, and what follows it begins anew.
  arrive(62, 40);
  arrive(63, 40);
  bench.pass(Duration::millis(5));
  std::vector<std::size_t> sizes;
  std::size_t size = 0;
  for (const Send& send : bench.all<Send>()) {
    ++size;
    if (!send.more) sizes.push_back(std::exchange(size, 0));
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{52, 2}));
}

TEST_F(Batching, what_failed_together_goes_again_in_order) {
  arrive(0, 3);
  bench.pass(Duration::millis(5));
  requests();
  all_ended(3, Outcome::retry, 1);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(requests(), (Requests{{0, 1, 2}}));
}

TEST_F(Batching, what_may_have_failed_over_one_of_them_goes_again_in_halves) {
  arrive(0, 4);
  requests();
  const auto fail = [&](std::uint32_t count, std::uint32_t attempt, std::uint32_t together) {
    for (std::uint32_t i = 0; i < count; ++i) {
      DeliveryEnded event{RecordId{i, 0}, Attempt{attempt}, Outcome::retry};
      event.together = together;
      event.counts = false;
      event.over_one = true;
      bench.put(event);
    }
    bench.pass(Duration::seconds(1));
  };
  fail(4, 1, 4);
  EXPECT_EQ(requests(), (Requests{{0, 1}}));
  fail(2, 2, 2);
  EXPECT_EQ(requests(), (Requests{{0}}));
  fail(1, 3, 1);
  EXPECT_EQ(requests(), (Requests{{0}}));
  ended(0, Outcome::accepted, 4, 1);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(requests(), (Requests{{1}}));
}

TEST_F(Batching, a_refused_request_is_taken_apart_until_it_is_known_who_is_refused) {
  arrive(0, 4);
  requests();
  all_ended(4, Outcome::refused, 1);
  bench.pass(Duration::millis(5));
  EXPECT_EQ(requests(), (Requests{{0, 1}}));
  all_ended(2, Outcome::refused, 2);
  bench.pass(Duration::millis(5));
  EXPECT_EQ(requests(), (Requests{{0}}));
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  ended(0, Outcome::refused, 3, 1);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::refused);
}

// Twice with others, in attempts that count towards nothing anyway.
TEST_F(Batching, an_attempt_that_does_not_count_is_left_out_once) {
  arrive(0, 4);
  requests();
  for (std::uint32_t together = 4, attempt = 1; together > 1; together /= 2, ++attempt) {
    for (std::uint32_t i = 0; i < together; ++i) {
      DeliveryEnded event{RecordId{i, 0}, Attempt{attempt}, Outcome::refused};
      event.together = together;
      event.counts = event.asked = false;
      bench.put(event);
    }
    bench.pass(Duration::millis(5));
  }
  EXPECT_EQ(requests().back(), (std::vector<std::uint32_t>{0}));
  ended(0, Outcome::retry, 3, 1);
  EXPECT_TRUE(bench.all<DeadLetter>().empty()) << "of two";
  bench.pass(Duration::millis(210));
  EXPECT_EQ(requests(), (Requests{{0}})) << "after the first wait, and no longer one";
  ended(0, Outcome::retry, 4, 1);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
}

TEST_F(Batching, the_answer_may_say_who_is_refused) {
  arrive(0, 4);
  requests();
  ended(0, Outcome::accepted, 1, 1);
  ended(1, Outcome::refused, 1, 1);
  ended(2, Outcome::retry, 1, 1);
  ended(3, Outcome::accepted, 1, 1);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].record.slot, 1u);
  bench.put(DeadLetterEnded{RecordId{1, 0}, true});
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(requests(), (Requests{{2}}));
}

TEST_F(Batching, nobody_is_a_dead_letter_for_what_his_company_did) {
  arrive(0, 3);
  bench.pass(Duration::millis(5));
  all_ended(3, Outcome::retry, 1);
  bench.pass(Duration::seconds(1));
  requests();
  all_ended(3, Outcome::retry, 2);
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(requests(), (Requests{{0}})) << "alone";
  ended(0, Outcome::retry, 3, 1);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::attempts);
}

TEST_F(Batching, what_gathers_is_given_back_with_its_partition) {
  arrive(0, 3);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 3u);
  bench.pass(Duration::seconds(2));
  EXPECT_EQ(requests(), Requests{});
}

// Each record has a permit of its own, and only those that have one go.
TEST(BatchingWithLimit, as_many_go_as_permits_are_due) {
  GateOptions options = Batching::options();
  options.routes[0].order = Order::none;
  options.routes[0].limit_count = 1;
  options.routes[0].horizon = Duration::millis(500);
  BenchGate bench(options);
  bench.assign(0);
  for (std::uint32_t i = 0; i < 6; ++i) bench.arrive(i, i);
  bench.answer({0});
  bench.answer({0, 0, 20}, Duration::seconds(1));
  EXPECT_TRUE(bench.sent().empty()) << "it may still fill";
  bench.pass(Duration::millis(5));
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1, 2}));
  bench.pass(Duration::millis(20));
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(bench.gate.stats(RouteId{0}).limits[0].admissions, 4u);
}

// The end of a probe and a permit's instant are one, and the alarm of the latter is told later.
TEST(BatchingWithLimits, a_permit_that_comes_due_as_its_line_has_its_turn_is_used_at_once) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = 1;
  route.horizon = route.use_within = Duration::millis(100);
  route.retry_initial = route.retry_max = Duration::seconds(100);
  GateOptions options = BenchGate::options_for(route, 1);
  options.targets[0].batch = {4, Bytes{10'000}, {}};
  options.targets[0].breaker = {.failures = 1, .wait = Duration::millis(2)};
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.answer({}, Duration::millis(1));
  bench.pass(Duration::millis(100));
  const Ask two = bench.all<Ask>().back();
  ASSERT_EQ(two.max, Permits{2});
  bench.arrive(2, 2, 0, 1);
  const Ask other = bench.all<Ask>().back();
  ASSERT_EQ(other.line, LineId{1});
  const std::vector<Duration> due = {Duration{}, Duration::millis(5)};
  bench.put(PermitsAnswered{two.line, two.ask, due, bench.now});
  bench.ended(0, Outcome::retry);
  bench.pass(Duration::millis(6));
  ASSERT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1})) << "the second is the probe";
  bench.answer({14});
  bench.arrive(3, 3, 0, 1);
  bench.pass(Duration::micros(13'999));
  bench.now = bench.now + Duration::micros(1);
  bench.ended(1, Outcome::accepted);
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1, 2}));
}

// Eight lines, and a request has room for the bytes of two records.
TEST(BatchingOfManyLines, whose_record_is_too_much_leads_the_next_request) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route, 1);
  options.targets[0].batch = {100, Bytes{250}, {}};
  BenchGate bench(options);
  bench.assign(0);
  std::uint32_t number = 0;
  for (std::uint32_t line = 0; line < 8; ++line) {
    if (line > 0) bench.gate.add_line(LineId{line}, RouteId{0}, true);
    for (int i = 0; i < 10; ++i, ++number) {
      bench.put(RecordArrived{PartitionId{0}, RecordId{number, 0}, Offset{number}, LineId{line},
                              std::nullopt, Bytes{100}, Permits{1}, std::nullopt, Bytes{100}});
    }
  }
  for (int request = 0; request < 16; ++request) {
    const std::vector<std::uint32_t> sent = bench.sent();
    bench.commands.clear();
    for (const std::uint32_t slot : sent) bench.ended(slot, Outcome::accepted);
  }
  std::vector<int> left(8);
  for (const std::uint32_t slot : bench.sent()) ++left[slot / 10];
  for (std::uint32_t line = 0; line < 8; ++line) {
    const auto waiting = bench.gate.waiting_in(LineId{line});
    EXPECT_LE(waiting, 8u) << "line " << line;
  }
}

// One place; three lines whose records go one in a request each, for two are too much.
TEST(BatchingOfLines, whose_record_is_too_much_for_a_request_leads_the_next) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions all = BenchGate::options_for(route, 1);
  all.targets[0].batch = {4, Bytes{100}, Duration::millis(5)};
  BenchGate bench(all);
  for (const std::uint32_t line : {1, 2}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  const auto arrive = [&](std::uint32_t record, std::uint32_t line) {
    RecordArrived event{PartitionId{0}, RecordId{record, 0}, Offset{record},
                        LineId{line},   std::nullopt,        Bytes{100}};
    event.content = Bytes{60};
    bench.put(event);
  };
  for (std::uint32_t record = 0; record < 6; ++record) arrive(record, record % 3);
  bench.pass(Duration::millis(5));
  for (std::uint32_t record = 0; record < 5; ++record) {
    EXPECT_EQ(bench.sent().size(), record + 1);
    bench.ended(bench.sent().back(), Outcome::accepted);
    bench.pass(Duration::millis(5));
  }
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(BatchingOfTwoRoutes, who_has_its_part_of_the_places_hurries_nobody) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route, 8);
  options.routes.push_back(route);
  options.targets[0].batch = {4, Bytes{10'000}, Duration::millis(5)};
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  for (std::uint32_t i = 0; i < 30; ++i) bench.arrive(i, i);
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.sent().size(), 28u) << "the last place is for others";
  bench.arrive(100, 0, 1, 1);
  EXPECT_EQ(bench.sent().size(), 28u) << "it waits for company";
  bench.pass(Duration::millis(5));
  EXPECT_EQ(bench.sent().size(), 31u) << "and has that of those who have no place";
}

}  // namespace
}  // namespace einlass::core
