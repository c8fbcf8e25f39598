#include "limits/windows/sliding_log.h"

#include <gtest/gtest.h>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

TEST(SlidingLog, AnEntryFreesItsSlotExactlyAWindowLater) {
  Asking limit({log(1, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_FALSE(limit.admits(kNow + 999));
  EXPECT_TRUE(limit.admits(kNow + 1'000));
  EXPECT_FALSE(limit.admits(kNow + 1'999));
}

TEST(SlidingLog, CallsOfOneInstantCountEach) {
  Asking limit({log(3, 1'000)});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.admits(kNow));
  EXPECT_FALSE(limit.admits(kNow));
}

TEST(SlidingLog, GrantsAsManyAsAreFree) {
  Asking limit({log(10, 1'000)});
  EXPECT_EQ(limit.ask(kNow, {4, 4}).granted, 4);
  const Told told = limit.ask(kNow + 10, {1, 20});
  EXPECT_EQ(told.granted, 6);
  EXPECT_EQ(told.due, Dues(6, 0));
  EXPECT_EQ(told.retry, 990);  // When the first of the four leaves.
  EXPECT_EQ(limit.remaining(kNow + 10), 0);
}

TEST(SlidingLog, RetryIsForTheMinimumNotForOne) {
  Asking limit({log(4, 1'000)});
  for (const int at : {0, 100, 200, 300}) EXPECT_TRUE(limit.admits(kNow + at));
  EXPECT_EQ(limit.ask(kNow + 400, {1, 1}).retry, 600);
  EXPECT_EQ(limit.ask(kNow + 400, {3, 3}).retry, 800);
  EXPECT_EQ(limit.ask(kNow + 1'199, {3, 3}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 1'200, {3, 3}).granted, 3);
}

TEST(SlidingLog, ADenialWritesNothing) {
  Asking limit({log(2, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limit.ask(kNow + 500, {2, 2}).granted, 0);
  EXPECT_TRUE(limit.admits(kNow + 500));
}

TEST(SlidingLog, MoreThanTheLimitAtOnceIsNever) {
  Asking limit({log(2, 1'000)});
  const Told told = limit.ask(kNow, {3, 3, 10'000});
  EXPECT_EQ(told.granted, 0);
  EXPECT_FALSE(told.retry.has_value());
}

TEST(SlidingLog, AMaximumAboveTheLimitComesDueOneAfterTheOther) {
  Asking limit({log(2, 1'000)});
  const Told told = limit.ask(kNow, {1, 7, 2'500});
  EXPECT_EQ(told.due, (Dues{0, 0, 1'000, 1'000, 2'000, 2'000}));
  EXPECT_EQ(told.retry, 500);
  EXPECT_EQ(limit.remaining(kNow), 0);
}

TEST(SlidingLog, BookingsAreFirstComeFirstServed) {
  Asking limit({log(2, 1'000)});
  EXPECT_EQ(limit.ask(kNow, {3 - 1, 3, 1'000}).due, (Dues{0, 0, 1'000}));
  // One slot comes free at +1,000 besides the booked one: the next in the queue has it.
  EXPECT_EQ(limit.ask(kNow + 10, {1, 1, 990}).due, (Dues{990}));
  EXPECT_EQ(limit.ask(kNow + 1'000, {1, 1, 0}).retry, 1'000);
}

TEST(SlidingLog, RetryUnderAHorizonIsWhenThePermitComesIntoIt) {
  Asking limit({log(1, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow, {1, 1, 300}).retry, 700);
  EXPECT_EQ(limit.ask(kNow + 699, {1, 1, 300}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 700, {1, 1, 300}).due, (Dues{300}));
}

TEST(SlidingLog, ACostTakesAsManySlots) {
  Asking limit({log(10, 1'000)}, {4});
  const Told told = limit.ask(kNow, {1, 3, 0});
  EXPECT_EQ(told.granted, 2);
  EXPECT_EQ(limit.remaining(kNow), 2);
  EXPECT_EQ(limit.ask(kNow + 1, {3, 3, 5'000}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 1, {1, 1, 0}).retry, 999);
}

TEST(SlidingLog, AReleaseGivesTheSlotBackOnce) {
  Asking limit({log(2, 1'000)});
  const Told told = limit.ask(kNow, {2, 2});
  EXPECT_EQ(limit.give_back({told.ids[0]}, kNow + 5), 1);
  EXPECT_EQ(limit.give_back({told.ids[0]}, kNow + 5), 0);
  EXPECT_EQ(limit.remaining(kNow + 5), 1);
  EXPECT_TRUE(limit.admits(kNow + 5));
  EXPECT_FALSE(limit.admits(kNow + 5));
}

TEST(SlidingLog, AReleaseAfterTheWindowIsTooLate) {
  Asking limit({log(2, 1'000)});
  const Told told = limit.ask(kNow, {2, 2});
  EXPECT_EQ(limit.give_back(told.ids, kNow + 1'000), 0);
  EXPECT_EQ(limit.remaining(kNow + 1'000), 2);
}

TEST(SlidingLog, AReleaseGivesAllOfACostBack) {
  Asking limit({log(9, 1'000)}, {3});
  const Told told = limit.ask(kNow, {3, 3});
  EXPECT_EQ(limit.give_back({told.ids[1]}, kNow), 1);
  EXPECT_EQ(limit.remaining(kNow), 3);
}

TEST(SlidingLog, AReleasedBookingDoesNotMoveTheQueueBack) {
  Asking limit({log(1, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  const Told ahead = limit.ask(kNow, {1, 1, 1'000});
  EXPECT_EQ(limit.give_back(ahead.ids, kNow), 1);
  EXPECT_EQ(limit.ask(kNow + 100, {1, 1, 2'000}).due, (Dues{900}));
}

TEST(SlidingLog, TimeNeverRunsBackwards) {
  Asking limit({log(2, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow - 300).retry, 300);
  EXPECT_EQ(limit.ask(kNow - 300, {1, 1, 300}).due, (Dues{300}));
  EXPECT_EQ(limit.remaining(kNow - 1), 0);
  EXPECT_FALSE(limit.admits(kNow));
}

TEST(SlidingLog, ALoweredLimitKeepsWhatWasSpent) {
  Asking limit({log(5, 1'000)});
  EXPECT_EQ(limit.ask(kNow, {3, 3}).granted, 3);
  EXPECT_EQ(limit.ask(kNow + 10, {2, 2}).granted, 2);
  limit.change(0, log(2, 1'000));
  EXPECT_EQ(limit.remaining(kNow + 20), 0);
  EXPECT_EQ(limit.ask(kNow + 20).retry, 990);  // The fourth has to leave, not the first.
  limit.change(0, log(6, 1'000));
  EXPECT_EQ(limit.remaining(kNow + 20), 1);
}

TEST(SlidingLog, IsFreshWhenAllHaveLeft) {
  Asking limit({log(2, 1'000)});
  EXPECT_TRUE(limit.is_fresh(kNow));
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_FALSE(limit.is_fresh(kNow + 999));
  EXPECT_TRUE(limit.is_fresh(kNow + 1'000));
}

TEST(LogRing, KeepsTheOrderThroughWrapsAndErasures) {
  LogRing ring;
  std::int64_t next = 0;
  std::int64_t first = 0;
  const auto id = [](std::int64_t n) { return permit_id({}, static_cast<std::uint16_t>(n)); };
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 7; ++i, ++next) ring.push_back({{next}, id(next)});
    ring.pop_front(6);
    first += 6;
  }
  EXPECT_EQ(ring.size(), 100U);
  EXPECT_TRUE(ring.erase(id(first + 50), 0));
  EXPECT_FALSE(ring.erase(id(first + 50), 0));
  EXPECT_FALSE(ring.erase(id(first), 1));  // Not looked for before that index.
  EXPECT_EQ(ring.size(), 99U);
  EXPECT_EQ(ring[49].at.us, first + 49);
  EXPECT_EQ(ring[50].at.us, first + 51);
  EXPECT_EQ(ring[98].at.us, next - 1);
  EXPECT_EQ(ring.count_until({first + 49}), 50U);
  EXPECT_EQ(ring.count_until({first - 1}), 0U);
  EXPECT_EQ(ring.count_until({next}), 99U);
}

}  // namespace
}  // namespace einlass::limits
