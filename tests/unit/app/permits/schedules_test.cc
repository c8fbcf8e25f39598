// Numbers that come and go with the time of the week, in simulated time.
#include "app/permits/schedules.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "app/permits/limiters.h"
#include "app/permits/stand_in.h"
#include "app/setup/wiring.h"
#include "config/limits/limit_values.h"
#include "text/timestamp.h"
#include "unit/app/record/stored.h"
#include "unit/config/wrong_config.h"

namespace einlass::app::schedules_test {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};  // Of the limiters.
constexpr Duration kJust = Duration::micros(1);

Instant at(const std::string& text) { return *parse_timestamp(text, NoZone::refused); }
// The beginning and the end of kDay on a Wednesday.
const Instant kBegins = at("2026-11-25T07:00:00Z"), kEnds = at("2026-11-25T17:00:00Z");
const std::string kDay = "08:00-18:00 Mon-Fri Europe/Berlin";

config::Config config_of(const std::string& limit, const std::string& top = "") {
  return std::get<config::Config>(
      config::parse_config(top + "limits: {l: {" + limit + "}}\n" + config::kTargets +
                               "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n",
                           "F", config::test_environment));
}

// Ten an hour, and other numbers by day.
config::Config by_day(const std::string& numbers, const std::string& more = "key: none") {
  return config_of("algorithm: sliding_log, limit: 10, window: 1h, even: 0%, " + more +
                   ", schedule: {'" + kDay + "': {" + numbers + "}}");
}

config::LimitValue quota(const config::Config& config, int limit) {
  const config::Change change{"limit", std::to_string(limit), true, 1, 1};
  return std::get<config::LimitValue>(config::read_value(config, 0, {{change}}, {"Q", 1, 1}));
}

// One shard of a process that is told the time.
struct Bench {
  explicit Bench(const config::Config& given, Instant wall)
      : config(given),
        now(wall),
        shared(config),
        schedules(
            io, config, shared.values(), [this] { return now; },
            [this](const Notice& notice) { notices.push_back(notice.detail); }),
        gate(gate_options(config, ShardNumber{}, 1)),
        limiters(
            io, config, shared, RunId{}, events, [](const Notice&) {}, gate) {}

  void look(Instant wall) {
    now = wall;
    schedules.look();
  }

  void reload(const config::Config& next) {
    shared.change(next);
    schedules.reconfigure(next);
    limiters.reconfigure(next);
  }

  core::LineId line(const std::string& key = "k") {
    kafka::Message message;
    message.topic = "a";
    message.key = key;
    const Stored stored(message);
    return limiters.line_of(stored.record).line;
  }

  std::size_t granted(core::LineId line, std::int64_t most = 100) {
    events.clear();
    limiters.ask({line, core::AskId{++asks}, Permits{1}, Permits{most}, Duration{}}, kNow);
    return std::get<core::PermitsAnswered>(events.back()).due.size();
  }

  // The lines of which the gate is told: they ask at once, whatever they wait for; and of which of
  // them limits without key have changed.
  std::map<std::uint32_t, bool> told() {
    events.clear();
    limiters.look_at_values();
    std::map<std::uint32_t, bool> lines;
    for (const core::Event& event : events) {
      const auto& changed = std::get<core::LimitsChanged>(event);
      lines[changed.line.value] = changed.shared;
    }
    return lines;
  }

  std::string span() { return shared.values().scheduled(0).value().span; }

  config::Config config;
  Instant now;
  boost::asio::io_context io;
  std::vector<std::string> notices;
  ProcessLimits shared;
  Schedules schedules;
  core::Events events;
  core::Gate gate;
  Limiters limiters;
  std::uint64_t asks = 0;
};

using Told = std::map<std::uint32_t, bool>;

TEST(Schedules, ALimitWithoutKeyHasOtherNumbersFromTheInstantOnAndNothingIsForgotten) {
  Bench bench(by_day("limit: 15"), kBegins - kJust);
  const core::LineId line = bench.line();
  EXPECT_EQ(bench.granted(line), 10u);
  EXPECT_TRUE(bench.told().empty());
  bench.look(kBegins);
  EXPECT_EQ(bench.told(), (Told{{line.value, true}}));
  EXPECT_EQ(bench.granted(line), 5u) << "ten are spent";
  EXPECT_EQ(bench.span(), kDay);
  bench.look(kEnds - kJust);
  EXPECT_TRUE(bench.told().empty());
  bench.look(kEnds);
  EXPECT_EQ(bench.told(), (Told{{line.value, true}}));
  EXPECT_EQ(bench.granted(line), 0u) << "fifteen are spent, of ten";
  EXPECT_EQ(bench.span(), "");
}

TEST(Schedules, WhatHoldsAtTheStartHoldsForTheFirstAsk) {
  Bench bench(by_day("limit: 15"), kBegins);
  EXPECT_FALSE(bench.limiters.has_more());
  EXPECT_EQ(bench.granted(bench.line()), 15u);
  EXPECT_EQ(bench.notices, std::vector<std::string>{"limit l: the numbers of " + kDay + " hold"});
}

