// Records that say until when they may be delivered.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

constexpr Duration kLife = Duration::seconds(1);

void arrive(BenchGate& bench, std::uint32_t record, Instant expires) {
  RecordArrived event{PartitionId{0}, RecordId{record, 0}, Offset{record},
                      LineId{0},      std::nullopt,        Bytes{100}};
  event.expires = expires;
  bench.put(event);
}

// The slots of the dead letters, all of them for that reason.
Slots expired(const BenchGate& bench) {
  Slots slots;
  for (const DeadLetter& letter : bench.all<DeadLetter>()) {
    EXPECT_EQ(letter.reason, DeadLetterReason::expired);
    slots.push_back(letter.record.slot);
  }
  return slots;
}

TEST(Expires, one_that_waits_for_a_permit_leaves_at_its_instant) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none, 1)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.answer({}, Duration::seconds(60));
  bench.pass(kLife - Duration::micros(1));
  EXPECT_TRUE(expired(bench).empty());
  bench.pass(Duration::micros(1));
  EXPECT_EQ(expired(bench), Slots{0});
  bench.put(DeadLetterEnded{RecordId{0, 0}, true});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).dead_lettered[5], 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).inside, 0u);
}

// At that very instant, before the permit is used.
TEST(Expires, it_is_not_sent_with_a_permit_that_comes_in_the_same_instant) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none, 1)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.now = bench.now + kLife;
  bench.answer({0});
  EXPECT_TRUE(bench.sent().empty());
  EXPECT_EQ(expired(bench), Slots{0});
}

TEST(Expires, the_permit_of_one_that_left_is_for_the_next) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none, 1)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  arrive(bench, 1, kNever);
  bench.answer({1'050});
  bench.pass(Duration::seconds(2));
  EXPECT_EQ(expired(bench), Slots{0});
  EXPECT_EQ(bench.sent(), Slots{1});
}

TEST(Expires, what_comes_too_late_is_never_asked_for) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition, 1)));
  bench.assign(0);
  arrive(bench, 0, bench.now);
  EXPECT_EQ(expired(bench), Slots{0});
  EXPECT_TRUE(bench.all<Ask>().empty());
}

TEST(Expires, behind_others_it_leaves_in_its_turn) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, kNever);
  arrive(bench, 1, bench.now + kLife);
  arrive(bench, 2, kNever);
  bench.pass(kLife * 2);
  EXPECT_TRUE(expired(bench).empty());
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(expired(bench), Slots{1});
  EXPECT_EQ(bench.sent(), Slots{0}) << "the next one waits until the dead letter is there";
  bench.put(DeadLetterEnded{RecordId{1, 0}, true});
  EXPECT_EQ(bench.sent(), (Slots{0, 2}));
}

TEST(Expires, at_its_target_it_may_be_accepted_still) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.pass(kLife * 2);
  bench.ended(0, Outcome::accepted);
  EXPECT_TRUE(expired(bench).empty());
  EXPECT_EQ(bench.gate.stats(RouteId{0}).delivered, 1u);
}

TEST(Expires, an_attempt_that_fails_too_late_is_the_last) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.pass(kLife * 2);
  bench.ended(0, Outcome::retry);
  EXPECT_EQ(expired(bench), Slots{0});
}

TEST(Expires, it_does_not_wait_for_its_next_attempt) {
  RouteOptions route = route_by(Order::partition);
  route.retry_initial = route.retry_max = Duration::seconds(3600);
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.ended(0, Outcome::retry);
  bench.pass(kLife);
  EXPECT_EQ(expired(bench), Slots{0});
}

TEST(Expires, a_refusal_stays_the_reason) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.ended(0, Outcome::refused);
  bench.put(DeadLetterEnded{RecordId{0, 0}, false});
  bench.pass(Duration::seconds(60));
  ASSERT_GE(bench.all<DeadLetter>().size(), 2u);
  for (const DeadLetter& letter : bench.all<DeadLetter>()) {
    EXPECT_EQ(letter.reason, DeadLetterReason::refused);
  }
}

TEST(Expires, with_others_in_one_request_it_does_not_go_again) {
  GateOptions options = BenchGate::options_for(route_by(Order::partition));
  options.targets[0].batch = {.records = 2, .bytes = Bytes{1 << 20}, .linger = {}};
  BenchGate bench(options);
  bench.assign(0);
  arrive(bench, 0, kNever);
  arrive(bench, 1, kNever);
  arrive(bench, 2, bench.now + kLife);
  bench.ended(0, Outcome::accepted);
  ASSERT_EQ(bench.sent(), (Slots{0, 1, 2}));
  bench.now = bench.now + kLife;
  for (const std::uint32_t record : {1u, 2u}) {
    DeliveryEnded ended{RecordId{record, 0}, Attempt{1}, Outcome::refused};
    ended.together = 2;
    bench.put(ended);
  }
  EXPECT_TRUE(expired(bench).empty()) << "it is behind record 1";
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.sent(), (Slots{0, 1, 2, 1}));
  bench.ended(1, Outcome::accepted, bench.all<Send>().back().attempt.value);
  EXPECT_EQ(expired(bench), Slots{2});
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2, 1}));
}

// Its last attempt may have failed for another's sake, so it would go once more.
TEST(Expires, after_its_last_attempt_with_others_it_does_not_wait_for_one_alone) {
  RouteOptions route = route_by(Order::none);
  route.attempts = 1;
  route.retry_initial = route.retry_max = Duration::seconds(60);
  GateOptions options = BenchGate::options_for(route);
  options.targets[0].batch = {
      .records = 2, .bytes = Bytes{1 << 20}, .linger = Duration::seconds(1)};
  BenchGate bench(options);
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  arrive(bench, 1, kNever);
  ASSERT_EQ(bench.sent().size(), 2u);
  bench.now = bench.now + kLife;
  for (const std::uint32_t record : {0u, 1u}) {
    DeliveryEnded ended{RecordId{record, 0}, Attempt{1}, Outcome::retry};
    ended.together = 2;
    bench.put(ended);
  }
  EXPECT_EQ(expired(bench), Slots{0});
}

TEST(Expires, one_that_was_given_back_is_kafkas) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none, 1)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::millis(10)});
  bench.pass(kLife * 2);
  EXPECT_TRUE(expired(bench).empty());
  EXPECT_FALSE(bench.gate.next_wakeup());
}

TEST(Expires, an_abandoned_attempt_is_left_alone) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kLife);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::millis(10)});
  bench.pass(kLife * 2);
  bench.ended(0, Outcome::retry);
  EXPECT_TRUE(expired(bench).empty());
  EXPECT_FALSE(bench.gate.next_wakeup());
}

}  // namespace
}  // namespace einlass::core
