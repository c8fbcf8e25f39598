#include "limits/rates/token_bucket.h"

#include <gtest/gtest.h>

#include "limits/permits/refusal.h"
#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

TEST(TokenBucket, StartsFullAndRefillsByTheRate) {
  Asking limit({bucket(20, kSecond, 2)});
  EXPECT_EQ(limit.ask(kNow, {1, 3}).granted, 2);
  EXPECT_EQ(limit.ask(kNow + 10).retry, 49'990);
  EXPECT_FALSE(limit.admits(kNow + 49'999));
  EXPECT_TRUE(limit.admits(kNow + 50'000));
}

TEST(TokenBucket, RetryIsRoundedUp) {
  Asking limit({bucket(3, 1'000, 1)});  // One every 333 1/3 us.
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow).retry, 334);
  EXPECT_FALSE(limit.admits(kNow + 333));
  EXPECT_TRUE(limit.admits(kNow + 334));
}

TEST(TokenBucket, RetryIsForTheMinimum) {
  Asking limit({bucket(1, 100, 5)});
  EXPECT_EQ(limit.ask(kNow, {5, 5}).granted, 5);
  EXPECT_EQ(limit.ask(kNow, {3, 3}).retry, 300);
  const Told partial = limit.ask(kNow + 250, {1, 3});
  EXPECT_EQ(partial.granted, 2);
  EXPECT_EQ(partial.retry, 50);
}

TEST(TokenBucket, NothingDrifts) {
  struct Case {
    std::int64_t permits, micros, burst;
  };
  for (const Case& c : {Case{7, kSecond, 3},
                        {3, kSecond, 2},
                        {1'000, 60 * kSecond, 10},
                        {999'983, 1'000'003, 20}}) {
    Asking limit({bucket(c.permits, c.micros, c.burst)});
    std::int64_t granted = 0;
    std::int64_t t = 0;
    for (int i = 0; i < 100'000; ++i, t += (c.burst * c.micros / c.permits + i % 7) / 2) {
      granted += limit.ask(kNow + t, {1, c.burst}).granted;
      ASSERT_EQ(granted, c.burst + t * c.permits / c.micros) << "after " << t;
    }
  }
}

TEST(TokenBucket, AskedEveryMicrosecondItStarvesNobody) {
  Asking limit({bucket(1, 1'000, 1)});
  std::int64_t granted = 0;
  for (std::int64_t t = 0; t <= 10'000; ++t) granted += limit.admits(kNow + t);
  EXPECT_EQ(granted, 11);
}

TEST(TokenBucket, ALongIdleTimeFillsItAndNoMore) {
  const std::int64_t burst = (kExactBelow - 1) / 7;
  Asking limit({bucket(kExactBelow - 1, 7, burst)});
  EXPECT_EQ(limit.ask(kNow, {1'000, 1'000}).granted, 1'000);
  EXPECT_EQ(limit.remaining(kNow + 1), burst);
  EXPECT_EQ(limit.remaining(kExactBelow - 1), burst);
}

TEST(TokenBucket, ARateOfZeroIsNever) {
  Asking limit({bucket(0, 1, 5)});
  const Told told = limit.ask(kNow, {1, 1, kSecond});
  EXPECT_EQ(told.granted, 0);
  EXPECT_FALSE(told.retry.has_value());
  EXPECT_EQ(limit.remaining(kNow), 0);
}

TEST(TokenBucket, MoreThanTheBurstIsNever) {
  Asking limit({bucket(1, 100, 5)}, {2});
  EXPECT_FALSE(limit.ask(kNow, {3, 3, kSecond}).retry.has_value());
  EXPECT_EQ(limit.ask(kNow, {2, 2}).granted, 2);
}

TEST(TokenBucket, AMaximumAboveTheBurstComesDueOneAfterTheOther) {
  Asking limit({bucket(1, 100, 2)});
  EXPECT_EQ(limit.ask(kNow, {1, 10, 350}).due, (Dues{0, 0, 100, 200, 300}));
  const Told next = limit.ask(kNow + 50, {1, 2, 350});
  EXPECT_EQ(next.due, (Dues{350}));
  EXPECT_EQ(next.retry, 100);
  EXPECT_EQ(limit.remaining(kNow + 399), 0);
}

TEST(TokenBucket, WhatOverflowsIsNotSaved) {
  Asking limit({bucket(5, 3, 1)});  // A wait of 1 us brings 5/3, of which 1 fits.
  EXPECT_EQ(limit.ask(kNow, {4, 4, 10}).granted, 0);
  EXPECT_EQ(limit.ask(kNow, {1, 5, 4}).due, (Dues{0, 1, 2, 3, 4}));
}

TEST(TokenBucket, TimeNeverRunsBackwards) {
  Asking limit({bucket(1, 100, 2)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow - 40).retry, 40);
  EXPECT_EQ(limit.ask(kNow - 40, {1, 1, 40}).due, (Dues{40}));
  EXPECT_EQ(limit.ask(kNow - 40, {1, 1, 40}).retry, 100);
}

TEST(TokenBucket, AReleaseGivesTheCostBack) {
  Asking limit({bucket(1, 100, 10)}, {2});
  const Told told = limit.ask(kNow, {5, 5});
  EXPECT_EQ(limit.remaining(kNow), 0);
  EXPECT_EQ(limit.give_back({told.ids[0], told.ids[1]}, kNow), 2);
  EXPECT_EQ(limit.remaining(kNow), 4);
}

TEST(TokenBucket, NothingIsCreditedAboveFull) {
  Asking limit({bucket(1, 100, 10)});
  const Told told = limit.ask(kNow, {3, 3});
  for (int i = 0; i < 5; ++i) limit.give_back(told.ids, kNow);
  EXPECT_EQ(limit.remaining(kNow), 10);
  limit.give_back(told.ids, kNow + 5'000);
  EXPECT_EQ(limit.ask(kNow + 5'000, {1, 20}).granted, 10);
}

TEST(TokenBucket, WhatWouldHaveRunOverDoesNotComeBack) {
  Asking limit({bucket(1, 100, 10)});
  const Told unused = limit.ask(kNow, {10, 10});
  EXPECT_EQ(limit.ask(kNow + 500, {5, 5}).granted, 5);
  limit.give_back(unused.ids, kNow + 500);
  EXPECT_EQ(limit.remaining(kNow + 500), 5);  // With the 5: all that a full bucket holds.
}

// What it stood at before is not remembered: full at first, and dry for the ten seconds since.
TEST(TokenBucket, APermitThatIsTooOldStaysSpent) {
  Asking limit({bucket(1, 1'000'000, 10)});
  const Told old = limit.ask(kNow, {10, 10});
  EXPECT_EQ(limit.ask(kNow + 9 * kSecond, {9, 9}).granted, 9);
  EXPECT_EQ(limit.ask(kNow + 18 * kSecond, {9, 9}).granted, 9);
  const Told last = limit.ask(kNow + 27 * kSecond, {9, 9});
  EXPECT_EQ(limit.give_back(old.ids, kNow + 36 * kSecond), 0);
  EXPECT_EQ(limit.remaining(kNow + 36 * kSecond), 9);
  EXPECT_EQ(limit.ask(kNow + 36 * kSecond, {9, 9}).granted, 9);
  EXPECT_EQ(limit.give_back(last.ids, kNow + 37 * kSecond), 0);
  EXPECT_EQ(limit.give_back(last.ids, kNow + 37 * kSecond - 1), 9);
}

TEST(TokenBucket, ADryBucketTakesAllOfItBack) {
  Asking limit({bucket(1, 100, 10)});
  std::int64_t t = kNow;
  Told last;
  for (int i = 0; i < 30; ++i, t += 1'000'000) {
    last = limit.ask(t, {1, 40, 3'000});  // Full at first, and never again after 10 s.
    for (std::int64_t u = 0; u < 1'000'000; u += 2'000) last = limit.ask(t + u, {1, 40, 3'000});
  }
  const std::int64_t now = t - 2'000;
  EXPECT_EQ(limit.ask(now, {1, 1, 3'000}).granted, 0);
  limit.give_back(std::vector<Returned>(5, last.ids.at(0)), now);
  EXPECT_EQ(limit.remaining(now), 0);  // The queue stands ahead, ...
  EXPECT_EQ(limit.ask(now, {5, 5, 3'000}).due,
            (Dues(5, 3'000)));  // ... and what came back with it.
}

TEST(TokenBucket, AChangedRateKeepsWholePermits) {
  Asking limit({bucket(20, kSecond, 40)});
  EXPECT_EQ(limit.ask(kNow, {30, 30}).granted, 30);
  limit.change(0, bucket(7, kSecond, 40));
  EXPECT_EQ(limit.remaining(kNow), 10);
  limit.change(0, bucket(7, kSecond, 4));
  EXPECT_EQ(limit.remaining(kNow), 4);
}

TEST(TokenBucket, AChangedRateKeepsTheFraction) {
  Asking limit({bucket(10, kSecond, 4)});
  EXPECT_EQ(limit.ask(kNow, {3, 3}).granted, 3);
  EXPECT_TRUE(limit.admits(kNow + 50'000));  // Half a permit is left.
  limit.change(0, bucket(7, kSecond, 4));
  EXPECT_EQ(limit.ask(kNow + 50'000).retry, 71'429);
  limit.change(0, bucket(10, kSecond, 4));
  EXPECT_EQ(limit.ask(kNow + 50'000).retry, 50'000);
}

// While a new configuration comes to one gate after the other, both rates are asked in turn.
TEST(TokenBucket, AskedUnderTwoRatesInTurnItStarvesNobody) {
  Asking limit({bucket(10, kSecond, 1)});
  std::int64_t granted = 0;
  for (std::int64_t t = 0; t < 100 * kSecond; t += 10'000) {
    limit.change(0, t / 10'000 % 2 == 0 ? bucket(10, kSecond, 1) : bucket(7, kSecond, 1));
    granted += limit.admits(kNow + t);
  }
  EXPECT_GE(granted, 699);
  EXPECT_LE(granted, 1'001);
}

TEST(TokenBucket, one_that_starts_empty_is_so_again_once_it_has_been_full_for_an_hour) {
  constexpr std::int64_t kHour = kNewAfter.us, kFills = 3 * kSecond;
  Asking soon({TokenBucketParameters{{1, kSecond}, {3}, true}});
  EXPECT_EQ(soon.ask(kNow).retry, kSecond);
  const std::int64_t used = kNow + kFills + kHour - 1;
  EXPECT_EQ(soon.ask(used, {1, 3}).granted, 3);
  EXPECT_EQ(soon.ask(used + kFills + kHour, {1, 3}).retry, kSecond);
  EXPECT_EQ(soon.ask(used + kFills + kHour + kSecond, {1, 3}).granted, 1);

  Asking late({TokenBucketParameters{{1, kHour}, {3}, true}});
  EXPECT_EQ(late.ask(kNow).retry, kHour);
  EXPECT_EQ(late.ask(kNow + 3 * kHour - 1, {1, 3}).granted, 2);
}

// What is denied is not written, so it looks as if nobody had used the bucket.
TEST(TokenBucket, one_that_starts_empty_is_not_so_again_for_who_waits_for_all_of_it) {
  constexpr std::int64_t kHour = kNewAfter.us;
  for (const std::int64_t fills : {kHour, 24 * kHour}) {
    Asking limit({TokenBucketParameters{reduced({1, fills}), {1}, true}});
    for (std::int64_t waited = 0; waited < fills; waited += 30 * kSecond) {
      ASSERT_EQ(limit.ask(kNow + waited).retry, fills - waited);
    }
    EXPECT_TRUE(limit.admits(kNow + fills));
  }
}

TEST(TokenBucket, IsFreshWhenFullAndForgotten) {
  Asking limit({bucket(1, 100, 2)});
  EXPECT_TRUE(limit.is_fresh(kNow));
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_FALSE(limit.is_fresh(kNow + 100));
  EXPECT_FALSE(limit.is_fresh(kNow + kGiveBackWithin.us - 1));
  EXPECT_TRUE(limit.is_fresh(kNow + kGiveBackWithin.us));
}

}  // namespace
}  // namespace einlass::limits
