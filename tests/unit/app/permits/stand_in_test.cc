#include "app/permits/stand_in.h"

#include <gtest/gtest.h>

#include <variant>

#include "app/setup/wiring.h"
#include "limits/fleet/local_share.h"

namespace einlass::app::stand_in_test {
namespace {

config::Limit limit(config::OnOutage on_outage, std::int64_t most) {
  config::Limit result;
  result.limit.name = "callbacks";
  result.limit.parameters = limits::SlidingLogParameters{{most}, Duration::seconds(1)};
  result.store = config::Store::redis;
  result.on_outage = on_outage;
  return result;
}

config::Config config_with(std::vector<config::Limit> limits, int instances) {
  config::Config config;
  config.instances = instances;
  config.limits = std::move(limits);
  config::Route route;
  for (std::size_t i = 0; i < config.limits.size(); ++i) route.limits.push_back(i);
  config.routes = {route};
  return config;
}

core::Ask ask(std::uint64_t number, std::int64_t most) {
  return {core::LineId{0}, core::AskId{number}, Permits{1}, Permits{most}, Duration{}};
}

struct Bench {
  explicit Bench(config::Config given) : config(std::move(given)), limits(config) {}

  core::PermitsAnswered answer(const core::Ask& to, Instant now) {
    stand_in.ask(to, core::RouteId{0}, keys, now);
    return std::get<core::PermitsAnswered>(events.back());
  }

