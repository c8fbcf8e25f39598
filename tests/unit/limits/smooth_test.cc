#include "limits/rates/smooth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "limits/rates/warm_up.h"
#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

TEST(Smooth, AReservationIsToldHowLongToWait) {
  Asking limit({pay_now(10, kSecond, 1, kSecond)});
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{0}));
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{100'000}));
  EXPECT_EQ(limit.ask(kNow + 50'000, {1, 1, kSecond}).due, (Dues{150'000}));
}

TEST(Smooth, MoreThanTheTimeoutIsADenialThatWritesNothing) {
  Asking limit({pay_now(10, kSecond, 1, 150'000)});
  EXPECT_EQ(limit.ask(kNow, {1, 9, 10 * kSecond}).due, (Dues{0, 100'000}));
  const Told denied = limit.ask(kNow, {1, 1, 10 * kSecond});
  EXPECT_EQ(denied.granted, 0);
  EXPECT_EQ(denied.retry, 50'000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(limit.ask(kNow, {1, 1, 10 * kSecond}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 49'999, {1, 1, 10 * kSecond}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 50'000, {1, 1, 10 * kSecond}).due, (Dues{150'000}));
}

TEST(PayNext, ThePermitIsDueAsSoonAsThoseBeforeItArePaid) {
  Asking limit({pay_next(10, kSecond, 5, 10 * kSecond)}, {5});
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{0}));  // The burst.
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{0}));  // Paid by the next one, ...
  limit.cost(0, 1);
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{500'000}));  // ... who is cheap.
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{600'000}));
  EXPECT_EQ(limit.remaining(kNow), 0);
}

TEST(PayNext, MoreThanTheBurstIsNever) {
  Asking limit({pay_next(10, kSecond, 5, 10 * kSecond)}, {2});
  EXPECT_FALSE(limit.ask(kNow, {3, 3, 10 * kSecond}).retry.has_value());
  EXPECT_EQ(limit.ask(kNow, {2, 2}).granted, 2);
}

TEST(PayNext, RetryIsWhenTheDebtIsPaid) {
  Asking limit({pay_next(3, 1'000, 2, 0)}, {2});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow).retry, 667);
  EXPECT_FALSE(limit.admits(kNow + 666));
  EXPECT_TRUE(limit.admits(kNow + 667));
}

TEST(PayNext, ADebtSurvivesAChangedRate) {
  Asking limit({pay_next(10, kSecond, 5, 10 * kSecond)}, {5});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_TRUE(limit.admits(kNow));  // Five of debt.
  limit.cost(0, 1);
  limit.change(0, pay_next(7, kSecond, 5, 10 * kSecond));
  EXPECT_EQ(limit.ask(kNow, {1, 1, 10 * kSecond}).due, (Dues{714'286}));
}

TEST(PayNext, AChangedRateRoundsADebtUp) {
  Asking limit({pay_next(1, 1'000, 1, kSecond)});
  for (const int at : {0, 0, 1'999}) EXPECT_TRUE(limit.admits(kNow + at));
  limit.change(0, pay_next(1, 3, 1, kSecond));  // A thousandth of a permit is owed.
  EXPECT_EQ(limit.ask(kNow + 1'999, {1, 1, kSecond}).due, (Dues{1}));
}

// Guava's SmoothBursty of 10 per second, as its tests have it: acquire(1), acquire(1), ...; the
// first is free and each waits for the one before it.
TEST(PayNext, DoesWhatGuavaDoes) {
  Asking limit({pay_next(5, kSecond, 5, 60 * kSecond)});
  limit.ask(kNow, {5, 5});  // Guava starts empty, this full.
  Dues waits;
  std::int64_t now = kNow;
  for (int i = 0; i < 3; ++i) {
    waits.push_back(limit.ask(now, {1, 1, 60 * kSecond}).due.at(0));
    now += waits.back();
  }
  EXPECT_EQ(waits, (Dues{0, 200'000, 200'000}));
}

void expect_near(std::int64_t a, std::int64_t b, std::int64_t by) {
  EXPECT_LE(std::abs(a - b), by) << a;
}

// The area under Guava's line, exactly, in units above the usual.
double parabola(double level, double full) {
  const double cold = std::max(0.0, level - full / 2);
  return cold * cold / (full / 2);
}

TEST(WarmUp, TheSurchargeIsTheAreaUnderTheLine) {
  for (const std::int64_t full :
       {std::int64_t{1} << 40, kWarmUpBelow - 1, std::int64_t{999'999'937}}) {
    EXPECT_EQ(surcharge(0, full), 0);
    EXPECT_EQ(surcharge(full / 2, full), 0);
    std::int64_t last = 0;
    for (int i = 0; i <= 1'000; ++i) {
      const auto level = static_cast<std::int64_t>(static_cast<double>(full) * i / 1'000);
      const auto area = static_cast<double>(surcharge(level, full));
      // Off by a 256th of a piece where it bends most, and by the rounding of the pieces.
      const double off = double(full) / 2 / 64 / 256 + 70;
      EXPECT_NEAR(area, parabola(double(level), double(full)), off);
      EXPECT_GE(surcharge(level, full), last);
      last = surcharge(level, full);
    }
    EXPECT_NEAR(double(surcharge(full, full)), double(full) / 2, 70);
  }
}

TEST(WarmUp, TheSurchargeIsWholeAlsoForTheSmallest) {
  for (std::int64_t full = 1; full < 300; ++full) {
    for (std::int64_t level = 1; level <= full; ++level) {
      EXPECT_GE(surcharge(level, full), surcharge(level - 1, full));
      EXPECT_LE(surcharge(level, full), full - full / 2);
    }
  }
}

// 10 per second, warm after 2 s: 20 permits collected, of which the first costs nearly 0.3 s and
// the eleventh the usual 0.1 s.
TEST(WarmUp, StartsAtAThirdOfTheRateAndSpeedsUp) {
  Asking limit({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)});
  const Told told = limit.ask(kNow, {1, 21, 60 * kSecond});
  ASSERT_EQ(told.granted, 21);
  expect_near(told.due[1] - told.due[0], 290'000, 300);
  expect_near(told.due[5] - told.due[4], 210'000, 300);
  expect_near(told.due[9] - told.due[8], 130'000, 300);
  expect_near(told.due[10], 2 * kSecond, 2);  // The warming up itself.
  for (std::size_t i = 11; i < 21; ++i) expect_near(told.due[i] - told.due[i - 1], 100'000, 1);
}

TEST(WarmUp, AWarmOneStaysWarmWhileItIsUsed) {
  Asking limit({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)});
  std::int64_t now = kNow + limit.ask(kNow, {21, 21, 60 * kSecond}).due.back() + 100'000;
  for (int i = 0; i < 50; ++i, now += 100'000) ASSERT_TRUE(limit.admits(now)) << i;
}

TEST(WarmUp, CoolsDownWhileItIdles) {
  Asking limit({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)});
  const std::int64_t paid = kNow + limit.ask(kNow, {20, 20, 60 * kSecond}).due.back() + 100'000;
  EXPECT_FALSE(limit.is_fresh(paid + 2 * kSecond - 1));
  EXPECT_TRUE(limit.is_fresh(paid + 2 * kSecond));
  const Told told = limit.ask(paid + 2 * kSecond, {1, 2, 60 * kSecond});
  expect_near(told.due[1], 290'000, 300);
}

TEST(WarmUp, TheFractionOfAMicrosecondThatItIdledCounts) {
  Asking limit({warm_up(3, 1, kSecond, 10)}, {19});
  EXPECT_TRUE(limit.admits(kNow));  // Paid 7 1/3 us later; the 19 are back 6 1/3 us after that.
  EXPECT_FALSE(limit.is_fresh(kNow + 13));
  EXPECT_TRUE(limit.is_fresh(kNow + 14));
  limit.cost(0, 2);
  EXPECT_TRUE(limit.admits(kNow + 9));  // 16 were there; the other 16 take 5 1/3 us from 9 2/3 on.
  EXPECT_FALSE(limit.is_fresh(kNow + 14));
  EXPECT_TRUE(limit.is_fresh(kNow + 15));
}

TEST(WarmUp, TheNextOnePays) {
  Asking limit({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)}, {20});
  EXPECT_EQ(limit.ask(kNow, {1, 1, 60 * kSecond}).due, (Dues{0}));
  limit.cost(0, 1);
  expect_near(limit.ask(kNow, {1, 1, 60 * kSecond}).due.at(0), 3 * kSecond, 2);
}

TEST(WarmUp, MoreThanTheTimeoutBearsIsNever) {
  Asking limit({warm_up(10, kSecond, 500'000, 2 * kSecond)});
  EXPECT_FALSE(limit.ask(kNow, {3, 3, kSecond}).retry.has_value());
  EXPECT_EQ(limit.ask(kNow, {2, 2, kSecond}).granted, 2);
  EXPECT_EQ(limit.remaining(kNow), 0);
  EXPECT_EQ(limit.ask(kNow, {1, 1}).granted, 0);
}

TEST(WarmUp, NothingComesBack) {
  Asking limit({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)});
  Asking other({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)});
  const Told told = limit.ask(kNow, {2, 2, 60 * kSecond});
  EXPECT_EQ(limit.give_back(told.ids, kNow), 0);
  other.ask(kNow, {2, 2, 60 * kSecond});
  EXPECT_EQ(limit.ask(kNow, {1, 1, 60 * kSecond}).due, other.ask(kNow, {1, 1, 60 * kSecond}).due);
}

TEST(WarmUp, ARateOfZeroIsNever) {
  Asking limit({warm_up(0, 1, kSecond, kSecond)});
  EXPECT_FALSE(limit.ask(kNow).retry.has_value());
  EXPECT_EQ(limit.remaining(kNow), 0);
}

TEST(WarmUp, AChangedRateKeepsWholePermits) {
  Asking limit({warm_up(10, kSecond, 60 * kSecond, 2 * kSecond)});
  const std::int64_t paid = kNow + limit.ask(kNow, {20, 20, 60 * kSecond}).due.back() + 100'000;
  limit.change(0, warm_up(7, kSecond, 60 * kSecond, 4 * kSecond));
  // None collected: all the usual price.
  EXPECT_EQ(limit.ask(paid, {1, 3, 60 * kSecond}).due, (Dues{0, 142'858, 285'715}));
}

}  // namespace
}  // namespace einlass::limits
