// The limits in memory of a process: under other numbers, and what goes back to them.
#include "app/permits/limiters.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "app/setup/wiring.h"

namespace einlass::app {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};

config::Limit limit_of(limits::Parameters parameters, std::int64_t cost = 1) {
  config::Limit limit;
  limit.limit = {"callbacks", parameters, Permits{cost}};
  return limit;
}

config::Config with(std::vector<config::Limit> limits) {
  config::Config config;
  config.targets.resize(1);
  config.routes.resize(1);
  for (std::size_t i = 0; i < limits.size(); ++i) config.routes[0].limits.push_back(i);
  config.limits = std::move(limits);
  return config;
}

config::Limit bucket(std::int64_t burst, std::int64_t cost = 1) {
  return limit_of(limits::TokenBucketParameters{{1, 3'600'000'000}, {burst}}, cost);
}

config::Config bucket_of(std::int64_t burst, std::int64_t cost) {
  return with({bucket(burst, cost)});
}

config::Limit places(std::int64_t most, std::int64_t cost = 1) {
  return limit_of(limits::ConcurrencyParameters{{most}, Duration::seconds(3'600)}, cost);
}

// One shard of the process.
struct Bench {
  Bench(const config::Config& config, ProcessLimits& shared)
      : gate(gate_options(config, ShardNumber{}, 1)),
        limiters(
            io, config, shared, RunId{}, events, [](const Notice&) {}, gate) {}

  std::size_t granted(std::int64_t most) {
    events.clear();
    limiters.ask({core::LineId{0}, core::AskId{++asks}, Permits{1}, Permits{most}, Duration{}},
                 kNow);
    return std::get<core::PermitsAnswered>(events.back()).due.size();
  }

  void release(std::uint64_t ask, Duration age = {}) {
    limiters.release({core::LineId{0}, {core::AskId{ask}, 0, kNow}, age}, kNow);
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

constexpr Duration kLate = Duration::seconds(7);

// It cannot tell what it would have lost meanwhile by being full.
TEST(Limiters, ABucketGetsNothingBackThatComesTooLate) {
  for (const limits::Parameters& parameters : std::initializer_list<limits::Parameters>{
           limits::TokenBucketParameters{{1, 3'600'000'000}, {3}},
           limits::SmoothParameters{{1, 3'600'000'000}, {3}, Duration{}},
           limits::LeakyBucketParameters{{1, 3'600'000'000}, {3}}}) {
    const config::Config config = with({limit_of(parameters)});
    ProcessLimits shared(config);
    Bench bench(config, shared);
    ASSERT_EQ(bench.granted(3), 3u);
    bench.release(1, kLate);
    EXPECT_EQ(bench.granted(1), 0u) << parameters.index();
  }
}

TEST(Limiters, APlaceComesBackHoweverLate) {
  const config::Config config = with({places(3)});
  ProcessLimits shared(config);
  Bench bench(config, shared);
  ASSERT_EQ(bench.granted(3), 3u);
  bench.release(1, kLate);
  EXPECT_EQ(bench.granted(3), 1u);
}

TEST(Limiters, APermitOfALongWindowComesBackHoweverLate) {
  const config::Config config =
      with({limit_of(limits::SlidingLogParameters{{3}, Duration::seconds(3'600)})});
  ProcessLimits shared(config);
  Bench bench(config, shared);
  ASSERT_EQ(bench.granted(3), 3u);
  bench.release(1, kLate);
  EXPECT_EQ(bench.granted(3), 1u);
}

TEST(Limiters, APlaceComesBackLateFromBesideABucketThatGetsNothing) {
  const config::Config config = with({bucket(4), places(3)});
  ProcessLimits shared(config);
  Bench bench(config, shared);
  ASSERT_EQ(bench.granted(3), 3u);
  bench.release(1, kLate);
  EXPECT_EQ(bench.granted(1), 1u) << "the place, and the bucket's fourth";
  bench.release(1, kLate);
  bench.release(2, kLate);
  EXPECT_EQ(bench.granted(1), 0u) << "the bucket is empty";
}

TEST(Limiters, APlaceThatHadAnotherCostComesBack) {
  const config::Config before = with({bucket(4, 1), places(3)});
  const config::Config after = with({bucket(4, 2), places(3)});
  ProcessLimits shared(before);
  Bench bench(before, shared);
  ASSERT_EQ(bench.granted(2), 2u);
  ASSERT_EQ(bench.granted(1), 1u);
  shared.change(after);
  bench.limiters.reconfigure(after);
  bench.release(2);
  EXPECT_EQ(bench.granted(1), 0u) << "the bucket got nothing";
  const config::Config cheap = with({bucket(4, 1), places(3)});
  shared.change(cheap);
  bench.limiters.reconfigure(cheap);
  EXPECT_EQ(bench.granted(2), 1u) << "one place, and the bucket's last";
}

// What it was told of its next permit was the word of who answers no more.
TEST(Limiters, ALineWithAStandInAsksAnewWhenRedisGoesAndWhenItComes) {
  config::Limit shared = bucket(10);
  shared.store = config::Store::redis;
  shared.on_outage = config::OnOutage::local_share;
  const config::Config config = with({shared});
  ProcessLimits limits(config);
  Bench bench(config, limits);
  for (const bool down : {true, false}) {
    bench.events.clear();
    bench.limiters.redis_down(down);
    while (bench.limiters.has_more()) bench.limiters.look_at_values();
    ASSERT_EQ(bench.events.size(), 1u) << down;
    const auto& told = std::get<core::LimitsChanged>(bench.events.front());
    EXPECT_EQ(told.line, core::LineId{0});
    EXPECT_TRUE(told.shared);
  }
}

}  // namespace
}  // namespace einlass::app