  config::Config config;
  core::Events events;
  ProcessLimits limits;
  StandIn stand_in{config, limits, events};
  std::vector<std::string_view> keys = {"", ""};
};

constexpr Instant kNow{1'800'000'000'000'000};

TEST(StandIn, PassGrantsEverything) {
  Bench bench(config_with({limit(config::OnOutage::pass, 5)}, 1));
  const core::PermitsAnswered answer = bench.answer(ask(1, 200), kNow);
  EXPECT_EQ(answer.due.size(), 200u);
  EXPECT_TRUE(answer.stand_in);
  EXPECT_EQ(answer.limiter_now, kNow);
}

// Several lines are answered in one turn, and each answer is read later in it.
TEST(StandIn, AnAnswerLastsWhileOthersAreAnswered) {
  Bench bench(config_with({limit(config::OnOutage::pass, 5)}, 1));
  const core::PermitsAnswered first = bench.answer(ask(1, 1), kNow);
  core::Ask other = ask(2, 256);
  other.line = core::LineId{1};
  const core::PermitsAnswered second = bench.answer(other, kNow);
  EXPECT_EQ(first.due.data(), second.due.data());
  EXPECT_EQ(first.due[0], Duration{});
}

TEST(StandIn, LocalShareGrantsThisGatesPart) {
  Bench bench(config_with({limit(config::OnOutage::local_share, 100)}, 3));
  EXPECT_EQ(bench.answer(ask(1, 200), kNow).due.size(), 33u);
  const core::PermitsAnswered denied = bench.answer(ask(2, 1), kNow);
  EXPECT_TRUE(denied.due.empty());
  EXPECT_EQ(denied.retry, Duration::seconds(1));
}

TEST(StandIn, AKeyWithOtherNumbersHasItsPartOfThese) {
  config::Limit keyed = limit(config::OnOutage::local_share, 100);
  keyed.key.kind = config::KeySource::Kind::record_key;
  Bench bench(config_with({keyed}, 3));
  EXPECT_EQ(bench.answer(ask(1, 200), kNow).due.size(), 33u);
  config::LimitValue value{keyed.limit.parameters};
  std::get<limits::SlidingLogParameters>(value.parameters).limit = Permits{120};
  bench.limits.values().set(0, "", value);
  bench.stand_in.outdate(core::LineId{0});
  EXPECT_EQ(bench.answer(ask(2, 200), kNow).due.size(), 7u) << "forty, and what was spent is spent";
}

// A third of the rate, but not a third of the places: these are whole.
TEST(StandIn, AnAnswerSaysHowFarAheadTheShareGoes) {
  config::Limit queue = limit(config::OnOutage::local_share, 1);
  queue.limit.parameters = limits::LeakyBucketParameters{{1, 1'000}, {5}, true};
  Bench bench(config_with({queue}, 3));
  core::Ask asked = ask(1, 9);
  asked.horizon = Duration::seconds(1);
  EXPECT_EQ(bench.answer(asked, kNow).ahead, Duration::millis(3));
}

TEST(StandIn, TheReasonIsThePlaceInTheRoutesList) {
  Bench bench(config_with(
      {limit(config::OnOutage::pass, 100), limit(config::OnOutage::local_share, 3)}, 3));
  const core::PermitsAnswered answer = bench.answer(ask(1, 2), kNow);
  EXPECT_EQ(answer.due.size(), 1u);
  EXPECT_EQ(answer.reason, core::LimitIndex{1});
}

TEST(StandIn, WhatComesBackIsThereAgain) {
  Bench bench(config_with({limit(config::OnOutage::local_share, 1)}, 1));
  ASSERT_EQ(bench.answer(ask(1, 1), kNow).due.size(), 1u);
  bench.stand_in.release({core::LineId{0}, {core::AskId{1}, 0, kNow, Permits{1}, true}}, kNow);
  EXPECT_EQ(bench.answer(ask(2, 1), kNow).due.size(), 1u);
  bench.stand_in.forget(core::LineId{0});
  bench.stand_in.forget(core::LineId{0});
}

core::Permit permit_of(std::uint64_t ask) { return {core::AskId{ask}, 0, kNow, Permits{1}, true}; }

config::Limit places(std::int64_t most) {
  config::Limit result = limit(config::OnOutage::local_share, most);
  result.limit.name = "places";
  result.limit.parameters = limits::ConcurrencyParameters{{most}, Duration::seconds(3'600)};
  return result;
}

TEST(StandIn, AnAttemptThatEndsAfterAReloadFreesItsPlace) {
  Bench bench(config_with({places(2)}, 1));
  ASSERT_EQ(bench.answer(ask(1, 1), kNow).due.size(), 1u);
  ASSERT_EQ(bench.answer(ask(2, 1), kNow).due.size(), 1u);
  bench.stand_in.reconfigure(bench.config);
  bench.stand_in.ended({core::LineId{0}, permit_of(1)}, kNow);
  EXPECT_EQ(bench.answer(ask(3, 2), kNow).due.size(), 1u) << "before the line has asked again";
  bench.stand_in.ended({core::LineId{0}, permit_of(2)}, kNow);
  EXPECT_EQ(bench.answer(ask(4, 2), kNow).due.size(), 1u) << "and after";
}

// It was not taken of the limit that passed until then, and must bring that nothing.
TEST(StandIn, WhatComesBackAfterAReloadFreesItsPlaceAlone) {
  config::Limit bucket = limit(config::OnOutage::pass, 2);
  bucket.limit.parameters = limits::TokenBucketParameters{{1, 3'600'000'000}, {2}};
  Bench bench(config_with({bucket, places(2)}, 1));
  ASSERT_EQ(bench.answer(ask(1, 1), kNow).due.size(), 1u);
  bench.config.limits[0].on_outage = config::OnOutage::local_share;
  bench.stand_in.reconfigure(bench.config);
  ASSERT_EQ(bench.answer(ask(2, 2), kNow).due.size(), 1u) << "the other place";
  bench.stand_in.release({core::LineId{0}, permit_of(1)}, kNow);
  EXPECT_EQ(bench.answer(ask(3, 2), kNow).due.size(), 1u) << "the place, and the bucket's last";
  bench.stand_in.ended({core::LineId{0}, permit_of(3)}, kNow);
  EXPECT_TRUE(bench.answer(ask(4, 1), kNow).due.empty()) << "the bucket is empty";
}

TEST(StandIn, ALineKeepsToTheLimitsOfTheReload) {
  config::Limit log = limit(config::OnOutage::pass, 1);
  Bench bench(config_with({log, places(5)}, 1));
  ASSERT_EQ(bench.answer(ask(1, 2), kNow).due.size(), 2u);
  bench.config.limits[0].on_outage = config::OnOutage::local_share;
  bench.stand_in.reconfigure(bench.config);
  EXPECT_EQ(bench.answer(ask(2, 2), kNow).due.size(), 1u);
}

// The whole limit might pay for it, so it is not lost: it waits.
TEST(StandIn, WhatAShareCanNeverPayForWaits) {
  config::Limit dear = limit(config::OnOutage::local_share, 10);
  dear.limit.cost = Permits{8};
  Bench bench(config_with({dear}, 2));
  const core::PermitsAnswered answer = bench.answer(ask(1, 1), kNow);
  EXPECT_TRUE(answer.due.empty());
  EXPECT_TRUE(answer.retry.has_value());
}

// Only that record is meant, not those behind it: the gate sets it aside.
TEST(StandIn, WhereRecordsBringTheirCostItIsDeniedForGood) {
  config::Limit dear = limit(config::OnOutage::local_share, 10);
  dear.limit.cost_from_record = true;
  Bench bench(config_with({dear}, 2));
  core::Ask costly = ask(1, 1);
  costly.cost = Permits{8};
  const core::PermitsAnswered answer = bench.answer(costly, kNow);
  EXPECT_TRUE(answer.due.empty());
  EXPECT_FALSE(answer.retry.has_value());
  EXPECT_TRUE(answer.stand_in);
}

TEST(StandIn, OneLimitThatHoldsHoldsTheRoute) {
  const config::Config holds =
      config_with({limit(config::OnOutage::pass, 5), limit(config::OnOutage::hold, 5)}, 1);
  EXPECT_FALSE(may_stand_in(holds, holds.routes[0]));
  const config::Config passes = config_with({limit(config::OnOutage::pass, 5)}, 1);
  EXPECT_TRUE(may_stand_in(passes, passes.routes[0]));
}

TEST(Share, AddsUpToTheWholeAtMost) {
  const auto log = [](std::int64_t most) {
    return limits::SlidingLogParameters{{most}, Duration::seconds(1)};
  };
  const auto part = std::get<limits::SlidingLogParameters>(limits::local_share(log(100), 3));
  EXPECT_EQ(part.limit, Permits{33});
  EXPECT_EQ(std::get<limits::SlidingLogParameters>(limits::local_share(log(2), 3)).limit,
            Permits{1});
  const auto bucket = std::get<limits::TokenBucketParameters>(
      limits::local_share(limits::TokenBucketParameters{{1, 10'000}, {40}}, 3));
  EXPECT_EQ(bucket.rate, (limits::Rate{1, 30'000}));
  EXPECT_EQ(bucket.burst, Permits{13});
}

// Its permits are spread over as much of the window as those of the whole.
TEST(Share, HasItsPartOfTheBurstAndIsAsEven) {
  limits::SlidingLogParameters whole{{100}, Duration::seconds(1)};
  whole.even = 50;
  whole.burst = Permits{20};
  const auto part = std::get<limits::SlidingLogParameters>(limits::local_share(whole, 3));
  EXPECT_EQ(part.burst, Permits{6});
  EXPECT_EQ(part.even, 50);
  EXPECT_EQ(part.window, Duration::seconds(1));
  whole.burst = Permits{2};
  EXPECT_EQ(std::get<limits::SlidingLogParameters>(limits::local_share(whole, 3)).burst,
            Permits{1});
  whole.burst = Permits{0};
  EXPECT_EQ(std::get<limits::SlidingLogParameters>(limits::local_share(whole, 3)).burst, Permits{0})
      << "none stays none";
}

}  // namespace
}  // namespace einlass::app::stand_in_test
