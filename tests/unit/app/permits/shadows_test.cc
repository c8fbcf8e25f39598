// What limits that nobody obeys say of the attempts that leave.
#include "app/permits/shadows.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace einlass::app::shadows_test {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};
constexpr core::RouteId kShadowed{1};

config::Limit bucket(const char* name, std::int64_t burst) {
  config::Limit limit;
  limit.limit.name = name;
  limit.limit.parameters = limits::TokenBucketParameters{{1, 1'000'000}, {burst}};
  limit.shadow = true;
  return limit;
}

config::Limit of_attempts_under_way(std::int64_t most) {
  config::Limit limit;
  limit.limit.name = "places";
  limit.limit.parameters = limits::ConcurrencyParameters{{most}, Duration::seconds(60)};
  limit.shadow = true;
  return limit;
}

// The second of two routes has these shadow limits, and the first has none.
config::Config with(std::vector<config::Limit> limits) {
  config::Config config;
  config.limits = std::move(limits);
  config.targets.resize(1);
  config.routes.resize(2);
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    config.routes[kShadowed.value].shadow_limits.push_back(i);
  }
  return config;
}

struct Bench {
  explicit Bench(config::Config from)
      : config(std::move(from)),
        shared(config),
        shadows(io, config, shared, [](const Notice&) {}),
        records(json_needs(config)) {}

  // One attempt to deliver a record with this key and value.
  core::Send send(std::string_view key, std::string_view value = "{}",
                  core::RouteId route = kShadowed) {
    kafka::Message message;
    message.topic = "results";
    message.key = key;
    message.value = value;
    const core::RecordId record = records.put(message, route);
    const core::Send send{.record = record, .target = {}, .attempt = {1}, .permit = {}};
    shadows.sent(send, records[record]);
    return send;
  }
  void send(int times, std::string_view key = "") {
    for (int i = 0; i < times; ++i) send(key);
  }

  void end(const core::Send& attempt) {
    shadows.ended({.record = attempt.record,
                   .attempt = attempt.attempt,
                   .outcome = core::Outcome::accepted,
                   .hold_target = {}},
                  now);
  }

  // What the limit at that index has said since the beginning, as admitted and rejected.
  std::pair<int, int> said(std::size_t index = 0, std::uint64_t unanswered = 0) {
    shadows.flush(now);
    const ShadowCounts counts = shadows.counts(kShadowed)[index];
    EXPECT_EQ(counts.unanswered, unanswered);
    return {static_cast<int>(counts.admitted), static_cast<int>(counts.rejected)};
  }

  const config::Config config;
  boost::asio::io_context io;
  ProcessLimits shared;
  Shadows shadows;
  RecordStore records;
  Instant now = kNow;
};

using Said = std::pair<int, int>;

TEST(Shadows, SayWhatTheyWouldHaveLetThrough) {
  Bench bench(with({bucket("tried", 3)}));
  bench.send(5);
  EXPECT_EQ(bench.said(), Said(3, 2));
  bench.now = bench.now + Duration::seconds(2);
  bench.send(5);
  EXPECT_EQ(bench.said(), Said(5, 5));
}

TEST(Shadows, EachDecidesAlone) {
  Bench bench(with({bucket("small", 1), bucket("large", 4)}));
  bench.send(5);
  EXPECT_EQ(bench.said(0), Said(1, 4));
  EXPECT_EQ(bench.said(1), Said(4, 1)) << "what the first rejects is nothing to the second";
}

TEST(Shadows, RoutesWithoutOneAreNotAskedAbout) {
  Bench bench(with({bucket("tried", 3)}));
  bench.send("", "{}", core::RouteId{0});
  EXPECT_EQ(bench.said(), Said(0, 0));
  EXPECT_TRUE(bench.shadows.counts(core::RouteId{0}).empty());
}

TEST(Shadows, EachKeyHasABucketOfItsOwn) {
  config::Limit limit = bucket("tried", 2);
  limit.key.kind = config::KeySource::Kind::record_key;
  Bench bench(with({limit}));
  bench.send(3, "acme");
  bench.send(1, "other");
  EXPECT_EQ(bench.said(), Said(3, 1));
  bench.send(1, "acme");
  EXPECT_EQ(bench.said(), Said(3, 2)) << "the bucket is the same after its line was forgotten";
}

TEST(Shadows, GoByTheirSchedules) {
  Bench bench(with({bucket("tried", 3)}));
  bench.send(5);
  EXPECT_EQ(bench.said(), Said(3, 2));
  config::LimitValue value{bucket("tried", 8).limit.parameters};
  bench.shared.values().schedule(0, "08:00-18:00 Mon-Fri UTC", kNever, value);
  bench.now = bench.now + Duration::seconds(30);
  bench.send(10);
  EXPECT_EQ(bench.said(), Said(11, 4));
}

