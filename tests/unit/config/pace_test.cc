// The burst of a limit that counts a window: what the limits of its route admit together.
#include "config/limits/pace.h"

#include <array>

#include "config/limits/limit_values.h"
#include "limits/permits/acquire.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::pace_test {
namespace {

const std::string kPaced = "limit: 100, window: 1s, burst: 10";

// One limit, and a route that has it.
Config read(const std::string& options) {
  const std::string text = "limits: {l: {" + options + "}}\n" + kTargets +
                           "routes: [{name: r, topics: [a], target: t, limits: [l]}]";
  auto result = parse_config(text, "F", test_environment);
  EXPECT_TRUE(std::holds_alternative<Config>(result)) << mistakes_in(text);
  return std::get<Config>(result);
}

// The limits of the first route, as an ask has them.
struct Buckets {
  explicit Buckets(const Config& config) {
    states.reserve(8);
    for (const std::size_t i : config.routes.at(0).limits) {
      const limits::Limit& limit = config.limits.at(i).limit;
      states.push_back(limits::fresh(limit.parameters, ""));
      charges.push_back({&limit.parameters, &states.back(), limit.cost});
    }
  }

  // When each of so many permits is had by one that asks again exactly when it is told to.
  std::vector<Instant> take(std::int64_t all) {
    std::vector<Instant> had;
    std::array<Duration, 64> due;
    while (static_cast<std::int64_t>(had.size()) < all) {
      limits::Demand demand;
      demand.max = Permits{64};
      demand.prefix[0] = static_cast<std::uint8_t>(had.size());
      const limits::Answer answer = limits::acquire(charges, demand, now, due);
      for (std::int64_t i = 0; i < answer.granted.value; ++i) had.push_back(now + due[i]);
      now = now + answer.retry.value_or(Duration{});
    }
    return had;
  }

  std::vector<limits::State> states;
  std::vector<limits::Charge> charges;
  Instant now = Instant{1'700'000'000'000'000};
};

// The most of them in any time of that length.
std::int64_t most_within(const std::vector<Instant>& had, Duration length) {
  std::int64_t most = 0;
  for (std::size_t first = 0, i = 0; i < had.size(); ++i) {
    while (had[i] - had[first] >= length) ++first;
    most = std::max(most, static_cast<std::int64_t>(i - first + 1));
  }
  return most;
}

TEST(Pace, never_more_than_the_burst_at_once_and_all_of_the_limit_is_used) {
  for (const std::string algorithm : {"fixed_window", "counter", "sliding_window"}) {
    const Config config = read("algorithm: " + algorithm + ", " + kPaced);
    Buckets buckets(config);
    ASSERT_EQ(buckets.charges.size(), 2u);
    const std::vector<Instant> had = buckets.take(1'000);
    EXPECT_EQ(most_within(had, Duration::millis(90)), 10) << algorithm;
    EXPECT_LE(most_within(had, Duration::millis(100)), 20) << algorithm;
    // Slices count one more than the window has: eleven for ten.
    const Duration took = had.back() - had.front();
    EXPECT_LE(took, Duration::millis(algorithm == "sliding_window" ? 11'000 : 10'000)) << algorithm;
  }
}

TEST(Pace, without_it_a_window_opens_with_all_of_its_limit) {
  const Config config = read("algorithm: fixed_window, limit: 100, window: 1s");
  Buckets buckets(config);
  EXPECT_EQ(most_within(buckets.take(300), Duration::millis(1)), 100);
}

TEST(Pace, costs_count_in_the_burst_too) {
  const Config config = read("algorithm: counter, cost: 4, " + kPaced);
  Buckets buckets(config);
  EXPECT_EQ(most_within(buckets.take(100), Duration::millis(90)), 2);
}

TEST(Pace, a_share_of_it_is_as_much_a_second) {
  const Config config = read("algorithm: counter, limit: 1000, window: 1m, burst: 19");
  const Limit& pace = config.limits.at(*config.limits.at(0).paced_by);
  const auto share =
      std::get<limits::SlidingLogParameters>(share_of_pace(pace.limit.parameters, 10));
  EXPECT_EQ(share.limit, Permits{1});
  EXPECT_EQ(share.window, Duration::millis(540));  // 100 a minute in nine tenths of it.
}

TEST(Pace, as_much_as_the_limit_is_none) {
  EXPECT_EQ(read("algorithm: counter, limit: 5, window: 1s, burst: 5").limits.size(), 1u);
}

std::optional<limits::Parameters> pace_with(const Config& config, const std::string& limit) {
  const Change change{.name = "limit", .value = limit};
  const auto value = read_value(config, 0, {&change, 1}, {});
  return std::get<LimitValue>(value).pace;
}

TEST(Pace, one_that_the_file_has_stays_whatever_the_numbers_are_since) {
  Config config = read("algorithm: counter, " + kPaced);
  const auto whole = pace_with(config, "50");
  config.limits.at(0).limit.parameters =
      limits::CounterParameters{Permits{10}, Duration::seconds(1)};
  EXPECT_EQ(pace_with(config, "50"), whole);
}

TEST(Pace, a_route_has_it_behind_its_limit_and_eight_in_all) {
  std::string text = "limits:\n";
  std::string names;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "l" + std::to_string(i);
    text += "  " + name + ": {algorithm: counter, " + kPaced + "}\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  const auto with = [&](const std::string& list) {
    return text +
           "targets: {t: {http: {url: http://h/}}}\nroutes: [{name: r, topics: [a], target: t, "
           "limits: [" +
           list + "]}]";
  };
  const auto result = parse_config(with("l3, l1"), "F", test_environment);
  const Config& config = std::get<Config>(result);
  std::vector<std::string> found;
  for (const std::size_t i : config.routes.at(0).limits)
    found.push_back(config.limits[i].limit.name);
  EXPECT_EQ(found, (std::vector<std::string>{"l3", "l3/burst", "l1", "l1/burst"}));
  EXPECT_NE(mistakes_in(with(names))
                .find("is one too many: with those that keep a burst a route has 8 at most"),
            std::string::npos);
  const std::string eight = "l3, p0, p1, p2, p3, p4, p5, p6";
  for (int i = 0; i < 7; ++i) {
    text += "  p" + std::to_string(i) + ": {algorithm: counter, limit: 1, window: 1s}\n";
  }
  EXPECT_NE(mistakes_in(with(eight)).find("is one too many"), std::string::npos);
  EXPECT_NE(mistakes_in(with("l3/burst")).find("l3"), std::string::npos);
}

}  // namespace
}  // namespace einlass::config::pace_test
