#include "core/gate/gate.h"

#include <gtest/gtest.h>

#include "unit/core/bench_gate.h"

namespace einlass::core::gate_test {
namespace {

RouteOptions free_route(Order order) {
  RouteOptions route;
  route.order = order;
  return route;
}

TEST(Gate, without_limits_a_record_leaves_as_it_comes) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  EXPECT_EQ(bench.sent(), Slots{0});
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.all<Forget>().size(), 1u);
  bench.pass(Duration::millis(200));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[0].entries[0].next, Offset{1});
}

TEST(Gate, in_order_of_partition_one_at_a_time_leaves) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.assign(1);
  bench.arrive(0, 0, 0);
  bench.arrive(1, 1, 0);
  bench.arrive(2, 0, 1);
  EXPECT_EQ(bench.sent(), (Slots{0, 2}));  // The other partition is not held up.
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.sent(), (Slots{0, 2, 1}));
}

TEST(Gate, in_order_of_key_other_keys_pass) {
  BenchGate bench(BenchGate::options_for(free_route(Order::key)));
  bench.assign(0);
  bench.arrive(0, 0, 0, 0, 7);
  bench.arrive(1, 1, 0, 0, 7);
  bench.arrive(2, 2, 0, 0, 8);
  bench.arrive(3, 3, 0, 0);  // Without a key there is no order.
  EXPECT_EQ(bench.sent(), (Slots{0, 2, 3}));
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.sent(), (Slots{0, 2, 3, 1}));
}

TEST(Gate, a_record_waits_for_a_permit_and_asks_again_exactly_when_told) {
  BenchGate bench(BenchGate::options_for(limited_route(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  bench.answer({}, Duration::millis(40));
  EXPECT_TRUE(bench.sent().empty());
  EXPECT_EQ(bench.gate.next_wakeup(), bench.now + Duration::millis(40));
  bench.pass(Duration::millis(40));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).limits[0].rejections, 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).limits[0].admissions, 1u);
}

// 2^32 ms are 49.7 days, 2^32 us are an hour and a quarter.
TEST(Gate, goes_on_for_a_hundred_days) {
  BenchGate bench(BenchGate::options_for(limited_route(Order::none)));
  bench.assign(0);
  for (std::uint32_t day = 0; day < 100; ++day) {
    bench.arrive(day, day);
    bench.answer({}, Duration::seconds(20));
    bench.pass(Duration::seconds(20));
    bench.answer({0});
    ASSERT_EQ(bench.sent().back(), day);
    bench.ended(day, Outcome::accepted);
    bench.pass(Duration::seconds(86'400));
    ASSERT_EQ(bench.all<Commit>().back().entries[0].next, Offset{day + 1});
    bench.put(CommitEnded{CommitResult::committed});
  }
  EXPECT_EQ(bench.gate.stats(RouteId{0}).delivered, 100u);
}

TEST(Gate, while_its_target_is_held_nobody_asks) {
  BenchGate bench(BenchGate::options_for(limited_route(Order::none), 1));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({0});
  bench.arrive(1, 1);
  // The first is still at the target, which has room for one; so the second asks only afterwards.
  bench.ended(0, Outcome::retry, 1, Duration::seconds(1));
  bench.pass(Duration::millis(999));
  const std::size_t asks = bench.all<Ask>().size();
  bench.pass(Duration::millis(1));
  ASSERT_GT(bench.all<Ask>().size(), asks);
  bench.answer({0});
  EXPECT_EQ(bench.sent().size(), 2u);
}

TEST(Gate, a_bucket_without_permits_does_not_hold_up_another) {
  RouteOptions route = limited_route(Order::none);
  route.keyless_limits = 0;
  BenchGate bench(BenchGate::options_for(route));
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.assign(0);
  bench.arrive(0, 0, 0, 0);
  bench.answer({}, Duration::seconds(60));
  bench.arrive(1, 1, 0, 1);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{1});
  bench.ended(1, Outcome::accepted);
  ASSERT_EQ(bench.all<ForgetLine>().size(), 1u);
  EXPECT_EQ(bench.all<ForgetLine>()[0].line, LineId{1});
}

TEST(Gate, a_record_read_just_before_its_partition_was_held_is_taken_in) {
  RouteOptions route = limited_route(Order::none);
  route.inside_records = 1;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  bench.arrive(1, 1);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).inside, 2u);
}

TEST(Gate, a_record_read_just_before_a_stop_is_kafkas_still) {
  BenchGate bench(BenchGate::options_for(limited_route(Order::none)));
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.assign(0);
  bench.put(StopRequested{bench.now});
  bench.arrive(0, 0, 0, 1);
  EXPECT_EQ(bench.all<Forget>().size(), 1u);
  EXPECT_EQ(bench.all<ForgetLine>().size(), 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).received, 0u);
}

