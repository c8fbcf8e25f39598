#include "limits/windows/sliding_window.h"

#include <gtest/gtest.h>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

// The article's listing counts the slices of the window alone: 3 late in the oldest one and 3 a
// window after its beginning are 6 within two thirds of a window.
TEST(SlidingWindow, TheOldestSliceCountsInFullUntilAllOfItHasLeft) {
  Asking limit({sliced(3, 1'000, 4)});  // Slices of 250.
  EXPECT_EQ(limit.ask(kNow + 249, {3, 3}).granted, 3);
  EXPECT_FALSE(limit.admits(kNow + 1'000));
  EXPECT_EQ(limit.ask(kNow + 1'000).retry, 250);
  EXPECT_FALSE(limit.admits(kNow + 1'249));
  EXPECT_EQ(limit.ask(kNow + 1'250, {1, 9}).granted, 3);
}

TEST(SlidingWindow, RetryWalksOverAsManySlicesAsMustLeave) {
  Asking limit({sliced(6, 1'000, 4)});
  for (const int at : {0, 250, 500}) EXPECT_EQ(limit.ask(kNow + at, {2, 2}).granted, 2);
  EXPECT_EQ(limit.ask(kNow + 600, {2, 2}).retry, 650);
  EXPECT_EQ(limit.ask(kNow + 600, {3, 3}).retry, 900);
  EXPECT_EQ(limit.ask(kNow + 600, {6, 6}).retry, 1'150);
  EXPECT_FALSE(limit.ask(kNow + 600, {7, 7}).retry.has_value());
  EXPECT_EQ(limit.ask(kNow + 1'500, {3, 3}).granted, 3);
}

TEST(SlidingWindow, AfterAPartialGrantTheNewestSliceMustLeave) {
  Asking limit({sliced(3, 1'000, 4)});
  const Told told = limit.ask(kNow + 10, {1, 5, 9'000});
  EXPECT_EQ(told.due, Dues(3, 0));
  EXPECT_EQ(told.retry, 1'240);
}

TEST(SlidingWindow, ASliceIsRoundedUp) {
  Asking limit({sliced(1, 10, 3)});  // Slices of 4: 12 in all, never less than the window.
  const std::int64_t begin = kNow / 4 * 4;
  EXPECT_TRUE(limit.admits(begin + 3));
  EXPECT_FALSE(limit.admits(begin + 15));
  EXPECT_TRUE(limit.admits(begin + 16));
}

TEST(SlidingWindow, MoreSlicesThanMicrosecondsAreStillALimit) {
  Asking limit({sliced(1, 3, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow + 1).retry, 1'000);
}

TEST(SlidingWindow, AReleaseIsForTheSliceOfItsInstant) {
  Asking limit({sliced(4, 1'000, 4)});
  const Told old = limit.ask(kNow, {2, 2});
  const Told young = limit.ask(kNow + 300, {2, 2});
  EXPECT_EQ(limit.give_back({old.ids[0]}, kNow + 400), 1);
  EXPECT_EQ(limit.remaining(kNow + 400), 1);
  EXPECT_EQ(limit.ask(kNow + 400, {2, 2}).retry, 850);  // When the other one of that slice leaves.
  EXPECT_EQ(limit.give_back({old.ids[1]}, kNow + 1'250), 0);  // Has left anyway.
  EXPECT_EQ(limit.give_back(young.ids, kNow + 1'250), 2);
  EXPECT_EQ(limit.remaining(kNow + 1'250), 4);
  EXPECT_TRUE(limit.is_fresh(kNow + 1'250));
}

TEST(SlidingWindow, NothingIsCreditedBelowNothingSpent) {
  Asking limit({sliced(4, 1'000, 4)});
  const Told told = limit.ask(kNow, {2, 2});
  EXPECT_EQ(limit.ask(kNow + 300, {1, 1}).granted, 1);
  for (int i = 0; i < 3; ++i) limit.give_back(told.ids, kNow + 300);
  EXPECT_EQ(limit.remaining(kNow + 300), 3);
}

TEST(SlidingWindow, TimeNeverRunsBackwards) {
  for (const Parameters& parameters : {sliced(4, 1'000, 4), newest(4, 1'000, 4)}) {
    Asking limit({parameters});
    const Told told = limit.ask(kNow, {2, 2});
    EXPECT_EQ(limit.ask(kNow - 40).retry, 40);
    EXPECT_EQ(limit.remaining(kNow - 40), 0);
    limit.give_back(told.ids, kNow);
    EXPECT_EQ(limit.ask(kNow - 40).retry, 40);  // A release does not move it back.
    EXPECT_FALSE(limit.is_fresh(kNow - 1));
    EXPECT_TRUE(limit.is_fresh(kNow));
  }
}

TEST(SlidingWindow, WhatChangesIsCountedInTheNewSlices) {
  Asking limit({sliced(4, 1'000, 4)});
  EXPECT_TRUE(limit.admits(kNow + 249));
  EXPECT_TRUE(limit.admits(kNow + 250));
  limit.change(0, sliced(4, 1'000, 2));  // Both in one slice now, which leaves at 1,500.
  EXPECT_EQ(limit.ask(kNow + 600, {3, 3}).retry, 900);
  limit.change(0, sliced(4, 400, 40));  // Their last instants are 249 and 250: apart once more.
  EXPECT_EQ(limit.remaining(kNow + 649), 2);
  EXPECT_EQ(limit.remaining(kNow + 650), 3);
  EXPECT_EQ(limit.remaining(kNow + 660), 4);
}

TEST(SlidingWindow, IsFreshWhenNoSliceCounts) {
  Asking limit({sliced(4, 1'000, 4)});
  EXPECT_TRUE(limit.is_fresh(kNow));
  EXPECT_TRUE(limit.admits(kNow + 100));
  EXPECT_FALSE(limit.is_fresh(kNow + 1'249));
  EXPECT_TRUE(limit.is_fresh(kNow + 1'250));
  EXPECT_TRUE(limit.admits(kNow + 3'600 * kSecond));
  EXPECT_EQ(limit.remaining(kNow + 3'600 * kSecond), 3);
}

TEST(NewestLog, ASliceLeavesAWindowAfterItsLastUnit) {
  Asking limit({newest(3, 1'000, 4)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow + 100, {2, 2}).granted, 2);
  EXPECT_EQ(limit.ask(kNow + 900, {1, 1}).retry, 200);
  EXPECT_FALSE(limit.admits(kNow + 1'099));
  EXPECT_EQ(limit.ask(kNow + 1'100, {1, 9}).granted, 3);
}

TEST(NewestLog, WhatBlocksADeniedAskInItsOwnSliceLeavesByItsOwnInstant) {
  Asking limit({newest(10, 1'000, 4)});
  EXPECT_EQ(limit.ask(kNow + 10, {8, 8}).granted, 8);
  // Two could be booked now, but nothing is: so the eight leave at 1,010, not the two at 1,060.
  EXPECT_EQ(limit.ask(kNow + 60, {5, 5}).retry, 950);
  EXPECT_EQ(limit.ask(kNow + 1'010, {5, 5}).granted, 5);
}

TEST(NewestLog, AfterAPartialGrantItIsTheLastOfThose) {
  Asking limit({newest(10, 1'000, 4)});
  EXPECT_EQ(limit.ask(kNow + 10, {8, 8}).granted, 8);
  EXPECT_EQ(limit.ask(kNow + 60, {1, 5}).retry, 1'000);
}

TEST(NewestLog, InTheNewestSliceAPermitComesBackOnceAndByItsId) {
  Asking limit({newest(3, 1'000, 4)});
  const Told told = limit.ask(kNow, {2, 2});
  EXPECT_EQ(limit.give_back({told.ids[0]}, kNow + 5), 1);
  EXPECT_EQ(limit.give_back({told.ids[0]}, kNow + 5), 0);
  EXPECT_EQ(limit.remaining(kNow + 5), 2);
}

TEST(NewestLog, ThePermitThatComesBackTakesTheLastInstantWithIt) {
  Asking limit({newest(2, 1'000, 4)});
  EXPECT_TRUE(limit.admits(kNow));
  const Told late = limit.ask(kNow + 200);
  limit.give_back(late.ids, kNow + 200);
  EXPECT_EQ(limit.ask(kNow + 300, {1, 9}).granted, 1);
  EXPECT_EQ(limit.ask(kNow + 300).retry, 700);  // As the first one leaves at 1,000.
}

TEST(NewestLog, AClosedSliceKeepsItsLastInstant) {
  Asking limit({newest(2, 1'000, 4)});
  EXPECT_TRUE(limit.admits(kNow));
  const Told late = limit.ask(kNow + 200);
  EXPECT_EQ(limit.give_back(late.ids, kNow + 250), 1);
  EXPECT_EQ(limit.ask(kNow + 250, {2, 2}).retry, 950);
  EXPECT_EQ(limit.give_back(late.ids, kNow + 250), 1);  // Its ids are forgotten, its count is not.
  EXPECT_EQ(limit.give_back(late.ids, kNow + 250), 0);
}

TEST(NewestLog, GivesBackWhatTheSlicesAloneWithhold) {
  std::int64_t granted[2] = {0, 0};
  for (const bool log : {false, true}) {
    Asking limit({log ? newest(4, 1'000, 4) : sliced(4, 1'000, 4)});
    for (std::int64_t t = 0; t < 100'000; t += 7) granted[log] += limit.admits(kNow + t);
  }
  EXPECT_GT(granted[1], granted[0]);
  EXPECT_LE(granted[1], 4 * 100);
}

TEST(NewestLog, FallsInOneSliceWithItsNeighbourWhenTheSlicesGrow) {
  Asking limit({newest(5, 1'000, 10)});
  EXPECT_EQ(limit.ask(kNow + 50, {2, 2}).granted, 2);
  EXPECT_EQ(limit.ask(kNow + 150, {2, 2}).granted, 2);
  limit.change(0, newest(5, 1'000, 2));
  EXPECT_EQ(limit.ask(kNow + 160, {2, 2}).retry, 990);  // All four with the younger two.
  EXPECT_TRUE(limit.admits(kNow + 170));
  EXPECT_EQ(limit.ask(kNow + 170).retry, 1'000);
}

}  // namespace
}  // namespace einlass::limits
