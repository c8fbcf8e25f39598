// What people are told of a record that does not leave.
#include <gtest/gtest.h>

#include <vector>

#include "bench_gate.h"

namespace einlass::core {
namespace {

// Partition 0 is read from offset 10.
struct LimitedGate : BenchGate {
  explicit LimitedGate(Order order, std::uint32_t places = 64)
      : BenchGate(options_for(two_limits(order), places)) {
    assign(0, 10);
  }
};

Standing of(const BenchGate& bench, std::uint32_t record) {
  const auto standing = bench.gate.standing(record, bench.now);
  EXPECT_TRUE(standing) << "record " << record << " is not inside";
  return standing.value_or(Standing{});
}

void deny(BenchGate& bench, std::uint8_t limit, Duration retry) {
  const Ask ask = bench.all<Ask>().back();
  bench.put(PermitsAnswered{ask.line, ask.ask, {}, bench.now, retry, LimitIndex{limit}});
}

TEST(Standing, behind_another_of_its_partition) {
  LimitedGate bench(Order::partition);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arrive(i, 10 + i);
  const Standing third = of(bench, 2);
  EXPECT_EQ(third.waits, WaitsFor::order);
  EXPECT_EQ(third.before, 2u);
  EXPECT_EQ(third.first, 0u);
  EXPECT_FALSE(third.until);
}

TEST(Standing, denied_by_the_second_limit_until_it_may_be_asked_again) {
  LimitedGate bench(Order::none);
  for (std::uint32_t i = 0; i < 3; ++i) bench.arrive(i, 10 + i);
  EXPECT_FALSE(of(bench, 0).limit) << "nobody has answered yet";
  EXPECT_FALSE(of(bench, 0).until);
  deny(bench, 1, Duration::millis(40));
  const Standing last = of(bench, 2);
  EXPECT_EQ(last.waits, WaitsFor::permit);
  EXPECT_EQ(last.limit, LimitIndex{1});
  EXPECT_EQ(last.until, bench.now + Duration::millis(40));
  EXPECT_EQ(last.before, 2u);
}

TEST(Standing, with_a_permit_that_is_not_due_yet) {
  LimitedGate bench(Order::none);
  bench.arrive(0, 10);
  bench.answer({30});
  EXPECT_EQ(of(bench, 0).waits, WaitsFor::permit);
  EXPECT_EQ(of(bench, 0).until, bench.now + Duration::millis(30));
}

TEST(Standing, with_permits_and_no_room_at_the_target) {
  LimitedGate bench(Order::none, 1);
  bench.arrive(0, 10);
  bench.answer({0});
  EXPECT_EQ(of(bench, 0).waits, WaitsFor::answer);
  EXPECT_EQ(of(bench, 0).attempt, Attempt{1});
  bench.arrive(1, 11);
  EXPECT_EQ(of(bench, 1).waits, WaitsFor::turn);
}

TEST(Standing, until_its_request_is_full_or_has_waited_long_enough) {
  RouteOptions route;
  route.order = Order::none;
  GateOptions options = BenchGate::options_for(route);
  options.targets[0].batch.records = 3;
  options.targets[0].batch.linger = Duration::millis(20);
  BenchGate bench(options);
  bench.assign(0);
  bench.arrive(0, 10);
  EXPECT_EQ(of(bench, 0).waits, WaitsFor::company);
  EXPECT_EQ(of(bench, 0).until, bench.now + Duration::millis(20));
}

TEST(Standing, behind_a_pause_of_the_target) {
  LimitedGate bench(Order::none);
  bench.arrive(0, 10);
  bench.answer({0});
  bench.arrive(1, 11);
  bench.ended(0, Outcome::retry, 1, Duration::seconds(5));
  EXPECT_EQ(of(bench, 1).waits, WaitsFor::hold);
  EXPECT_EQ(of(bench, 1).until, bench.now + Duration::seconds(5));
  EXPECT_EQ(of(bench, 0).waits, WaitsFor::retry);
  ASSERT_TRUE(of(bench, 0).until);
  EXPECT_LE(*of(bench, 0).until, bench.now + Duration::millis(200));
  EXPECT_GE(*of(bench, 0).until, bench.now);
}

TEST(Standing, while_the_store_is_away) {
  LimitedGate bench(Order::none);
  bench.put(StoreDown{StoreId{0}});
  bench.arrive(0, 10);
  EXPECT_EQ(of(bench, 0).waits, WaitsFor::outage);
}

TEST(Standing, after_an_ask_that_failed) {
  LimitedGate bench(Order::none);
  bench.arrive(0, 10);
  const Ask ask = bench.all<Ask>().back();
  bench.put(PermitsFailed{ask.line, ask.ask, Duration::seconds(1)});
  EXPECT_EQ(of(bench, 0).waits, WaitsFor::outage);
  EXPECT_FALSE(of(bench, 0).limit);
}

TEST(Standing, looking_changes_nothing) {
  LimitedGate bench(Order::none);
  bench.arrive(0, 10);
  const auto wakeup = bench.gate.next_wakeup();
  const std::size_t commands = bench.commands.size();
  of(bench, 0);
  bench.gate.find(PartitionId{0}, Offset{10});
  EXPECT_EQ(bench.gate.next_wakeup(), wakeup);
  EXPECT_EQ(bench.commands.size(), commands);
}

TEST(LongestLines, come_first_and_are_no_more_than_asked_for) {
  LimitedGate bench(Order::none);
  std::uint32_t record = 0;
  for (std::uint32_t line = 0; line < 9; ++line) {
    if (line > 0) bench.gate.add_line(LineId{line}, RouteId{0}, true);
    for (std::uint32_t i = 0; i < (line * 5) % 9; ++i, ++record) {
      bench.arrive(record, 10 + record, 0, line);
    }
  }
  deny(bench, 1, Duration::millis(40));
  const auto longest = bench.gate.longest_lines(3, bench.now);
  ASSERT_EQ(longest.size(), 3u);
  EXPECT_EQ(longest[0].line, LineId{7});
  EXPECT_EQ(longest[0].waiting, 8u);
  EXPECT_EQ(longest[1].line, LineId{5});
  EXPECT_EQ(longest[2].line, LineId{3});
  EXPECT_EQ(longest[0].waits, WaitsFor::permit);
  EXPECT_EQ(bench.gate.longest_lines(100, bench.now).size(), 8u) << "the empty one is left out";
}

TEST(Find, what_became_of_an_offset) {
  LimitedGate bench(Order::none);
  bench.arrive(0, 10);
  bench.arrive(1, 11);
  bench.arrive(2, 14);  // 12 and 13 never were: a transaction's marker, or compacted away.
  bench.answer({0});
  bench.answer({0});
  bench.ended(1, Outcome::accepted);
  const auto where = [&](std::int64_t offset) {
    return bench.gate.find(PartitionId{0}, Offset{offset}).where;
  };
  EXPECT_EQ(where(9), Whereabouts::finished) << "committed before this gate had the partition";
  EXPECT_EQ(where(10), Whereabouts::inside);
  EXPECT_EQ(where(11), Whereabouts::finished);
  EXPECT_EQ(where(12), Whereabouts::finished);
  EXPECT_EQ(where(14), Whereabouts::inside);
  EXPECT_EQ(where(15), Whereabouts::not_yet);
  EXPECT_EQ(bench.gate.find(PartitionId{0}, Offset{14}).slot, 2u);
  EXPECT_EQ(bench.gate.find(PartitionId{7}, Offset{10}).where, Whereabouts::elsewhere);
}

TEST(Find, what_was_finished_by_whoever_had_the_partition_before) {
  BenchGate bench(BenchGate::options_for(two_limits(Order::none)));
  const std::vector<OffsetRange> finished = {{Offset{20}, Offset{22}}};
  bench.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{10}, finished});
  bench.arrive(0, 10);
  const auto where = [&](std::int64_t offset) {
    return bench.gate.find(PartitionId{0}, Offset{offset}).where;
  };
  EXPECT_EQ(where(21), Whereabouts::finished);
  EXPECT_EQ(where(22), Whereabouts::not_yet);
}

TEST(Find, what_was_given_back) {
  LimitedGate bench(Order::none);
  bench.arrive(0, 10);
  bench.answer({0});
  bench.arrive(1, 11);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  EXPECT_EQ(bench.gate.find(PartitionId{0}, Offset{10}).where, Whereabouts::inside);
  EXPECT_EQ(bench.gate.find(PartitionId{0}, Offset{11}).where, Whereabouts::returned);
}

}  // namespace
}  // namespace einlass::core
