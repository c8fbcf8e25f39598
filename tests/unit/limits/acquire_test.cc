#include "limits/permits/acquire.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

// The trace of the interface page: callbacks 100 in 1 s, per_tenant 20/s with a burst of 2.
TEST(Acquire, AllOrNothingOverTwoLimits) {
  Asking limits({log(100, kSecond), bucket(20, kSecond, 2)});
  const Told first = limits.ask(0, {1, 3});
  EXPECT_EQ(first.due, (Dues{0, 0}));
  EXPECT_EQ(first.reason, 1U);
  EXPECT_EQ(limits.remaining(0, 0), 98);
  EXPECT_EQ(limits.remaining(0, 1), 0);
  const Told second = limits.ask(10);
  EXPECT_EQ(second.granted, 0);
  EXPECT_EQ(second.reason, 1U);
  EXPECT_EQ(second.retry, 49'990);
  EXPECT_EQ(limits.remaining(10, 0), 98);
}

TEST(Acquire, OfSeveralThatAreShortTheOneThatTakesLongestIsTheReason) {
  Asking limits({log(2, 1'000), log(2, 5'000), log(1, 100)});
  EXPECT_EQ(limits.ask(kNow).granted, 1);
  EXPECT_EQ(limits.ask(kNow).reason, 2U);
  EXPECT_EQ(limits.ask(kNow + 100).granted, 1);
  const Told told = limits.ask(kNow + 300);
  EXPECT_EQ(told.reason, 1U) << "the wait that is told is its own";
  EXPECT_EQ(told.retry, 4'700);
}

TEST(Acquire, OfTwoThatTakeAsLongTheFirstIsTheReason) {
  Asking limits({log(9, 1'000), log(1, 700), log(1, 700)});
  EXPECT_EQ(limits.ask(kNow).granted, 1);
  EXPECT_EQ(limits.ask(kNow).reason, 1U);
}

// Whoever waits for a place must know: one may come free long before its lease ends.
TEST(Acquire, APlaceIsTheReasonWhereTheRateIsShortForLess) {
  Asking limits({bucket(1, 300, 1), held(1, 60'000'000)});
  EXPECT_EQ(limits.ask(kNow).granted, 1);
  EXPECT_EQ(limits.ask(kNow + 10).reason, 1U);
}

TEST(Acquire, OneThatCanNeverGrantIsTheReason) {
  Asking limits({log(5, 1'000), log(2, 1'000)});
  EXPECT_EQ(limits.ask(kNow, {2, 2}).granted, 2);
  const Told told = limits.ask(kNow, {3, 3});
  EXPECT_EQ(told.reason, 1U);
  EXPECT_FALSE(told.retry.has_value());
}

TEST(Acquire, APermitIsDueAtTheLatestOfTheBucketsAndBookedThereInEach) {
  Asking limits({log(2, 1'000), bucket(1, 300, 1)});
  EXPECT_EQ(limits.ask(kNow, {1, 9, 1'400}).due, (Dues{0, 300, 1'000, 1'300}));
  // The log's next would be +2,000, the bucket's +1,600.
  EXPECT_EQ(limits.ask(kNow, {1, 1, 1'999}).granted, 0);
  EXPECT_EQ(limits.ask(kNow, {1, 1, 2'000}).due, (Dues{2'000}));
}

TEST(Acquire, AReleaseGoesToAllBuckets) {
  Asking limits({log(5, 1'000), bucket(1, 300, 4)});
  const Told told = limits.ask(kNow, {4, 4});
  EXPECT_EQ(limits.give_back({told.ids[3], told.ids[2]}, kNow), 2);
  EXPECT_EQ(limits.remaining(kNow, 0), 3);
  EXPECT_EQ(limits.remaining(kNow, 1), 2);
}

class Joined : public testing::TestWithParam<int> {
 protected:
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  // Any algorithm, small enough that it matters here.
  Parameters some_limit() {
    const std::int64_t size = pick(2, 9);
    const std::int64_t window = pick(1, 400);
    const Rate rate = reduced({pick(1, 9), pick(1, 500)});
    const Duration ahead{pick(0, 400)};
    const int slices = static_cast<int>(pick(1, 6));
    switch (pick(0, 10)) {
      case 0:
        return log(size, window);
      case 1:
        return fixed(size, window, pick(0, 1) == 0);
      case 2:
        return counter(size, window);
      case 3:
        return sliced(size, window, slices);
      case 4:
        return newest(size, window, slices);
      case 5:
        return LeakyBucketParameters{rate, {size}, false};
      case 6:
        return LeakyBucketParameters{rate, {size}, true};
      case 7:
        return SmoothParameters{rate, {size}, ahead, false};
      case 8:
        return SmoothParameters{rate, {size}, ahead, true};
      case 9:
        return WarmUpParameters{rate, ahead, {window}};
      default:
        return pick(0, 1) == 0 ? held(size, window) : TokenBucketParameters{rate, {size}};
    }
  }
  Asking some_limits() {
    std::vector<Parameters> parameters;
    std::vector<std::int64_t> costs;
    for (std::int64_t n = pick(1, 3); n > 0; --n) {
      costs.push_back(pick(1, 2));
      parameters.push_back(some_limit());
    }
    return Asking(std::move(parameters), std::move(costs), std::to_string(pick(0, 99)));
  }

  std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
};

// At the told moment the same ask succeeds; a microsecond earlier it does not. After a partial
// grant the same holds for one permit more.
TEST_P(Joined, RetryIsExact) {
  int told_when = 0;
  for (int run = 0; run < 400; ++run) {
    Asking limits = some_limits();
    std::int64_t now = kNow;
    for (int step = 0; step < 100; ++step, now += pick(0, 90) - pick(0, 20) / 19 * pick(0, 99)) {
      Asked asked{pick(1, 3), 1, pick(0, 1) * pick(0, 300)};
      asked.max = asked.min + pick(0, 5);
      const Told told = limits.ask(now, asked);
      if (!told.retry) continue;
      ++told_when;
      if (told.granted > 0) asked.min = asked.max = 1;
      ASSERT_GT(*told.retry, 0);
      ASSERT_EQ(limits.ask(now + *told.retry - 1, asked).granted, 0);
      now += *told.retry;
      ASSERT_GE(limits.ask(now, asked).granted, asked.min);
    }
  }
  EXPECT_GT(told_when, 1'000);
}

// One ask for permits of several costs is answered as asks for one permit each would be, one after
// the other at the same instant: the same dues until the first denial, and that one's reason and
// retry.
TEST_P(Joined, CostsInOneAskAreAskedOneAfterTheOther) {
  int granted = 0, denied_behind_some = 0, never_behind_some = 0;
  for (int run = 0; run < 400; ++run) {
    const std::uint64_t seed = random_();
    const auto some = [&] {
      random_.seed(seed);
      return some_limits();
    };
    Asking together = some();
    Asking alone = some();
    std::int64_t now = kNow;
    for (int step = 0; step < 30; ++step, now += pick(0, 90)) {
      Asked asked{1, pick(2, 8), pick(0, 1) * pick(0, 300)};
      for (std::int64_t i = 0; i < asked.max; ++i) {
        asked.costs.push_back({pick(0, 40) == 0 ? pick(0, 20) : pick(1, 3)});
      }
      const Told told = together.ask(now, asked);
      Told last;
      std::int64_t n = 0;
      do {
        const Permits cost = asked.costs[static_cast<std::size_t>(n)];
        last = alone.ask(now, {1, 1, asked.horizon, {cost}});
        if (last.granted == 0) break;
        ASSERT_LT(n, told.granted);
        ASSERT_EQ(last.due[0], told.due[static_cast<std::size_t>(n)]);
      } while (++n < asked.max);
      ASSERT_EQ(n, told.granted);
      granted += n > 1;
      if (n == asked.max) continue;
      ASSERT_EQ(told.reason, last.reason);
      ASSERT_EQ(told.retry, last.retry);
      denied_behind_some += n > 0;
      never_behind_some += n > 0 && !told.retry;
    }
  }
  EXPECT_GT(granted, 500);
  EXPECT_GT(denied_behind_some, 500);
  EXPECT_GT(never_behind_some, 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Joined, testing::Range(1, 9));

}  // namespace
}  // namespace einlass::limits
