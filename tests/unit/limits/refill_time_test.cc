// Nobody is told to wait longer than refill_time() and the horizon, however busy the bucket is.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "limits/permits/refusal.h"
#include "limits/permits/state.h"
#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

const std::vector<Parameters>& all_limits() {
  constexpr Duration second = Duration::seconds(1);
  static const std::vector<Parameters> all{
      SlidingLogParameters{{5}, second},
      SlidingLogParameters{{5}, second, 90},
      SlidingLogParameters{{5}, second, 50, {3}},
      TokenBucketParameters{{3, 1'000'000}, {7}},
      TokenBucketParameters{{3, 1'000'000}, {7}, true},
      GcraParameters{{3, 1'000'000}, {7}},
      FixedWindowParameters{{5}, second},
      FixedWindowParameters{{5}, second, true},
      CounterParameters{{5}, second},
      SlidingWindowParameters{{5}, second},
      SlidingWindowParameters{{5}, second, 10, true},
      LeakyBucketParameters{{3, 1'000'000}, {7}},
      LeakyBucketParameters{{3, 1'000'000}, {7}, true},
      SmoothParameters{{3, 1'000'000}, {7}, Duration::seconds(2)},
      SmoothParameters{{3, 1'000'000}, {7}, Duration::seconds(2), true},
      WarmUpParameters{{3, 1'000'000}, Duration::seconds(2), Duration::seconds(5)},
      ConcurrencyParameters{{5}, second}};
  return all;
}

TEST(RefillTime, bounds_every_wait) {
  std::mt19937_64 random(7);
  for (const Parameters& parameters : all_limits()) {
    Asking limit({parameters});
    const std::int64_t most = refill_time(parameters).us;
    const std::int64_t ahead = std::min<std::int64_t>(most_ahead(parameters).us, 10 * kSecond);
    std::int64_t now = 1'800'000'000'000'000, longest = 0;
    for (int i = 0; i < 5'000; ++i) {
      now += static_cast<std::int64_t>(random() % 200'000);
      const std::int64_t horizon =
          random() % 2 == 0 || ahead == 0 ? 0 : static_cast<std::int64_t>(random()) % ahead;
      const std::int64_t wanted = 1 + static_cast<std::int64_t>(random() % 3);
      const Told told = limit.ask(now, {1, wanted, std::max<std::int64_t>(0, horizon)});
      longest = std::max(longest, told.retry.value_or(0));
      ASSERT_TRUE(told.granted > 0 || told.retry) << "never, by limit " << parameters.index();
    }
    EXPECT_LE(longest, most + ahead) << "limit " << parameters.index();
    EXPECT_GT(longest, 0) << "limit " << parameters.index();
  }
}

TEST(RefillTime, a_rate_of_nothing_has_none) {
  for (const Parameters& parameters : all_limits()) EXPECT_FALSE(may_grant_nothing(parameters));
  EXPECT_TRUE(may_grant_nothing(TokenBucketParameters{{0, 1}, {7}}));
  EXPECT_GE(refill_time(TokenBucketParameters{{0, 1}, {7}}), kLongestWindow);
}

}  // namespace
}  // namespace einlass::limits
