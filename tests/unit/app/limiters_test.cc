// The limits in memory of a process under other numbers.
#include "app/limiters.h"

#include <gtest/gtest.h>

#include <utility>
#include <variant>

#include "app/wiring.h"

namespace einlass::app {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};

config::Config bucket_of(std::int64_t burst, std::int64_t cost) {
  config::Config config;
  config::Limit limit;
  limit.limit.name = "callbacks";
  limit.limit.parameters = limits::TokenBucketParameters{{1, 3'600'000'000}, {burst}};
  limit.limit.cost = Permits{cost};
  config.limits = {limit};
  config.targets.resize(1);
  config.routes.resize(1);
  config.routes[0].limits = {0};
  return config;
}

// One shard of the process.
struct Bench {
  Bench(const config::Config& config, ProcessLimits& shared)
      : gate(gate_options(config, ShardPlace{}, 1)),
        limiters(
            io, config, shared, RunId{}, events, [](const Notice&) {}, gate) {}

  std::size_t granted(std::int64_t most) {
    events.clear();
    limiters.ask({core::LineId{0}, core::AskId{++asks}, Permits{1}, Permits{most}, Duration{}},
                 kNow);
    return std::get<core::PermitsAnswered>(events.back()).due.size();
  }

  void release(std::uint64_t ask) {
    limiters.release({core::LineId{0}, {core::AskId{ask}, 0, kNow}, Duration{}}, kNow);
  }

  boost::asio::io_context io;
  core::Events events;
  core::Gate gate;
  Limiters limiters;
  std::uint64_t asks = 0;
};

TEST(Limiters, ALimitInMemoryIsOneForAllShards) {
  const config::Config config = bucket_of(10, 1);
  ProcessLimits shared(config);
  Bench one(config, shared);
  Bench other(config, shared);
  EXPECT_EQ(one.granted(6), 6u);
  EXPECT_EQ(other.granted(6), 4u);
}

TEST(Limiters, OtherNumbersKeepWhatWasSpent) {
  const config::Config before = bucket_of(10, 1);
  const config::Config after = bucket_of(10, 5);
  ProcessLimits shared(before);
  Bench bench(before, shared);
  EXPECT_EQ(bench.granted(3), 3u);
  shared.change(after);
  bench.limiters.reconfigure(after);
  EXPECT_EQ(bench.granted(9), 1u) << "of the seven that are left five are one";
}

// It took 1 and would bring 5.
TEST(Limiters, APermitOfAnotherCostIsNotGivenBack) {
  const config::Config before = bucket_of(10, 1);
  const config::Config after = bucket_of(10, 5);
  ProcessLimits shared(before);
  Bench bench(before, shared);
  EXPECT_EQ(bench.granted(10), 10u);
  shared.change(after);
  bench.limiters.reconfigure(after);
  EXPECT_EQ(bench.granted(1), 0u);
  bench.release(1);
  EXPECT_EQ(bench.granted(1), 0u);
}

TEST(Limiters, APermitOfTheSameCostIsGivenBackAfterAReload) {
  const config::Config config = bucket_of(10, 1);
  ProcessLimits shared(config);
  Bench bench(config, shared);
  EXPECT_EQ(bench.granted(10), 10u);
  bench.limiters.reconfigure(config);
  bench.release(1);
  EXPECT_EQ(bench.granted(2), 1u);
}

}  // namespace
}  // namespace einlass::app
