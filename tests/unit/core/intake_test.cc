#include "core/records/intake.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

constexpr std::int64_t kInside = 120;

// A dead target's route: nothing that comes in ever leaves, unless the test says so.
BenchGate dead_gate(std::int64_t records, std::int64_t bytes = 1 << 20) {
  GateOptions options = BenchGate::options_for(RouteOptions{});
  options.inside_records = records;
  options.inside_bytes = Bytes{bytes};
  return BenchGate(options);
}

// Which partitions are read, by what the gate has said.
struct Reading {
  explicit Reading(BenchGate& its_bench) : bench(its_bench) {}

  bool is_read(std::uint32_t partition) const {
    bool read = true;
    for (const Command& command : bench.commands) {
      if (const auto* hold = std::get_if<PartitionHold>(&command))
        read &= hold->partition.value != partition;
      if (const auto* again = std::get_if<Read>(&command)) {
        read |= again->partition.value == partition;
      }
    }
    return read;
  }

  // Records of the partition, as many as it may have.
  int fill(std::uint32_t partition) {
    int count = 0;
    for (; is_read(partition); ++count) {
      bench.arrive(slot, offsets[partition]++, partition);
      slots[partition].push_back(slot++);
    }
    return count;
  }

  // The oldest of the partition is delivered.
  void deliver(std::uint32_t partition) {
    bench.ended(slots[partition].front(), Outcome::accepted);
    slots[partition].erase(slots[partition].begin());
  }

  BenchGate& bench;
  std::uint32_t slot = 0;
  std::map<std::uint32_t, std::int64_t> offsets;
  std::map<std::uint32_t, std::vector<std::uint32_t>> slots;
};

TEST(Intake, a_full_partition_is_held_and_read_again_when_a_quarter_is_free) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = 1;
  route.inside_records = 4;
  BenchGate bench(BenchGate::options_for(route));
  bench.assign(0);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arrive(i, i);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 1u);
  bench.answer({0});
  EXPECT_TRUE(bench.all<Read>().empty());
  bench.ended(0, Outcome::accepted);
  bench.answer({0});
  bench.ended(1, Outcome::accepted);
  EXPECT_EQ(bench.all<Read>().size(), 1u);
}

TEST(Intake, a_partition_has_no_more_inside_than_is_still_free_for_others) {
  BenchGate bench = dead_gate(kInside);
  Reading reading(bench);
  bench.assign(0);
  EXPECT_EQ(reading.fill(0), 45) << "as much as is left of three quarters of 120";
  ASSERT_EQ(bench.all<PartitionHold>().size(), 1u);
  EXPECT_EQ(bench.all<PartitionHold>()[0].reason, PartitionHoldReason::gate_full);
}

TEST(Intake, whoever_comes_after_those_that_stand_still_is_read) {
  BenchGate bench = dead_gate(kInside);
  Reading reading(bench);
  for (std::uint32_t i = 0; i < 10; ++i) bench.assign(i);
  std::int64_t inside = 0;
  for (std::uint32_t i = 0; i < 9; ++i) inside += reading.fill(i);
  EXPECT_LT(inside, kInside - 1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(reading.fill(9), 1) << i;
    while (!reading.slots[9].empty()) reading.deliver(9);
  }
}

TEST(Intake, bytes_are_shared_like_records) {
  BenchGate bench = dead_gate(1'000'000, 12'000);
  Reading reading(bench);
  bench.assign(0);
  EXPECT_EQ(reading.fill(0), 45) << "of 100 bytes each";
  bench.assign(1);
  EXPECT_EQ(reading.fill(1), 23);
}

TEST(Intake, room_that_others_make_is_given_on) {
  BenchGate bench = dead_gate(kInside);
  Reading reading(bench);
  bench.assign(0);
  bench.assign(1);
  reading.fill(0);
  reading.fill(1);
  bench.assign(2);
  const int few = reading.fill(2);
  ASSERT_FALSE(reading.is_read(2));
  while (!reading.slots[0].empty()) reading.deliver(0);
  EXPECT_TRUE(reading.is_read(2)) << "none of its own has left";
  EXPECT_GT(reading.fill(2), few);
}

// More partitions than there is room for records.
TEST(Intake, a_full_gate_stays_within_its_bound_and_each_partition_has_its_turn) {
  constexpr std::uint32_t kPartitions = 6;
  BenchGate bench = dead_gate(4);
  Reading reading(bench);
  for (std::uint32_t i = 0; i < kPartitions; ++i) bench.assign(i);
  std::set<std::uint32_t> served;
  std::uint32_t next = 0;
  for (int round = 0; round < 200; ++round) {
    for (std::uint32_t i = 0; i < kPartitions; ++i) {
      const std::uint32_t partition = (i + next) % kPartitions;  // They take turns, as in Kafka.
      if (reading.fill(partition) > 0) served.insert(partition);
    }
    const auto inside = bench.gate.stats(RouteId{0}).inside;
    EXPECT_TRUE(inside >= 3 && inside <= 4) << inside;
    while (reading.slots[next].empty()) next = (next + 1) % kPartitions;
    reading.deliver(next);
    next = (next + 1) % kPartitions;
  }
  EXPECT_EQ(served.size(), kPartitions);
}

}  // namespace
}  // namespace einlass::core
