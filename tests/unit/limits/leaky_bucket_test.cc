#include "limits/rates/leaky_bucket.h"

#include <gtest/gtest.h>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

TEST(Meter, IsATokenBucketThatGrantsNothingAhead) {
  Asking limit({meter(20, kSecond, 2)});
  EXPECT_EQ(limit.ask(kNow, {1, 3, kSecond}).due, (Dues{0, 0}));
  EXPECT_EQ(limit.ask(kNow + 10, {1, 1, kSecond}).retry, 49'990);
  EXPECT_FALSE(limit.admits(kNow + 49'999));
  EXPECT_TRUE(limit.admits(kNow + 50'000));
}

TEST(Queue, TurnsAreEvenlyApart) {
  Asking limit({queue(10, kSecond, 5)});
  const Told told = limit.ask(kNow, {1, 9, 10 * kSecond});
  EXPECT_EQ(told.due, (Dues{0, 100'000, 200'000, 300'000, 400'000, 500'000}));  // At most 5 wait.
  EXPECT_EQ(told.retry, 100'000);
  EXPECT_EQ(limit.ask(kNow + 99'999, {1, 1, 10 * kSecond}).retry, 1);
  EXPECT_EQ(limit.ask(kNow + 100'000, {1, 1, 10 * kSecond}).due, (Dues{500'000}));
}

TEST(Queue, AfterAnIdleTimeNothingHasBeenSaved) {
  Asking limit({queue(10, kSecond, 5)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow + 60 * kSecond, {1, 3, kSecond}).due, (Dues{0, 100'000, 200'000}));
}

TEST(Queue, RoundingDoesNotAddUp) {
  Asking limit({queue(3, kSecond, 5'000)});  // A turn every 333,333 1/3 us.
  std::int64_t last = 0;
  for (int i = 0; i < 300; ++i) {
    const Told told = limit.ask(kNow + i, {10, 10, 1'000 * kSecond});
    ASSERT_EQ(told.granted, 10);
    last = i + told.due.back();
  }
  EXPECT_EQ(last, 2'999 * kSecond / 3 + 1);  // 2,999 turns later, rounded up once.
}

TEST(Queue, SeveralTurnsInAMicrosecond) {
  Asking limit({queue(3, 1, 9)});
  EXPECT_EQ(limit.ask(kNow, {1, 8, 2}).due, (Dues{0, 1, 1, 1, 2, 2, 2}));
}

TEST(Queue, ACostTakesAsManyTurns) {
  Asking limit({queue(10, kSecond, 5)}, {2});
  EXPECT_EQ(limit.ask(kNow, {1, 9, kSecond}).due, (Dues{0, 200'000, 400'000}));
}

TEST(Queue, MoreThanCanEverWaitIsNever) {
  Asking limit({queue(10, kSecond, 2)});
  EXPECT_FALSE(limit.ask(kNow, {4, 4, 10 * kSecond}).retry.has_value());
  EXPECT_EQ(limit.ask(kNow, {3, 3, 10 * kSecond}).granted, 3);
  EXPECT_FALSE(limit.ask(kNow, {2, 2, 99'999}).retry.has_value());  // The horizon is too near.
  EXPECT_EQ(limit.ask(kNow, {2, 2, 100'000}).retry, 300'000);
  EXPECT_EQ(limit.ask(kNow + 300'000, {2, 2, 100'000}).granted, 2);
}

TEST(Queue, ARateOfZeroIsNever) {
  Asking limit({queue(0, 1, 5)});
  EXPECT_FALSE(limit.ask(kNow).retry.has_value());
  EXPECT_EQ(limit.remaining(kNow), 0);
}

TEST(Queue, TheLastTurnsComeBackWhileTheyLieAhead) {
  Asking limit({queue(3, kSecond, 20)});
  const Told told = limit.ask(kNow, {6, 6, 10 * kSecond});
  EXPECT_EQ(limit.give_back({told.ids[2]}, kNow), 0);  // Others are behind it.
  EXPECT_EQ(limit.give_back({told.ids[3], told.ids[4], told.ids[5]}, kNow), 3);
  EXPECT_EQ(limit.ask(kNow, {1, 1, 10 * kSecond}).due, (Dues{told.due[3]}));  // To the fraction.
  EXPECT_EQ(limit.give_back({told.ids[5]}, kNow), 0);
}

TEST(Queue, ATurnThatHasComeDoesNotComeBack) {
  Asking limit({queue(10, kSecond, 20)});
  const Told told = limit.ask(kNow, {2, 2, kSecond});
  EXPECT_EQ(limit.give_back({told.ids[1]}, kNow + 100'000), 0);
  EXPECT_EQ(limit.ask(kNow + 100'000, {1, 1, kSecond}).due, (Dues{100'000}));
  Asking other({queue(10, kSecond, 20)});
  const Told now = other.ask(kNow);
  EXPECT_EQ(other.give_back(now.ids, kNow), 0);
}

TEST(Queue, ItIsSomebodysTurnOrNot) {
  Asking limit({queue(10, kSecond, 20)});
  EXPECT_EQ(limit.remaining(kNow), 1);
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.remaining(kNow + 99'999), 0);
  EXPECT_FALSE(limit.is_fresh(kNow + 99'999));
  EXPECT_EQ(limit.remaining(kNow + 100'000), 1);
  EXPECT_TRUE(limit.is_fresh(kNow + 100'000));
}

TEST(Queue, AChangedRateKeepsTheNextTurn) {
  Asking limit({queue(3, kSecond, 20)});
  EXPECT_TRUE(limit.admits(kNow));
  limit.change(0, queue(10, kSecond, 20));
  EXPECT_EQ(limit.ask(kNow, {2, 2, kSecond}).due, (Dues{333'334, 433'334}));
}

TEST(Queue, TimeNeverRunsBackwards) {
  Asking limit({queue(10, kSecond, 20)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow - 50, {1, 1, kSecond}).due, (Dues{100'050}));
}

TEST(Queue, WaitsForASlowerLimitWithoutLosingItsPace) {
  Asking limits({queue(10, kSecond, 20), log(1, 250'000)});
  EXPECT_EQ(limits.ask(kNow, {1, 4, kSecond}).due, (Dues{0, 250'000, 500'000, 750'000}));
  EXPECT_EQ(limits.ask(kNow, {1, 1, 2 * kSecond}).due, (Dues{kSecond}));
}

}  // namespace
}  // namespace einlass::limits
