#include "app/views/allowed.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

void expect(const limits::Parameters& parameters, double at_once,
            std::optional<double> per_second) {
  const Allowed allowed = allowed_by(parameters);
  EXPECT_DOUBLE_EQ(allowed.at_once, at_once) << parameters.index();
  ASSERT_EQ(allowed.per_second.has_value(), per_second.has_value()) << parameters.index();
  if (per_second) {
    EXPECT_DOUBLE_EQ(*allowed.per_second, *per_second) << parameters.index();
  }
}

TEST(Allowed, IsTheMostAtOnceAndASecondByEachAlgorithm) {
  const Duration half = Duration::millis(500);
  const limits::Rate twenty{1, 50'000};
  expect(limits::SlidingLogParameters{{100}, half}, 100, 200);
  expect(limits::SlidingLogParameters{{100}, half, 90, {20}}, 20, 200);
  expect(limits::FixedWindowParameters{{100}, half}, 100, 200);
  expect(limits::CounterParameters{{100}, half}, 100, 200);
  expect(limits::SlidingWindowParameters{{100}, half}, 100, 200);
  expect(limits::TokenBucketParameters{twenty, {40}}, 40, 20);
  expect(limits::LeakyBucketParameters{twenty, {30}, false}, 30, 20);
  expect(limits::LeakyBucketParameters{twenty, {30}, true}, 1, 20);
  expect(limits::SmoothParameters{twenty, {5}, half}, 5, 20);
  expect(limits::WarmUpParameters{twenty, half, half}, 1, 20);
  expect(limits::ConcurrencyParameters{{8}, half}, 8, std::nullopt);
}

TEST(Allowed, SaysInWhatTimeRecordsCanGoAtLeast) {
  config::Limit limit;
  limit.limit.cost = Permits{2};
  const auto least = [&](std::uint64_t records, const limits::Parameters& parameters) {
    return drain_seconds(records, records_allowed_by(limit, parameters));
  };
  const limits::FixedWindowParameters hourly{{1000}, Duration::seconds(3600)};
  EXPECT_EQ(least(500, hourly), std::nullopt) << "the end of the window may be now";
  EXPECT_DOUBLE_EQ(least(750, hourly).value_or(0), 1800);
  const limits::TokenBucketParameters bucket{limits::Rate{1, 1'000'000}, {40}};
  EXPECT_EQ(least(1, bucket), std::nullopt) << "it may be all but paid";
  EXPECT_DOUBLE_EQ(least(11, bucket).value_or(0), 20);
  EXPECT_EQ(least(9, limits::ConcurrencyParameters{{8}, Duration::seconds(1)}), std::nullopt);
}

}  // namespace
}  // namespace einlass::app
