// The lines of a shard, whose keys have numbers of their own: from the file, set while it runs, and
// taken away again.
#include "app/permits/line_values.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "app/permits/limiters.h"
#include "app/setup/wiring.h"
#include "config/limits/limit_values.h"
#include "unit/app/record/stored.h"
#include "unit/config/wrong_config.h"

namespace einlass::app::line_values_test {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};

config::Config log_with(const std::string& more = "") {
  return std::get<config::Config>(config::parse_config(
      "limits: {l: {algorithm: sliding_log, limit: 10, window: 1h, even: 0%, key: record_key" +
          more + "}}\n" + config::kTargets +
          "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n",
      "F", config::test_environment));
}

config::LimitValue of(const config::Config& config, int limit) {
  const config::Change change{"limit", std::to_string(limit), true, 1, 1};
  return std::get<config::LimitValue>(config::read_value(config, 0, {{change}}, {"Q", 1, 1}));
}

// One shard of the process.
struct Bench {
  Bench(const config::Config& config, ProcessLimits& shared)
      : gate(gate_options(config, ShardNumber{}, 1)),
        limiters(
            io, config, shared, RunId{}, events, [](const Notice&) {}, gate) {}

  core::LineId line(const std::string& key) {
    kafka::Message message;
    message.topic = "a";
    message.key = key;
    const Stored stored(message);
    return limiters.line_of(stored.record).line;
  }

  std::size_t granted(core::LineId line, std::int64_t most) {
    events.clear();
    limiters.ask({line, core::AskId{++asks}, Permits{1}, Permits{most}, Duration{}}, kNow);
    return std::get<core::PermitsAnswered>(events.back()).due.size();
  }

  // The lines that the gate is told of in one turn.
  std::set<std::uint32_t> told() {
    events.clear();
    limiters.look_at_values();
    std::set<std::uint32_t> lines;
    for (const core::Event& event : events) {
      lines.insert(std::get<core::LimitsChanged>(event).line.value);
    }
    return lines;
  }

  boost::asio::io_context io;
  core::Events events;
  core::Gate gate;
  Limiters limiters;
  std::uint64_t asks = 0;
};

TEST(LineValues, ALineGoesByTheNumbersOfItsKeyFromTheBeginning) {
  const config::Config config = log_with(", overrides: {acme: {limit: 3}, big-*: {limit: 20}}");
  ProcessLimits shared(config);
  Bench bench(config, shared);
  EXPECT_EQ(bench.granted(bench.line("acme"), 50), 3u);
  EXPECT_EQ(bench.granted(bench.line("big-one"), 50), 20u);
  EXPECT_EQ(bench.granted(bench.line("other"), 50), 10u);
  const auto limit_of = [&](const std::string& key) {
    const auto& in_force = bench.limiters.in_force(bench.line(key), 0);
    return std::get<limits::SlidingLogParameters>(in_force).limit;
  };
  EXPECT_EQ(limit_of("acme"), Permits{3});
  EXPECT_EQ(limit_of("other"), Permits{10});
}

TEST(LineValues, WhatIsSetHoldsForALineThatIsThereAndSpentStaysSpent) {
  const config::Config config = log_with();
  ProcessLimits shared(config);
  Bench bench(config, shared);
  const core::LineId acme = bench.line("acme"), other = bench.line("other");
  EXPECT_EQ(bench.granted(acme, 8), 8u);
  EXPECT_TRUE(bench.told().empty());
  shared.values().set(0, "acme", of(config, 15));
  EXPECT_EQ(bench.told(), std::set<std::uint32_t>{acme.value});
  EXPECT_EQ(bench.granted(acme, 50), 7u);
  EXPECT_EQ(bench.granted(other, 50), 10u);
  shared.values().set(0, "acme", of(config, 12));
  EXPECT_EQ(bench.told(), std::set<std::uint32_t>{acme.value});
  EXPECT_EQ(bench.granted(acme, 50), 0u);
  shared.values().set(0, "acme", of(config, 17));
  bench.told();
  EXPECT_EQ(bench.granted(acme, 50), 2u);
  shared.values().set(0, "acme", std::nullopt);
  EXPECT_EQ(bench.told(), std::set<std::uint32_t>{acme.value});
  EXPECT_EQ(bench.granted(acme, 50), 0u) << "the limit's own again, and more is spent";
}

