// How old records are when they are delivered, by their own timestamps.
#include "app/shard/delivery_delays.h"

#include <gtest/gtest.h>

#include <vector>

namespace einlass::app::delivery_delays_test {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};

// One route without limits; its records are under way as soon as they arrive.
struct Bench {
  Bench() : gate(options()) {
    gate.add_line(core::LineId{0}, core::RouteId{0}, true);
    gate.handle(core::PartitionAssigned{{0}, {0}, Offset{0}}, kNow, commands);
  }

  static core::GateOptions options() {
    core::GateOptions options;
    options.routes = {core::RouteOptions{}};
    options.targets = {{64}};
    options.stores = 1;
    return options;
  }

  core::RecordId arrive(std::int64_t timestamp_ms, std::int64_t offset) {
    kafka::Message message;
    message.timestamp_ms = timestamp_ms;
    const core::RecordId id = records.put(message, core::RouteId{0});
    records[id].arrived = kNow;
    gate.handle(core::RecordArrived{{0}, id, Offset{offset}, {0}, {}, Bytes{1}}, kNow, commands);
    return id;
  }

  void end(core::RecordId record, core::Outcome outcome, Instant now) {
    const core::DeliveryEnded ended{record, core::Attempt{1}, outcome, std::nullopt};
    delays.note(ended, gate, records, now);
    gate.handle(ended, now, commands);
  }

  std::uint64_t noted() const {
    std::uint64_t count = 0;
    for (const std::uint64_t one : delays.of(core::RouteId{0}).counts) count += one;
    return count;
  }

  core::Gate gate;
  core::Commands commands;
  RecordStore records;
  DeliveryDelays delays{1};
};

TEST(DeliveryDelays, is_from_the_records_own_timestamp) {
  Bench bench;
  const core::RecordId id = bench.arrive(kNow.us / 1000 - 3'600'000, 0);
  bench.end(id, core::Outcome::accepted, kNow + Duration::seconds(2));
  EXPECT_EQ(bench.delays.of(core::RouteId{0}).sum_us, 3'602'000'000u);
  EXPECT_EQ(bench.noted(), bench.gate.stats(core::RouteId{0}).delivered);
}

TEST(DeliveryDelays, counts_what_was_delivered_and_nothing_else) {
  Bench bench;
  const core::RecordId id = bench.arrive(kNow.us / 1000, 0);
  bench.end(id, core::Outcome::retry, kNow);
  EXPECT_EQ(bench.noted(), 0u) << "it is tried again";
  bench.end(id, core::Outcome::accepted, kNow);
  EXPECT_EQ(bench.noted(), 0u) << "that attempt was over";
  EXPECT_EQ(bench.gate.stats(core::RouteId{0}).delivered, 0u);
}

TEST(DeliveryDelays, of_a_time_that_is_none_is_since_it_was_taken_in) {
  Bench bench;
  constexpr std::int64_t kNever = 9'000'000'000'000'000'000;
  const std::int64_t ahead = kNow.us / 1000 + 60'000;
  std::vector<core::RecordId> records;
  for (const std::int64_t timestamp : {std::int64_t{-1}, kNever, ahead}) {
    records.push_back(bench.arrive(timestamp, static_cast<std::int64_t>(records.size())));
  }
  for (const core::RecordId id : records) {
    bench.end(id, core::Outcome::accepted, kNow + Duration::seconds(1));
  }
  EXPECT_EQ(bench.noted(), 3u);
  EXPECT_EQ(bench.delays.of(core::RouteId{0}).sum_us, 2'000'000u) << "a clock ahead is no delay";
}

}  // namespace
}  // namespace einlass::app::delivery_delays_test
