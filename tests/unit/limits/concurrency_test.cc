#include "limits/windows/concurrency.h"

#include <gtest/gtest.h>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

TEST(Concurrency, AnAttemptThatEndedMakesRoom) {
  Asking limit({held(2, kSecond)});
  const Told told = limit.ask(kNow, {2, 2});
  EXPECT_FALSE(limit.admits(kNow + 1));
  limit.end({told.ids[1]}, kNow + 2);
  EXPECT_EQ(limit.remaining(kNow + 2), 1);
  limit.end({told.ids[1]}, kNow + 2);
  EXPECT_EQ(limit.remaining(kNow + 2), 1);  // Ends once.
  EXPECT_TRUE(limit.admits(kNow + 2));
  EXPECT_FALSE(limit.admits(kNow + 2));
}

TEST(Concurrency, ALostHoldersPermitEndsWithItsLease) {
  Asking limit({held(2, kSecond)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_TRUE(limit.admits(kNow + 10));
  EXPECT_EQ(limit.ask(kNow + 20).retry, kSecond - 20);  // An upper bound.
  EXPECT_FALSE(limit.admits(kNow + kSecond - 1));
  EXPECT_TRUE(limit.admits(kNow + kSecond));
}

TEST(Concurrency, GrantsNothingAhead) {
  Asking limit({held(2, kSecond)});
  EXPECT_EQ(limit.ask(kNow, {1, 5, 10 * kSecond}).due, (Dues{0, 0}));
  EXPECT_EQ(limit.ask(kNow, {1, 1, 10 * kSecond}).granted, 0);
}

TEST(Concurrency, AnUnusedPermitMakesRoomToo) {
  Asking limit({held(2, kSecond)}, {2});
  const Told told = limit.ask(kNow);
  EXPECT_EQ(limit.give_back(told.ids, kNow), 1);
  EXPECT_EQ(limit.remaining(kNow), 2);
}

TEST(Concurrency, AnEndIsNothingToOtherLimits) {
  Asking limits({held(5, kSecond), log(5, kSecond), counter(5, kSecond), sliced(5, kSecond, 4),
                 bucket(1, kSecond, 5), meter(1, kSecond, 5)});
  const Told told = limits.ask(kNow, {3, 3});
  limits.end(told.ids, kNow + 1);
  EXPECT_EQ(limits.remaining(kNow + 1, 0), 5);
  for (std::size_t other = 1; other < 6; ++other) EXPECT_EQ(limits.remaining(kNow + 1, other), 2);
}

}  // namespace
}  // namespace einlass::limits