TEST(Shadows, EachReadsItsOwnCost) {
  config::Limit by_bytes = bucket("by_bytes", 10);
  by_bytes.limit.cost_from_record = true;
  by_bytes.cost = {config::CostSource::Kind::bytes, ""};
  config::Limit by_units = bucket("by_units", 10);
  by_units.limit.cost_from_record = true;
  by_units.cost = {config::CostSource::Kind::json, "/u"};
  Bench bench(with({by_bytes, bucket("by_one", 1), by_units}));
  bench.send("", R"({"u":7})");
  bench.send("", R"({"u":3})");
  EXPECT_EQ(bench.said(0), Said(1, 1)) << "7 bytes each";
  EXPECT_EQ(bench.said(1), Said(1, 1));
  EXPECT_EQ(bench.said(2), Said(2, 0)) << "7 and 3";
}

TEST(Shadows, RecordsBringTheirCosts) {
  config::Limit limit = bucket("tried", 10);
  limit.limit.cost_from_record = true;
  limit.cost = {config::CostSource::Kind::json, "/units"};
  Bench bench(with({limit}));
  for (const char* value : {R"({"units":4})", "{}", R"({"units":4})", R"({"units":4})"}) {
    bench.send("", value);
  }
  EXPECT_EQ(bench.said(), Said(3, 1)) << "two of 4 and one of 1 fit into 10";
}

TEST(Shadows, PlacesOfAttemptsComeBackWhenTheyEnd) {
  Bench bench(with({of_attempts_under_way(2)}));
  const core::Send first = bench.send("");
  bench.send(2);
  EXPECT_EQ(bench.said(), Said(2, 1));
  bench.end(first);
  bench.send(2);
  EXPECT_EQ(bench.said(), Said(3, 2));
}

TEST(Shadows, AnAttemptThatEndedBeforeItWasAskedAboutTakesNobodysPlace) {
  Bench bench(with({of_attempts_under_way(1)}));
  bench.end(bench.send(""));
  EXPECT_EQ(bench.said(0, 1), Said(0, 0));
  bench.end(bench.send(""));
  bench.send(1);
  EXPECT_EQ(bench.said(0, 2), Said(1, 0));
}

TEST(Shadows, OneAttemptsPlaceIsNotTheNextOnes) {
  Bench bench(with({of_attempts_under_way(2)}));
  core::Send attempt = bench.send("");
  EXPECT_EQ(bench.said(), Said(1, 0));
  bench.end(attempt);
  ++attempt.attempt.value;
  bench.shadows.sent(attempt, bench.records[attempt.record]);
  bench.end({.record = attempt.record, .target = {}, .attempt = {1}, .permit = {}});
  EXPECT_EQ(bench.said(), Said(2, 0)) << "an end that is told again is not the next attempt's";
  bench.send(2);
  EXPECT_EQ(bench.said(), Said(3, 1));
}

TEST(Shadows, GoOnUnderOtherNumbers) {
  Bench bench(with({bucket("tried", 2)}));
  bench.send(2);
  EXPECT_EQ(bench.said(), Said(2, 0));
  const config::Config after = with({bucket("tried", 5)});
  bench.shared.change(after);
  bench.shadows.reconfigure(after);
  bench.send(1);
  EXPECT_EQ(bench.said(), Said(2, 1)) << "what was spent stays spent";
  bench.now = bench.now + Duration::seconds(60);
  bench.send(6);
  EXPECT_EQ(bench.said(), Said(7, 2));
}

TEST(Shadows, LearnOtherCostsWhilePlacesAreTaken) {
  Bench bench(with({of_attempts_under_way(3)}));
  bench.send(1);
  EXPECT_EQ(bench.said(), Said(1, 0));
  config::Limit dearer = of_attempts_under_way(3);
  dearer.limit.cost = Permits{2};
  const config::Config after = with({dearer});
  bench.shared.change(after);
  bench.shadows.reconfigure(after);
  bench.send(2);
  EXPECT_EQ(bench.said(), Said(2, 1)) << "one of 1 and one of 2 are all that there is";
}

// While an answer is long in coming: here nobody asks at all.
TEST(Shadows, NoMoreWaitThanThereIsRoomFor) {
  Bench bench(with({bucket("tried", 1)}));
  bench.send(Shadows::kMostWaiting + 7);
  bench.shadows.flush(bench.now);
  const ShadowCounts counts = bench.shadows.counts(kShadowed)[0];
  EXPECT_EQ(counts.unanswered, 7u);
  EXPECT_EQ(counts.admitted + counts.rejected, Shadows::kMostWaiting);
}

}  // namespace
}  // namespace einlass::app::shadows_test
