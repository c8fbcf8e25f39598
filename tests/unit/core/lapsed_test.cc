// A Send that was not carried out, for its permit had lapsed by then: the record waits for another
// one, and nothing of that counts.
#include <gtest/gtest.h>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

RouteOptions strict_route(Order order) {
  RouteOptions route;
  route.order = order;
  route.limit_count = 1;
  route.use_within = Duration::millis(1);
  route.strict = true;
  route.attempts = 1;
  route.dead_letter = true;
  return route;
}

void lapse(BenchGate& bench, std::uint32_t record, std::uint32_t attempt) {
  DeliveryEnded ended{};
  ended.record = RecordId{record, 0};
  ended.attempt = Attempt{attempt};
  ended.outcome = Outcome::retry;
  ended.counts = ended.asked = false;
  ended.lapsed = true;
  bench.put(ended);
}

TEST(Lapsed, the_record_gets_another_permit_at_once_and_loses_no_attempt) {
  for (const Order order : {Order::partition, Order::none}) {
    BenchGate bench(BenchGate::options_for(strict_route(order)));
    bench.assign(0);
    bench.arrive(0, 0);
    for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
      ASSERT_EQ(bench.all<Ask>().size(), attempt);
      bench.answer({0});
      ASSERT_EQ(bench.sent().size(), attempt);
      EXPECT_EQ(bench.all<Send>().back().line, LineId{0});
      EXPECT_EQ(bench.all<Send>().back().due, bench.now);
      lapse(bench, 0, attempt);
      bench.pass(Duration{});
    }
    bench.answer({0});
    bench.ended(0, Outcome::accepted, 4);
    const RouteStats& stats = bench.gate.stats(RouteId{0});
    EXPECT_EQ(stats.delivered, 1u);
    EXPECT_EQ(stats.limits[0].admissions, 1u);
    EXPECT_EQ(stats.limits[0].released, 3u);
    EXPECT_EQ(stats.attempts_retry, 0u);
    EXPECT_TRUE(bench.all<DeadLetter>().empty());
  }
}

TEST(Lapsed, those_behind_it_stay_behind_it) {
  BenchGate bench(BenchGate::options_for(strict_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.arrive(1, 1);
  bench.answer({0});
  lapse(bench, 0, 1);
  bench.pass(Duration{});
  bench.answer({0});
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 0}));
}

TEST(Lapsed, a_record_of_a_partition_that_leaves_goes_back) {
  BenchGate bench(BenchGate::options_for(strict_route(Order::partition)));
  bench.assign(0);
  bench.arrive(0, 0);
  bench.answer({0});
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  lapse(bench, 0, 1);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 1u);
  EXPECT_EQ(bench.all<PartitionDone>().size(), 1u);
}

}  // namespace
}  // namespace einlass::core
