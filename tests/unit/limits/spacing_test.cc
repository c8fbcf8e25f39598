#include "limits/windows/spacing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

Parameters even(std::int64_t limit, std::int64_t window_us, int part, std::int64_t burst = 0) {
  return SlidingLogParameters{{limit}, {window_us}, part, {burst}};
}

TEST(Spacing, AGroupIsWhatComesInFiveMilliseconds) {
  EXPECT_EQ(group_of({1'000}, Duration::seconds(1), 90, {}), (Spacing{5, Duration{4'500}}));
  EXPECT_EQ(group_of({10'000}, Duration::seconds(1), 90, {}), (Spacing{55, Duration{4'950}}));
  EXPECT_EQ(group_of({10}, Duration::seconds(1), 50, {}), (Spacing{1, Duration{50'000}}));
}

TEST(Spacing, NoneWhereTheWindowIsShortOrNothingIsToBeSpread) {
  EXPECT_EQ(group_of({1'000}, Duration::millis(5), 90, {}), Spacing{});
  EXPECT_EQ(group_of({1'000}, Duration::seconds(1), 0, {}), Spacing{});
  EXPECT_EQ(group_of({1}, Duration::seconds(86'400), 90, {}), Spacing{});
}

TEST(Spacing, TheWholeLimitFitsIntoItsPartOfTheWindow) {
  for (const std::int64_t limit : {2, 3, 7, 999, 1'000, 123'457}) {
    for (const int part : {1, 33, 90, 95}) {
      const Duration window = Duration::seconds(3);
      const Spacing group = group_of({limit}, window, part, {});
      if (group.units == 0) continue;
      const std::int64_t groups = (limit + group.units - 1) / group.units;
      EXPECT_LE((groups - 1) * group.apart.us, window.us * part / 100) << limit << " " << part;
    }
  }
}

TEST(Spacing, NoGroupIsMoreThanTheBurst) {
  EXPECT_EQ(group_of({1'000}, Duration::seconds(1), 90, {3}), (Spacing{3, Duration{2'700}}));
  EXPECT_EQ(burst_of({1'000}, Duration::seconds(1), 90, {3}), (Spacing{3, Duration{2'700}}));
  EXPECT_EQ(burst_of({1'000}, Duration::seconds(1), 90, {1'000}), Spacing{});
}

TEST(Spacing, TheLargestNumbersDoNotOverflow) {
  const Duration longest = Duration::seconds(std::int64_t{100} * 365 * 86'400);
  const Spacing group = group_of({10'000'000}, longest, 95, {9'999'999});
  EXPECT_EQ(group.units, 1);
  EXPECT_EQ(group.apart.us, longest.us / 100 * 95 / 10'000'000);
  EXPECT_LT(burst_of({10'000'000}, longest, 95, {9'999'999}).apart, longest);
}

TEST(EvenLog, WhatMayLeaveAtOnceDoes) {
  Asking limit({even(10, 100'000, 90)});
  EXPECT_EQ(limit.ask(kNow, {10, 10, 100'000}).due, Dues(10, 0));
}

TEST(EvenLog, WhatMustWaitComesEvenlyInsteadOfAllTogether) {
  Asking limit({even(10, 100'000, 90)});
  limit.ask(kNow, {10, 10});
  EXPECT_EQ(limit.ask(kNow, {1, 5, 200'000}).due,
            (Dues{100'000, 109'000, 118'000, 127'000, 136'000}));
}

TEST(EvenLog, WhoComesWhenTheWindowIsFreeKeepsNoDistance) {
  Asking limit({even(10, 100'000, 90)});
  limit.ask(kNow, {10, 10});
  EXPECT_EQ(limit.ask(kNow + 100'000, {10, 10}).granted, 10);
}

TEST(EvenLog, ARetryIsExactWithAndWithoutDistance) {
  Asking limit({even(10, 100'000, 90)});
  limit.ask(kNow, {10, 10});
  // Within a horizon the next one is due at +100,000; the one after it at +109,000.
  EXPECT_EQ(limit.ask(kNow, {1, 1, 20'000}).retry, 80'000);
  EXPECT_EQ(limit.ask(kNow + 80'000, {1, 9, 20'000}).due, (Dues{20'000}));
  const Told told = limit.ask(kNow + 80'000, {1, 1, 20'000});
  EXPECT_EQ(told.retry, 9'000);
  EXPECT_EQ(limit.ask(kNow + 88'999, {1, 1, 20'000}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 89'000, {1, 1, 20'000}).due, (Dues{20'000}));
  // Who may ask for nothing ahead need not keep the distance once the window is free.
  EXPECT_EQ(limit.ask(kNow + 89'000, {1, 1, 0}).retry, 20'000);
  EXPECT_EQ(limit.ask(kNow + 109'000, {8, 8, 0}).due, Dues(8, 0));
}

TEST(EvenLog, ABurstIsTheMostAtOnceAndTheRestFollowsEvenly) {
  Asking limit({even(100, 1'000'000, 90, 20)});
  Dues due = limit.ask(kNow, {1, 30, 1'000'000}).due;
  EXPECT_EQ(std::count(due.begin(), due.end(), 0), 20);
  for (std::size_t i = 20; i < 30; ++i)
    EXPECT_EQ(due[i], 9'000 * static_cast<std::int64_t>(i - 19));
}

TEST(EvenLog, ABurstIsFreeAgainAfterItsTime) {
  Asking limit({even(100, 1'000'000, 90, 20)});
  EXPECT_EQ(limit.ask(kNow, {20, 20}).granted, 20);
  EXPECT_EQ(limit.remaining(kNow), 0);
  EXPECT_EQ(limit.ask(kNow, {20, 20}).retry, 180'000);
  EXPECT_EQ(limit.ask(kNow, {1, 1}).retry, 9'000);
  EXPECT_EQ(limit.ask(kNow + 180'000, {20, 20}).granted, 20);
}

TEST(EvenLog, AnAskForMoreThanTheBurstAtLeastIsNever) {
  Asking limit({even(100, 1'000'000, 90, 20)});
  EXPECT_FALSE(limit.ask(kNow, {21, 21, 1'000'000}).retry);
}

TEST(EvenLog, PermitsThatCostMoreThanAGroupComeOneAfterTheOther) {
  Asking limit({even(10, 100'000, 90)}, {3});
  EXPECT_EQ(limit.ask(kNow, {3, 3}).due, Dues(3, 0));
  EXPECT_EQ(limit.ask(kNow, {1, 3, 300'000}).due, (Dues{100'000, 127'000, 154'000}));
}

// A backlog that asks for a little ahead again and again, as a gate does: all of the limit is used,
// no window is above it, and after the first burst no 10 ms have many.
TEST(EvenLog, ABacklogUsesAllOfTheLimitEvenly) {
  Asking limit({even(1'000, kSecond, 90)});
  Dues at;
  for (std::int64_t now = kNow; now < kNow + 10 * kSecond; now += 20'000) {
    for (const std::int64_t due : limit.ask(now, {1, 200, 50'000}).due) at.push_back(now + due);
  }
  const auto until = [&](std::int64_t end) {
    return std::lower_bound(at.begin(), at.end(), end) - at.begin();
  };
  EXPECT_GE(until(kNow + 10 * kSecond), 9'900);
  for (std::int64_t begin = kNow; begin < kNow + 9 * kSecond; begin += 1'000) {
    EXPECT_LE(until(begin + kSecond) - until(begin), 1'000);
    if (begin >= kNow + kSecond) {
      EXPECT_LE(until(begin + 10'000) - until(begin), 20) << begin - kNow;
    }
  }
}

// A group of 5 has one permit of 3: it comes in the time of 3 units, not of 5.
TEST(EvenLog, ACostThatDoesNotDivideTheGroupUsesAllOfTheLimit) {
  for (const std::int64_t cost : {2, 3, 4, 5, 6, 7}) {
    Asking limit({even(1'000, kSecond, 90)}, {cost});
    std::int64_t granted = 0;
    for (std::int64_t now = kNow; now < kNow + 10 * kSecond; now += 20'000) {
      granted += limit.ask(now, {1, 200, 50'000}).granted * cost;
    }
    EXPECT_GE(granted, 9'900) << cost;
  }
}

}  // namespace
}  // namespace einlass::limits
