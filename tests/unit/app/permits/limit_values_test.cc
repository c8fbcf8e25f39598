#include "app/permits/limit_values.h"

#include <gtest/gtest.h>

#include <string>

#include "app/record/extract.h"
#include "config/limits/limit_values.h"
#include "unit/config/wrong_config.h"

namespace einlass::app::limit_values_test {
namespace {

using limits::FixedWindowParameters;
using limits::SlidingLogParameters;

config::Config config_of(const std::string& limits) {
  return std::get<config::Config>(
      config::parse_config("limits: {" + limits + "}\n" + config::kTargets +
                               "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n",
                           "F", config::test_environment));
}

config::Config log_with(const std::string& more) {
  return config_of("l: {algorithm: sliding_log, limit: 10, window: 1s, even: 0%, key: topic, " +
                   more + "}");
}

config::LimitValue read(const config::Config& config, const std::string& name,
                        const std::string& value) {
  const config::Change change{name, value, false, 1, 1};
  return std::get<config::LimitValue>(config::read_value(config, 0, {{change}}, {"Q", 1, 1}));
}

std::int64_t limit_of(const LimitValues::Found& found) {
  if (!found) return 0;
  return std::get<SlidingLogParameters>(found->parameters).limit.value;
}

TEST(LimitValues, ofTheFileGoByKeyThenByTheLongestPattern) {
  const LimitValues values(
      log_with("overrides: {eu-*: {limit: 2}, eu-west-*: {limit: 3}, eu-west-1: {limit: 4}, "
               "'*': {limit: 5}}"));
  EXPECT_EQ(limit_of(values.find(0, "eu-west-1")), 4);
  EXPECT_EQ(limit_of(values.find(0, "eu-west-2")), 3);
  EXPECT_EQ(limit_of(values.find(0, "eu-")), 2);
  EXPECT_EQ(limit_of(values.find(0, "eu")), 5);
  EXPECT_EQ(limit_of(values.find(0, "")), 5);
}

TEST(LimitValues, aQuotaGoesBeforeTheFileUntilItIsTakenAway) {
  const config::Config config = log_with("overrides: {a: {limit: 2}}");
  LimitValues values(config);
  EXPECT_FALSE(values.find(0, "b"));
  const std::uint64_t before = values.version();
  values.set(0, "a", read(config, "limit", "7"));
  values.set(0, "b", read(config, "limit", "8"));
  EXPECT_EQ(values.version(), before + 2);
  EXPECT_EQ(values.size(), 2u);
  EXPECT_EQ(limit_of(values.find(0, "a")), 7);
  EXPECT_EQ(limit_of(values.find(0, "b")), 8);
  EXPECT_EQ(limit_of(values.find(0, "c")), 0);
  values.set(0, "a", std::nullopt);
  values.set(0, "b", std::nullopt);
  EXPECT_EQ(values.size(), 0u);
  EXPECT_EQ(limit_of(values.find(0, "a")), 2);
  EXPECT_EQ(limit_of(values.find(0, "b")), 0);
}

// A bucket goes by the hash of such a key.
TEST(LimitValues, aLongKeyIsFoundAsItsBucketHasIt) {
  const std::string quota(kLongestKey + 1, 'q'), of_file(kLongestKey + 1, 'f');
  const config::Config config = log_with("overrides: {" + of_file + ": {limit: 2}}");
  LimitValues values(config);
  const auto found = [&](const std::string& key) {
    std::string scratch;
    return limit_of(values.find(0, bounded_key(key, scratch)));
  };
  EXPECT_EQ(found(of_file), 2);
  EXPECT_EQ(found(quota), 0);
  values.set(0, quota, read(config, "limit", "7"));
  EXPECT_EQ(found(quota), 7);
  values.set(0, quota, std::nullopt);
  EXPECT_EQ(found(quota), 0);
}

TEST(LimitValues, whatIsSetAgainIsNoChange) {
  const config::Config config = log_with("");
  LimitValues values(config);
  values.set(0, "a", read(config, "limit", "7"));
  const std::uint64_t before = values.version();
  values.set(0, "a", read(config, "limit", "7"));
  values.set(0, "never set", std::nullopt);
  EXPECT_EQ(values.version(), before);
}

TEST(LimitValues, aBurstThatIsSetAgainIsNoChange) {
  const config::Config config = config_of(
      "l: {algorithm: fixed_window, limit: 100, window: 10s, burst: 10, key: topic}");
  LimitValues values(config);
  values.set(0, "a", read(config, "limit", "7"));
  values.set(0, std::string(kLongestKey, 'k'), read(config, "burst", "2"));
  const std::uint64_t before = values.version();
  values.set(0, "a", read(config, "limit", "7"));
  EXPECT_EQ(values.version(), before);
  values.set(0, "a", read(config, "burst", "3"));
  EXPECT_EQ(values.version(), before + 1);
  EXPECT_EQ(values.size(), 2u);
  EXPECT_NE(values.find(1, "a"), nullptr);
  EXPECT_NE(values.find(0, std::string(kLongestKey, 'k')), nullptr);
}

TEST(LimitValues, equalNumbersAreThereOnce) {
  const config::Config config = log_with("overrides: {a: {limit: 7}, x*: {limit: 7}}");
  LimitValues values(config);
  values.set(0, "b", read(config, "limit", "7"));
  values.set(0, "c", read(config, "limit", "8"));
  EXPECT_EQ(values.find(0, "a"), values.find(0, "b"));
  EXPECT_EQ(values.find(0, "a"), values.find(0, "xy"));
  EXPECT_NE(values.find(0, "a"), values.find(0, "c"));
}

TEST(LimitValues, aReloadChangesTheFilesAndLeavesQuotas) {
  const config::Config config = log_with("overrides: {a: {limit: 2}, b: {limit: 3}}");
  LimitValues values(config);
  values.set(0, "b", read(config, "limit", "9"));
  const LimitValues::Found held = values.find(0, "b");
  values.reconfigure(log_with("cost: 2, overrides: {b: {limit: 4}}"));
  EXPECT_EQ(limit_of(values.find(0, "a")), 0);
  EXPECT_EQ(limit_of(values.find(0, "b")), 9);
  EXPECT_EQ(values.find(0, "b")->cost, Permits{2}) << "what a limit says besides is its own";
  EXPECT_EQ(held->cost, Permits{1}) << "what a line has stays as it was";
}

TEST(LimitValues, aBurstThatAnotherLimitKeepsHasItsOwn) {
  const config::Config config = config_of(
      "l: {algorithm: fixed_window, limit: 100, window: 10s, burst: 10, key: topic, "
      "overrides: {big: {limit: 1000, burst: 50}, small: {limit: 5}}}");
  const LimitValues values(config);
  ASSERT_EQ(config.limits.size(), 2u);
  const auto pace = [&](const std::string& key) {
    return std::get<SlidingLogParameters>(values.find(1, key)->parameters);
  };
  EXPECT_EQ(pace("big"), (SlidingLogParameters{Permits{50}, Duration::millis(450)}));
  EXPECT_EQ(values.find(1, "big")->name, "l/burst");
  // As many as the limit at once, so nothing is left to keep.
  EXPECT_EQ(pace("small"), (SlidingLogParameters{Permits{5}, Duration::micros(1)}));
  EXPECT_FALSE(values.find(1, "other"));
}

TEST(LimitValues, whoWatchesIsToldOfEachChange) {
  const config::Config config = log_with("");
  LimitValues values(config);
  int told = 0;
  {
    const LimitValues::Watch watch(values, [&] { ++told; });
    values.set(0, "a", read(config, "limit", "7"));
    values.set(0, "a", read(config, "limit", "7"));
    values.reconfigure(config);
  }
  values.set(0, "a", std::nullopt);
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace einlass::app::limit_values_test