TEST(LineValues, TwoShardsUseOneBucketWhileOneKnowsOtherNumbers) {
  const config::Config config = log_with();
  ProcessLimits shared(config);
  Bench one(config, shared), other(config, shared);
  const core::LineId of_one = one.line("acme"), of_other = other.line("acme");
  shared.values().set(0, "acme", of(config, 15));
  one.told();
  EXPECT_EQ(one.granted(of_one, 50), 15u);
  EXPECT_EQ(other.granted(of_other, 50), 0u) << "by the old ones, which are 10";
  shared.values().set(0, "acme", of(config, 18));
  other.told();
  EXPECT_EQ(other.granted(of_other, 50), 3u);
  EXPECT_EQ(one.granted(of_one, 50), 0u);
}

TEST(LineValues, AReloadChangesThoseOfTheFile) {
  const config::Config before = log_with(", overrides: {acme: {limit: 3}}");
  const config::Config after = log_with(", overrides: {acme: {limit: 5}}");
  const config::Config without = log_with();
  ProcessLimits shared(before);
  Bench bench(before, shared);
  const core::LineId acme = bench.line("acme");
  EXPECT_EQ(bench.granted(acme, 50), 3u);
  shared.change(after);
  bench.limiters.reconfigure(after);
  EXPECT_EQ(bench.granted(acme, 50), 2u);
  shared.change(without);
  bench.limiters.reconfigure(without);
  EXPECT_EQ(bench.granted(acme, 50), 5u);
}

TEST(LineValues, AWalkTakesAFewLinesATurnAndFindsThemAll) {
  const config::Config config = log_with();
  ProcessLimits shared(config);
  Bench bench(config, shared);
  constexpr std::uint32_t kLines = 3 * LineValues::kLooksPerTurn;
  std::vector<core::LineId> lines;
  for (std::uint32_t i = 0; i < kLines; ++i) lines.push_back(bench.line("k" + std::to_string(i)));
  EXPECT_FALSE(bench.limiters.has_more());
  for (std::uint32_t i = 0; i < kLines; ++i) {
    shared.values().set(0, "k" + std::to_string(i), of(config, 20));
  }
  std::set<std::uint32_t> found;
  int turns = 0;
  for (; bench.limiters.has_more(); ++turns) {
    const auto told = bench.told();
    EXPECT_LE(told.size(), LineValues::kLooksPerTurn);
    found.insert(told.begin(), told.end());
  }
  EXPECT_GE(turns, 3);
  EXPECT_EQ(found.size(), kLines);
  EXPECT_EQ(bench.granted(lines.front(), 50), 20u);
}

TEST(LineValues, AChangeDuringTheWalkMakesItGoRoundOnceMore) {
  const config::Config config = log_with();
  ProcessLimits shared(config);
  Bench bench(config, shared);
  std::vector<core::LineId> lines;
  for (std::uint32_t i = 0; i < 2 * LineValues::kLooksPerTurn; ++i) {
    lines.push_back(bench.line("k" + std::to_string(i)));
  }
  shared.values().set(0, "nobody", of(config, 20));
  EXPECT_TRUE(bench.told().empty());
  shared.values().set(0, "k0", of(config, 20));  // The walk is past that one.
  std::set<std::uint32_t> found;
  while (bench.limiters.has_more()) {
    const auto told = bench.told();
    found.insert(told.begin(), told.end());
  }
  EXPECT_EQ(found, std::set<std::uint32_t>{lines[0].value});
}

TEST(LineValues, AChangeWakesAShardThatSleeps) {
  const config::Config config = log_with();
  ProcessLimits shared(config);
  Bench bench(config, shared);
  EXPECT_EQ(bench.io.poll(), 0u);
  bench.io.restart();
  shared.values().set(0, "acme", of(config, 20));
  shared.values().set(0, "acme", of(config, 21));
  EXPECT_EQ(bench.io.poll(), 1u) << "once, for both";
  bench.io.restart();
  bench.told();
  shared.values().set(0, "acme", of(config, 22));
  EXPECT_EQ(bench.io.poll(), 1u);
}

}  // namespace
}  // namespace einlass::app::line_values_test
