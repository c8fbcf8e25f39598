// Other numbers for single keys: in the file, and as they are set while the gate runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "config/file/changes.h"
#include "config/limits/limit_values.h"
#include "config/tables/print_config.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::overrides_test {
namespace {

using limits::FixedWindowParameters;
using limits::SlidingLogParameters;
using limits::SlidingWindowParameters;
using limits::TokenBucketParameters;

std::string with(const std::string& algorithm, const std::string& overrides,
                 const std::string& more = "key: topic") {
  return limit("algorithm: " + algorithm + ", " + more + ",\n  overrides: {" + overrides + "}");
}
const std::string kLog = "sliding_log, limit: 10, window: 1s";
const std::string kBucket = "token_bucket, rate: 2/s, burst: 4";
const std::string kCounted = "fixed_window, limit: 100, window: 10s, burst: 10";

Config config_of(const std::string& text) {
  auto read = parse_config(text, "F", test_environment);
  EXPECT_EQ(mistakes_in(text), "");
  return std::get<Config>(std::move(read));
}

TEST(Overrides, what_is_left_out_is_the_limits_own) {
  const Config config =
      config_of(with(kBucket, "a: {rate: 20/s}, 'b*': {burst: 9, start: empty}, '': {burst: 1}"));
  const auto& overrides = config.limits.at(0).overrides;
  ASSERT_EQ(overrides.size(), 3u);
  EXPECT_EQ(overrides[0].key, "a");
  EXPECT_EQ(std::get<TokenBucketParameters>(overrides[0].value.parameters),
            (TokenBucketParameters{{1, 50'000}, {4}}));
  EXPECT_EQ(overrides[1].key, "b*");
  EXPECT_EQ(std::get<TokenBucketParameters>(overrides[1].value.parameters),
            (TokenBucketParameters{{1, 500'000}, {9}, true}));
  EXPECT_EQ(overrides[2].key, "");
}

TEST(Overrides, a_burst_of_its_own_is_at_most_the_limit) {
  const Config log = config_of(with(kLog + ", burst: 8", "a: {limit: 5}, b: {limit: 50}"));
  const auto burst = [&](std::size_t i) {
    return std::get<SlidingLogParameters>(log.limits[0].overrides[i].value.parameters).burst;
  };
  EXPECT_EQ(burst(0), Permits{5});
  EXPECT_EQ(burst(1), Permits{8});
  const Config counted = config_of(with(kCounted, "a: {limit: 5}, b: {burst: 20}"));
  const LimitValue& small = counted.limits[0].overrides[0].value;
  EXPECT_EQ(small.burst, Permits{5});
  EXPECT_EQ(std::get<SlidingLogParameters>(*small.pace).window, Duration::micros(1));
  const LimitValue& other = counted.limits[0].overrides[1].value;
  EXPECT_EQ(std::get<SlidingLogParameters>(*other.pace),
            (SlidingLogParameters{Permits{20}, Duration::millis(1'800)}));
}

TEST(Overrides, a_strict_window_is_longer_there_too) {
  const Config config = config_of(with(kLog, "a: {window: 2s}", "key: topic, strict: true"));
  const auto window = [&](const limits::Parameters& of) {
    return std::get<SlidingLogParameters>(of).window;
  };
  EXPECT_EQ(window(config.limits[0].overrides[0].value.parameters), Duration::millis(2'001));
  const Change change{"limit", "7", true, 1, 1};
  const auto read = read_value(config, 0, {{change}}, {"Q", 1, 1});
  EXPECT_EQ(window(std::get<LimitValue>(read).parameters), Duration::millis(1'001));
}

TEST(Overrides, are_printed_as_they_read_back_and_change_while_it_runs) {
  const Config before = config_of(with(kCounted, "a: {limit: 50}, 'c*': {window: 1m, burst: 3}"));
  auto again = parse_config(print_config(before), "F", test_environment);
  ASSERT_TRUE(std::holds_alternative<Config>(again)) << print_config(before);
  EXPECT_EQ(std::get<Config>(again), before) << print_config(before);
  const Config after = config_of(with(kCounted, "a: {limit: 60}, b: {limit: 70}"));
  std::vector<std::string> seen;
  for (const Changed& one : changes(before, after)) {
    EXPECT_EQ(one.needs_restart, "") << one.to_string();
    seen.push_back(one.to_string());
  }
  EXPECT_NE(std::ranges::find(seen, "limits.l.overrides.a.limit: 50 -> 60"), seen.end());
  EXPECT_NE(std::ranges::find(seen, "limits.l.overrides.b.limit: not there -> 70"), seen.end());
  EXPECT_NE(std::ranges::find(seen, "limits.l.overrides.c*.burst: 3 -> not there"), seen.end());
}

TEST(WrongOverrides, each_with_its_place) {
  expect_mistakes({
      {with(kLog, "a: {limit: 0, windw: 1s}"),
       "3:26: limits.l.overrides.a.limit: '0' is too small; the smallest value that works is 1\n"
       "3:29: limits.l.overrides.a.windw: is no parameter of this limit; did you mean `window`?"},
      {with("fixed_window, limit: 10, window: 1s, burst: 10", "a: {limit: 5}, b: {limit: 100}"),
       "3:33: limits.l.overrides.b: has a `limit` of more than the limit's own burst of 10, which "
       "nothing keeps, for it is not less than the limit's own `limit`; write a smaller burst "
       "there, or leave it out there"},
      {with(kLog, "a: {limit: 5}, a: {limit: 6}"),
       "3:30: limits.l.overrides.a: written twice; keep one of them"},
      {with(kLog, "a*b: {limit: 5}"),
       "3:15: limits.l.overrides.a*b: has a * before its end; a pattern is the beginning of a name "
       "and one *"},
      {with(kLog, "a: {}, b: , c: 5"),
       "3:15: limits.l.overrides.a: changes nothing; write a number, or leave it out\n"
       "3:22: limits.l.overrides.b: changes nothing; write a number, or leave it out\n"
       "3:30: limits.l.overrides.c: expected a section, not one value"},
      {with(kLog, "a: {cost: 5, key: topic, algorithm: counter}"),
       "3:19: limits.l.overrides.a.cost: is no parameter of this limit; known here: limit, window, "
       "even or burst\n"
       "3:28: limits.l.overrides.a.key: is no parameter of this limit; known here: limit, window, "
       "even or burst\n"
       "3:40: limits.l.overrides.a.algorithm: cannot change while the limit is in use, and is the "
       "same for all keys and at all times"},
      {with("fixed_window, limit: 10, window: 1s", "a: {burst: 5, align: key}"),
       "3:19: limits.l.overrides.a.burst: is kept by another limit, which is there only where the "
       "limit itself has a burst of less than its `limit`; write one there, or leave this out\n"
       "3:29: limits.l.overrides.a.align: cannot change while the limit is in use, and is the same "
       "for all keys and at all times"},
      {with(kLog, "a: {limit: 2}", "key: topic, cost: 5"),
       "3:18: limits.l.overrides.a: cost 5 is more than the limit of 2, so no record could ever "
       "pass; lower the cost or raise the limit"},
      {with(kLog, "a: {limit: 5, burst: 6}"),
       "3:36: limits.l.overrides.a.burst: burst is 6; it must be from 1 to the limit of 5"},
      {with(kLog, "a: {limit: 5}", "key: none"),
       "3:14: limits.l.overrides: names keys, but the limit has one bucket for all; write key: "
       "header:NAME"},
      {with("token_bucket, rate: 1/s", "a: {rate: 0}"),
       "2:6: limits.l.burst: missing; write burst: 100"},
  });
}

TEST(WrongOverrides, a_lease_that_ends_before_an_attempt) {
  EXPECT_EQ(
      mistakes_in("limits: {l: {algorithm: concurrency, limit: 5, lease: 1m, key: topic, "
                  "overrides: {a: {lease: 2s}}}}\n" +
                  kTargets + "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n"),
      "3:53: routes[0].limits[0]: 'l' for key 'a' has a lease of 2s, so its permits would "
      "come back while attempts run; the shortest that works is 5100ms, the timeout of target "
      "'t' and use_within together");
}

TEST(ReadValue, says_all_that_is_wrong) {
  const Config config = config_of(
      "limits: {l: {algorithm: concurrency, limit: 5, lease: 1m, key: topic, cost: 2}}\n" +
      kTargets + "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n");
  const auto wrong = [&](std::vector<Change> changes) {
    const auto read = read_value(config, 0, changes, {"Q", 7, 3});
    std::string all;
    if (const auto* mistakes = std::get_if<Mistakes>(&read)) {
      for (const Mistake& one : *mistakes) all += one.to_string() + "\n";
    }
    return all;
  };
  EXPECT_EQ(wrong({{"limit", "9", true, 11, 20}}), "");
  EXPECT_EQ(wrong({{"limit", "x", false, 11, 20}, {"cost", "3", true, 30, 40}}),
            "Q:7:20: limits.l.limit: 'x' is not a whole number; write digits only, as 100\n"
            "Q:7:30: limits.l.cost: is no parameter of this limit; known here: limit or lease\n");
  EXPECT_EQ(wrong({{"limit", "1", true, 11, 20}}),
            "Q:7:3: limits.l: cost 2 is more than the limit of 1, so no record could ever pass; "
            "lower the cost or raise the limit\n");
  EXPECT_EQ(wrong({{"lease", "2000000", true, 11, 20}}),
            "Q:7:3: limits.l.lease: has a lease of 2s, so its permits would come back while "
            "attempts run; the shortest that works is 5100ms, the timeout of target 't' and "
            "use_within together\n");
  EXPECT_EQ(wrong({{"limit", "${TEN}", false, 11, 20}}).substr(0, 24), "Q:7:20: limits.l.limit: ");
}

TEST(ReadValue, keeps_to_what_a_limit_beside_it_that_the_gates_divide_needs) {
  const Config config = config_of(
      "shares: {s: {by: 'header:a'}}\n"
      "limits:\n"
      "  k: {algorithm: smooth, rate: 1/s, burst: 1, timeout: 1s, key: topic, store: redis}\n"
      "  l: {algorithm: sliding_log, limit: 10, window: 1s, share: s, store: redis}\n" +
      kTargets +
      "routes: [{name: r, topics: [a], target: t, limits: [k, l], share: s, order: key}]\n");
  const auto wrong = [&](const std::string& timeout) {
    const Change change{"timeout", timeout, false, 11, 20};
    const auto read = read_value(config, 0, {{change}}, {"Q", 7, 3});
    const auto* const mistakes = std::get_if<Mistakes>(&read);
    return mistakes == nullptr ? "" : mistakes->front().to_string();
  };
  EXPECT_EQ(wrong("200ms"), "");
  EXPECT_EQ(wrong("0s"),
            "Q:7:3: limits.k: grants permits 0s ahead, but all gates divide 'l', and what one "
            "leaves to others is lost to them if it is not booked at least 100ms ahead; leave out "
            "its share, or take a limit that grants ahead");
}

}  // namespace
}  // namespace einlass::config::overrides_test