TEST(Schedules, AKeyWithNumbersOfItsOwnKeepsThem) {
  Bench bench(by_day("limit: 15", "key: record_key, overrides: {acme: {limit: 3}}"), kBegins);
  bench.shared.values().set(0, "paid", quota(bench.config, 30));
  EXPECT_EQ(bench.granted(bench.line("acme")), 3u);
  EXPECT_EQ(bench.granted(bench.line("paid")), 30u);
  EXPECT_EQ(bench.granted(bench.line("other")), 15u);
  EXPECT_TRUE(bench.limiters.scheduled(bench.line("other"), 0));
  EXPECT_FALSE(bench.limiters.scheduled(bench.line("paid"), 0));
  bench.told();
  bench.look(kEnds);
  const auto told = bench.told();
  EXPECT_FALSE(told.at(bench.line("other").value)) << "its own bucket alone";
  EXPECT_FALSE(told.contains(bench.line("acme").value) || told.contains(bench.line("paid").value));
  bench.look(kBegins + Duration::seconds(24 * 3600));
  bench.shared.values().set(0, "paid", std::nullopt);
  bench.told();
  EXPECT_EQ(bench.granted(bench.line("paid")), 0u) << "the schedule's again, and more is spent";
  EXPECT_TRUE(bench.limiters.scheduled(bench.line("paid"), 0));
}

TEST(Schedules, ABurstThatAnotherLimitKeepsFollows) {
  Bench bench(config_of("algorithm: fixed_window, limit: 100, window: 10s, burst: 10, "
                        "schedule: {'" +
                        kDay + "': {limit: 1000, burst: 50}}"),
              kBegins - kJust);
  EXPECT_EQ(bench.granted(bench.line()), 10u);
  bench.look(kBegins);
  bench.told();
  EXPECT_EQ(bench.granted(bench.line()), 40u) << "fifty at once, of which ten are spent";
  const auto of_the_burst = bench.shared.values().scheduled(1).value();
  EXPECT_EQ(of_the_burst.span, kDay);
  EXPECT_EQ(std::get<limits::SlidingLogParameters>(of_the_burst.value->parameters).limit,
            Permits{50});
}

TEST(Schedules, AReloadBringsChangesAndTakesAwaySchedules) {
  const config::Config none = config_of("algorithm: sliding_log, limit: 10, window: 1h, even: 0%");
  const config::Config one = by_day("limit: 15"), more = by_day("limit: 18");
  Bench bench(none, kBegins);
  EXPECT_FALSE(bench.shared.values().scheduled(0));
  EXPECT_EQ(bench.granted(bench.line()), 10u);
  bench.reload(one);
  EXPECT_EQ(bench.granted(bench.line()), 5u);
  bench.reload(more);
  EXPECT_EQ(bench.granted(bench.line()), 3u);
  bench.reload(more);
  EXPECT_EQ(bench.granted(bench.line()), 0u);
  bench.reload(none);
  EXPECT_FALSE(bench.shared.values().scheduled(0));
  EXPECT_EQ(bench.granted(bench.line()), 0u);
  EXPECT_EQ(bench.notices.size(), 1u) << "one span has begun";
  bench.look(kEnds);
  EXPECT_EQ(bench.notices.size(), 1u);
}

TEST(Schedules, AClockThatIsSetIsFollowed) {
  Bench bench(by_day("limit: 15"), kBegins);
  const Duration day = Duration::seconds(24 * 3600);
  bench.look(kBegins + day * 3);  // To Saturday,
  EXPECT_EQ(bench.span(), "");
  bench.look(kEnds - kJust);  // and back.
  EXPECT_EQ(bench.span(), kDay);
  EXPECT_EQ(bench.shared.values().scheduled(0)->until, kEnds);
  bench.look(kBegins - kJust);
  EXPECT_EQ(bench.span(), "");
  EXPECT_EQ(bench.shared.values().scheduled(0)->until, kBegins);
  EXPECT_EQ(bench.notices.size(), 4u);
}

TEST(Schedules, AStandInHasItsPartOfThem) {
  const config::Config config = config_of(
      "algorithm: sliding_log, limit: 30, window: 1h, even: 0%, store: redis, on_outage: "
      "local_share, schedule: {'" +
          kDay + "': {limit: 60}}",
      "instances: 3\n");
  boost::asio::io_context io;
  ProcessLimits limits(config);
  Schedules schedules(
      io, config, limits.values(), [] { return kBegins; }, [](const Notice&) {});
  core::Events events;
  StandIn stand_in(config, limits, events);
  stand_in.ask({core::LineId{0}, core::AskId{1}, Permits{1}, Permits{100}, Duration{}},
               core::RouteId{0}, {""}, kNow);
  EXPECT_EQ(std::get<core::PermitsAnswered>(events.back()).due.size(), 20u);
}

// Not by looking now and then: soon after the beginning of a span that is not the second's.
TEST(Schedules, TheTimerRingsWhenASpanBegins) {
  const auto started = std::chrono::steady_clock::now();
  const Instant first = kBegins - Duration::millis(30);
  const auto wall = [&] {
    const auto passed = std::chrono::steady_clock::now() - started;
    return first +
           Duration::micros(std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
  };
  const config::Config config = by_day("limit: 15");
  boost::asio::io_context io;
  LimitValues values(config);
  Schedules schedules(io, config, values, wall, [](const Notice&) {});
  ASSERT_EQ(values.scheduled(0)->until, kBegins);
  while (values.scheduled(0)->span.empty()) io.run_one();
  EXPECT_GE(wall(), kBegins);
  EXPECT_LT(wall(), kBegins + Schedules::kLook / 2);
}

TEST(Schedules, TheClockIsLookedAtWhateverItHasShown) {
  Instant now = kBegins - Duration::seconds(3600);
  const config::Config config = by_day("limit: 15");
  boost::asio::io_context io;
  LimitValues values(config);
  Schedules schedules(
      io, config, values, [&] { return now; }, [](const Notice&) {});
  now = kBegins;
  EXPECT_EQ(io.run_one_for(std::chrono::minutes(1)), 1u);
  EXPECT_EQ(values.scheduled(0)->span, kDay);
}

}  // namespace
}  // namespace einlass::app::schedules_test
