// Which keys of a route have most records waiting.
#include "app/views/waiting_keys.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/setup/wiring.h"
#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};

// A limit by tenant that grants nothing for an hour, and a route without limits.
config::Config two_routes() {
  config::Config config;
  config::Limit limit;
  limit.limit.name = "per_tenant";
  limit.limit.parameters = limits::SlidingLogParameters{{0}, Duration::seconds(3600)};
  limit.key = {config::KeySource::Kind::header, "tenant"};
  config.limits = {limit};
  config.targets.resize(1);
  config.routes.resize(2);
  config.routes[0].limits = {0};
  config.routes[0].order = core::Order::none;
  return config;
}

// With one by user too.
config::Config two_limits() {
  config::Config config = two_routes();
  config.limits.push_back(config.limits[0]);
  config.limits[1].limit.name = "per_user";
  config.limits[1].key = {config::KeySource::Kind::header, "user"};
  config.routes[0].limits = {0, 1};
  return config;
}

struct Bench {
  explicit Bench(config::Config of = two_routes()) : config(std::move(of)) {
    gate.handle(core::PartitionAssigned{{0}, {0}, Offset{0}}, kNow, commands);
  }

  void arrive(const std::string& tenant, const std::string& user = "") {
    const kafka::Header headers[] = {{"tenant", tenant}, {"user", user}};
    kafka::Message message;
    message.headers = headers;
    const Stored stored(message);
    const LineAndCost found = limiters.line_of(stored.record);
    const auto number = static_cast<std::uint32_t>(next.value);
    gate.handle(core::RecordArrived{{0}, {number, 0}, next, found.line, {}, Bytes{1}}, kNow,
                commands);
    ++next.value;
  }

  std::vector<metrics::Route> routes() const {
    std::vector<metrics::Route> routes(2);
    for (const std::size_t i : config.routes[0].limits) {
      routes[0].limits.push_back(config.limits[i].limit.name);
    }
    routes[0].keyed = {true};
    add_waiting_keys(gate, limiters, config, routes);
    return routes;
  }

  config::Config config;
  ProcessLimits shared{config};
  boost::asio::io_context io;
  core::Events events;
  core::Commands commands;
  core::Gate gate{gate_options(config, ShardNumber{}, 1)};
  Limiters limiters{io, config, shared, RunId{}, events, [](const Notice&) {}, gate};
  Offset next{0};
};

TEST(WaitingKeys, TheFirstHaveMostAndTheRestIsOther) {
  Bench bench;
  for (int tenant = 1; tenant <= 13; ++tenant) {
    for (int i = 0; i < tenant; ++i) bench.arrive("tenant-" + std::to_string(tenant));
  }
  const std::vector<metrics::Route> routes = bench.routes();
  ASSERT_EQ(routes[0].keys.size(), metrics::kMostKeys);
  for (std::size_t i = 0; i < metrics::kMostKeys; ++i) {
    EXPECT_EQ(routes[0].keys[i].key, "tenant-" + std::to_string(13 - i));
    EXPECT_EQ(routes[0].keys[i].records, 13 - i);
  }
  EXPECT_EQ(routes[0].other_keys, 3u + 2u + 1u);
  EXPECT_TRUE(routes[1].keys.empty());
  EXPECT_EQ(routes[1].other_keys, 0u);
}

TEST(WaitingKeys, KeysOfTwoLimitsThatReadTheSameAreOne) {
  Bench bench(two_limits());
  bench.arrive("a b", "c");
  bench.arrive("a", "b c");
  bench.arrive("a", "b");
  const std::vector<metrics::Route> routes = bench.routes();
  ASSERT_EQ(routes[0].keys.size(), 2u);
  EXPECT_EQ(routes[0].keys[0].key, "a b c");
  EXPECT_EQ(routes[0].keys[0].records, 2u);
  EXPECT_EQ(routes[0].keys[1].key, "a b");
}

TEST(WaitingKeys, WhatKeepsABurstHasTheKeyOfItsLimitWhichIsSaidOnce) {
  config::Config paced = two_limits();
  paced.limits[1].key = paced.limits[0].key;
  paced.limits[1].limit.parameters = limits::SlidingLogParameters{{1}, Duration::seconds(60)};
  paced.limits[1].is_pace = true;
  Bench bench(std::move(paced));
  bench.arrive("acme");
  const std::vector<metrics::Route> routes = bench.routes();
  ASSERT_EQ(routes[0].keys.size(), 1u);
  EXPECT_EQ(routes[0].keys[0].key, "acme");
}

}  // namespace
}  // namespace einlass::app