// The place of an attempt that is given up is nobody's any more: all records are Kafka's again.
TEST(Gate, a_stop_without_patience_sends_nothing) {
  // However many places there are, some line waits aside because it has its part of them.
  for (std::uint32_t places = 1; places < 12; ++places) {
    BenchGate bench(BenchGate::options_for(free_route(Order::none), places));
    bench.gate.add_line(LineId{1}, RouteId{0}, false);
    bench.assign(0);
    bench.assign(1);
    for (std::uint32_t i = 0; i < 12; ++i) bench.arrive(i, i, i < 6 ? 0 : 1, i % 3 == 0 ? 1 : 0);
    for (std::uint32_t i = 12; i < 24; ++i) bench.arrive(i, i, i % 2);
    const std::size_t before = bench.sent().size();
    bench.put(StopRequested{bench.now});
    EXPECT_EQ(bench.sent().size(), before) << places;
  }
}

TEST(Gate, retry_after_holds_the_whole_target) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::retry, 1, Duration::seconds(2));
  bench.arrive(1, 1);
  bench.pass(Duration::millis(1999));
  EXPECT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::target], 2u);
  bench.pass(Duration::millis(1));
  EXPECT_EQ(bench.sent().size(), 3u);
}

TEST(Gate, a_store_that_is_down_is_asked_nothing_until_it_is_up) {
  BenchGate bench(BenchGate::options_for(limited_route(Order::none)));
  bench.assign(0);
  bench.put(StoreDown{StoreId{0}});
  bench.arrive(0, 0);
  bench.pass(Duration::seconds(60));
  EXPECT_TRUE(bench.all<Ask>().empty());
  EXPECT_EQ(bench.gate.waiting(bench.now)[0].records[Cause::outage], 1u);
  bench.put(StoreUp{StoreId{0}});
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(Gate, a_refused_record_goes_to_the_dead_letters_and_its_lane_goes_on) {
  RouteOptions route = free_route(Order::partition);
  route.dead_letter = true;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.ended(0, Outcome::refused);
  ASSERT_EQ(bench.all<DeadLetter>().size(), 1u);
  EXPECT_EQ(bench.sent(), Slots{0});  // Not before the dead letter is acknowledged.
  bench.put(DeadLetterEnded{RecordId{0, 0}, false});
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.all<DeadLetter>().size(), 2u);
  bench.put(DeadLetterEnded{RecordId{0, 0}, true});
  EXPECT_EQ(bench.sent(), (Slots{0, 1}));
  EXPECT_EQ(bench.gate.stats(RouteId{0}).dead_lettered[0], 1u);
}

TEST(Gate, without_a_dead_letter_topic_a_refused_record_is_tried_again_for_ever) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  for (std::uint32_t attempt = 1; attempt < 50; ++attempt) {
    bench.ended(0, Outcome::refused, attempt);
    bench.pass(Duration::seconds(31));
    ASSERT_EQ(bench.sent().size(), attempt + 1);
  }
}

TEST(Gate, an_answer_that_comes_twice_is_ignored) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::retry);
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).delivered, 0u);
  bench.pass(Duration::seconds(1));
  bench.ended(0, Outcome::accepted, 2);
  bench.ended(0, Outcome::accepted, 2);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).delivered, 1u);
}

TEST(Gate, a_revoked_partition_finishes_what_is_in_flight_and_commits) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(5)});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 1u);
  EXPECT_TRUE(bench.all<PartitionDone>().empty());
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  EXPECT_EQ(bench.all<Commit>()[0].entries[0].next, Offset{1});
  EXPECT_TRUE(bench.all<PartitionDone>().empty());
  bench.put(CommitEnded{CommitResult::committed});
  EXPECT_EQ(bench.all<PartitionDone>().size(), 1u);
}

TEST(Gate, after_the_deadline_what_is_in_flight_is_abandoned_and_forgotten_when_it_ends) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(5)});
  bench.pass(Duration::seconds(5));
  EXPECT_EQ(bench.all<PartitionDone>().size(), 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 1u);
  EXPECT_TRUE(bench.all<Forget>().empty());
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.all<Forget>().size(), 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).delivered, 0u);
}

TEST(Gate, of_a_lost_partition_nothing_is_committed) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::accepted);
  bench.put(PartitionLost{PartitionId{0}});
  EXPECT_EQ(bench.all<PartitionDone>().size(), 1u);
  bench.pass(Duration::seconds(10));
  EXPECT_TRUE(bench.all<Commit>().empty());
}

