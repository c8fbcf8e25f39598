// Records that say from when on they may be delivered.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core::not_before_test {
namespace {

constexpr Duration kWait = Duration::seconds(1);

void arrive(BenchGate& bench, std::uint32_t record, Instant not_before,
            std::optional<LaneKey> lane = std::nullopt, Instant expires = kNever) {
  RecordArrived event{PartitionId{0}, RecordId{record, 0}, Offset{record},
                      LineId{0},      lane,                Bytes{100}};
  event.not_before = not_before;
  event.expires = expires;
  bench.put(event);
}

std::uint64_t early(const BenchGate& bench) {
  return bench.gate.waiting(bench.now)[0].records[Cause::not_before];
}

TEST(NotBefore, it_leaves_at_its_instant_and_asks_for_no_permit_before) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none, 1)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait);
  EXPECT_EQ(early(bench), 1u);
  bench.pass(kWait - Duration::micros(1));
  EXPECT_TRUE(bench.all<Ask>().empty());
  bench.pass(Duration::micros(1));
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(early(bench), 0u);
}

TEST(NotBefore, its_target_is_tried_by_none_while_all_that_is_inside_waits_for_its_time) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait);
  arrive(bench, 1, Instant{});
  EXPECT_FALSE(bench.gate.records_may_go(TargetId{0})) << "one waits, and one behind it";
  bench.pass(kWait);
  EXPECT_TRUE(bench.gate.records_may_go(TargetId{0}));
}

TEST(NotBefore, without_order_nobody_waits_for_it) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait);
  arrive(bench, 1, Instant{});
  EXPECT_EQ(bench.sent(), Slots{1});
  bench.pass(kWait);
  EXPECT_EQ(bench.sent(), (Slots{1, 0}));
}

TEST(NotBefore, in_order_of_key_its_own_key_waits) {
  BenchGate bench(BenchGate::options_for(route_by(Order::key)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait, LaneKey{7});
  arrive(bench, 1, Instant{}, LaneKey{7});
  arrive(bench, 2, Instant{}, LaneKey{8});
  EXPECT_EQ(bench.sent(), Slots{2});
  EXPECT_EQ(early(bench), 2u) << "one of them behind the other";
  EXPECT_EQ(bench.gate.early(PartitionId{0}), 2u);
  bench.pass(kWait);
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.sent(), (Slots{2, 0, 1}));
}

TEST(NotBefore, in_order_of_partition_all_behind_it_wait) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, Instant{});
  arrive(bench, 1, bench.now + kWait);
  arrive(bench, 2, Instant{});
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(early(bench), 2u);
  bench.pass(kWait);
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
}

// What came behind others may have waited long enough by its turn.
TEST(NotBefore, one_whose_instant_passed_behind_others_leaves_in_its_turn) {
  BenchGate bench(BenchGate::options_for(route_by(Order::partition)));
  bench.assign(0);
  arrive(bench, 0, Instant{});
  arrive(bench, 1, bench.now + kWait);
  bench.pass(kWait);
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
}

TEST(NotBefore, it_goes_with_no_request_before) {
  GateOptions options = BenchGate::options_for(route_by(Order::partition));
  options.targets[0].batch = {.records = 3, .bytes = Bytes{1 << 20}, .linger = {}};
  BenchGate bench(options);
  bench.assign(0);
  arrive(bench, 0, Instant{});
  arrive(bench, 1, Instant{});
  arrive(bench, 2, bench.now + kWait);
  bench.ended(0, Outcome::accepted);
  bench.ended(1, Outcome::accepted);
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
  bench.pass(kWait);
  EXPECT_EQ(bench.sent(), (Slots{0, 1, 2}));
}

TEST(NotBefore, it_says_until_when_it_waits) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait);
  const auto standing = bench.gate.standing(0, bench.now);
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->waits, WaitsFor::not_before);
  EXPECT_EQ(standing->until, bench.now + kWait);
  EXPECT_EQ(cause_of(standing->waits), Cause::not_before);
}

TEST(NotBefore, one_that_expires_before_leaves_then) {
  BenchGate bench(BenchGate::options_for(route_by(Order::none)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait, std::nullopt, bench.now + kWait / 2);
  bench.pass(kWait / 2);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.all<DeadLetter>()[0].reason, DeadLetterReason::expired);
  bench.pass(kWait);
  EXPECT_TRUE(bench.sent().empty());
}

TEST(NotBefore, it_is_given_back_at_once) {
  BenchGate bench(BenchGate::options_for(route_by(Order::key)));
  bench.assign(0);
  arrive(bench, 0, bench.now + kWait, LaneKey{7});
  arrive(bench, 1, Instant{}, LaneKey{7});
  bench.put(StopRequested{bench.now + Duration::seconds(10)});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 2u);
  EXPECT_EQ(bench.all<Stopped>().size(), 1u);
  EXPECT_FALSE(bench.gate.next_wakeup());
}

TEST(NotBefore, a_partition_full_of_them_is_held_and_read_again) {
  RouteOptions route = route_by(Order::none);
  route.inside_records = 4;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 4; ++i) arrive(bench, i, bench.now + kWait);
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_EQ(bench.gate.early(PartitionId{0}), 4u);
  bench.pass(kWait);
  for (std::uint32_t i = 0; i < 4; ++i) bench.ended(i, Outcome::accepted);
  EXPECT_EQ(bench.all<Read>().size(), 1u);
}

}  // namespace
}  // namespace einlass::core::not_before_test