TEST(Gate, a_commit_that_the_group_refuses_is_the_last_one) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  bench.put(CommitEnded{CommitResult::fenced});
  bench.ended(1, Outcome::accepted);
  bench.pass(Duration::seconds(10));
  EXPECT_EQ(bench.all<Commit>().size(), 1u);
}

TEST(Gate, a_late_refusal_does_not_touch_a_new_assignment) {
  BenchGate bench(BenchGate::options_for(free_route(Order::none)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(100));
  bench.put(PartitionLost{PartitionId{0}});
  bench.assign(1);
  bench.put(CommitEnded{CommitResult::fenced});
  bench.arrive(1, 1, 1);
  bench.ended(1, Outcome::accepted);
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Commit>().size(), 2u);
}

TEST(Gate, what_finished_ahead_travels_with_the_commit_and_is_not_delivered_again) {
  RouteOptions route;
  route.order = Order::none;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0, 5);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arrive(i, 5 + i);
  bench.ended(1, Outcome::accepted);
  bench.ended(3, Outcome::accepted);
  bench.pass(Duration::millis(200));
  const CommitEntry entry = bench.all<Commit>().back().entries[0];
  EXPECT_EQ(entry.next, Offset{5});
  const auto finished = read_finished(entry.next, entry.finished);
  ASSERT_TRUE(finished);
  EXPECT_EQ(*finished, (std::vector<OffsetRange>{{Offset{6}, Offset{7}}, {Offset{8}, Offset{9}}}));

  BenchGate later(BenchGate::options_for(route));
  later.put(PartitionAssigned{PartitionId{0}, RouteId{0}, entry.next, *finished});
  for (std::uint32_t i = 0; i < 4; ++i) later.arrive(i, 5 + i);
  EXPECT_EQ(later.sent(), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(later.all<Forget>().size(), 2u);
  EXPECT_EQ(later.gate.stats(RouteId{0}).received, 2u);
  EXPECT_EQ(later.gate.stats(RouteId{0}).finished_before, 2u);
  later.ended(0, Outcome::accepted);
  later.ended(2, Outcome::accepted);
  later.pass(Duration::millis(200));
  EXPECT_EQ(later.all<Commit>().back().entries[0].next, Offset{9});
}

TEST(Gate, a_partition_is_held_before_its_finished_offsets_outgrow_a_commit) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route, 1000);
  options.most_finished_text = 100;
  BenchGate bench(options);
  bench.assign(0);
  std::uint32_t count = 0;
  while (bench.all<PartitionHold>().empty() && count < 500) bench.arrive(count, count), ++count;
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_EQ(bench.all<PartitionHold>()[0].reason, PartitionHoldReason::ledger_full);
  for (std::uint32_t i = 1; i < count; i += 2) bench.ended(i, Outcome::accepted);
  bench.pass(Duration::millis(200));
  const CommitEntry entry = bench.all<Commit>().back().entries[0];
  EXPECT_LE(entry.finished.size(), 100u);
  EXPECT_EQ(read_finished(entry.next, entry.finished)->size(), count / 2);
  for (std::uint32_t i = 0; i < count; i += 2) bench.ended(i, Outcome::accepted);
  EXPECT_EQ(bench.all<Read>().size(), 1u) << "older records have finished";
}

TEST(Gate, an_empty_partition_is_read_on_however_much_was_finished_before) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route);
  options.most_finished_text = 64;
  BenchGate bench(options);
  std::vector<OffsetRange> before;
  for (std::int64_t i = 0; i < 31; ++i) before.push_back({Offset{2 * i + 1}, Offset{2 * i + 2}});
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{0}, before});
  bench.arrive(0, 0);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 1u);
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.all<Read>().size(), 1u);
}

TEST(Gate, a_stop_ends_with_stopped) {
  BenchGate bench(BenchGate::options_for(free_route(Order::partition)));
  bench.assign(0);
  bench.assign(1);
  bench.arrive(0, 0, 0);
  bench.put(StopRequested{bench.now + Duration::seconds(5)});
  EXPECT_EQ(bench.all<PartitionDone>().size(), 1u);  // The one with nothing inside.
  bench.ended(0, Outcome::accepted);
  bench.pass(Duration::millis(100));
  bench.put(CommitEnded{CommitResult::committed});
  EXPECT_EQ(bench.all<PartitionDone>().size(), 2u);
  EXPECT_EQ(bench.all<Stopped>().size(), 1u);
}

}  // namespace
}  // namespace einlass::core::gate_test
