#include "limits/windows/counter.h"

#include <gtest/gtest.h>

#include "limits/windows/fixed_window.h"
#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

TEST(Counter, TheWindowOpensWithTheFirstPermit) {
  Asking limit({counter(2, 1'000)});
  EXPECT_TRUE(limit.admits(kNow + 700));
  EXPECT_TRUE(limit.admits(kNow + 1'600));
  EXPECT_EQ(limit.ask(kNow + 1'699).retry, 1);
  EXPECT_TRUE(limit.admits(kNow + 1'700));
  EXPECT_EQ(limit.remaining(kNow + 1'700), 1);
}

TEST(Counter, LateInOneWindowAndEarlyInTheNextTwiceTheLimitPasses) {
  Asking limit({counter(5, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow + 999, {1, 9}).granted, 4);
  EXPECT_EQ(limit.ask(kNow + 1'000, {1, 9}).granted, 5);
}

TEST(Counter, GrantsAsManyAsAreLeft) {
  Asking limit({counter(5, 1'000)});
  const Told told = limit.ask(kNow, {1, 9, 5'000});
  EXPECT_EQ(told.due, Dues(5, 0));  // Nothing ahead, whatever the horizon.
  EXPECT_EQ(told.retry, 1'000);
  EXPECT_EQ(limit.remaining(kNow), 0);
}

TEST(Counter, RetryIsTheEndOfTheWindowAlsoForMoreThanIsLeft) {
  Asking limit({counter(5, 1'000)}, {2});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow + 100, {2, 2}).retry, 900);
  EXPECT_EQ(limit.remaining(kNow + 100), 3);  // The denial wrote nothing.
  EXPECT_EQ(limit.ask(kNow + 1'000, {2, 2}).granted, 2);
  EXPECT_FALSE(limit.ask(kNow + 2'000, {3, 3}).retry.has_value());
}

TEST(Counter, AReleaseIsForTheOpenWindow) {
  Asking limit({counter(3, 1'000)});
  const Told old = limit.ask(kNow, {3, 3});
  EXPECT_EQ(limit.give_back({old.ids[0]}, kNow + 999), 1);
  EXPECT_EQ(limit.remaining(kNow + 999), 1);
  EXPECT_EQ(limit.give_back({old.ids[1]}, kNow + 1'000), 0);  // Over.
  EXPECT_EQ(limit.ask(kNow + 1'000, {2, 2}).granted, 2);
  EXPECT_EQ(limit.give_back({old.ids[2]}, kNow + 1'001), 0);  // Of the window before.
  EXPECT_EQ(limit.remaining(kNow + 1'001), 1);
}

TEST(Counter, NothingIsCreditedBelowNothingSpent) {
  Asking limit({counter(3, 1'000)});
  const Told told = limit.ask(kNow, {1, 1});
  for (int i = 0; i < 5; ++i) limit.give_back(told.ids, kNow);
  EXPECT_EQ(limit.remaining(kNow), 3);
  EXPECT_EQ(limit.ask(kNow + 10, {1, 9}).granted, 3);
  EXPECT_EQ(limit.ask(kNow + 10).retry, 990);  // The window is still the one of the first.
}

TEST(Counter, TimeNeverRunsBackwards) {
  Asking limit({counter(3, 1'000)});
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_EQ(limit.ask(kNow - 40).retry, 40);
  EXPECT_EQ(limit.remaining(kNow - 40), 0);
  EXPECT_TRUE(limit.admits(kNow));
}

TEST(Counter, AnOpenWindowKeepsItsEndAndItsCount) {
  Asking limit({counter(3, 1'000)});
  EXPECT_EQ(limit.ask(kNow, {2, 2}).granted, 2);
  limit.change(0, counter(2, 60'000));
  EXPECT_EQ(limit.ask(kNow + 10).retry, 990);
  EXPECT_TRUE(limit.admits(kNow + 1'000));
  EXPECT_EQ(limit.ask(kNow + 1'000, {2, 2}).retry, 60'000);
}

TEST(Counter, IsFreshWhenTheWindowIsOver) {
  Asking limit({counter(3, 1'000)});
  EXPECT_TRUE(limit.is_fresh(kNow));
  EXPECT_TRUE(limit.admits(kNow));
  EXPECT_FALSE(limit.is_fresh(kNow + 999));
  EXPECT_TRUE(limit.is_fresh(kNow + 1'000));
  EXPECT_FALSE(limit.is_fresh(kNow - 1));
}

TEST(FixedWindow, BeginsWithTheFullSecond) {
  Asking limit({fixed(2, kSecond)});
  EXPECT_EQ(limit.ask(kNow + 999'999, {2, 2}).granted, 2);
  EXPECT_EQ(limit.ask(kNow + 999'999).retry, 1);
  EXPECT_EQ(limit.ask(kNow + kSecond, {1, 3}).granted, 2);
  EXPECT_EQ(limit.ask(kNow + kSecond + 1).retry, 999'999);
}

TEST(FixedWindow, BeginsElsewhereForEachKey) {
  const FixedWindowParameters parameters{{1}, {kSecond}, true};
  // The phase of a key is fixed for ever: both stores begin the windows at the same instants.
  EXPECT_EQ(phase_of(parameters, ""), Duration{0xcbf29ce484222325 % kSecond});
  EXPECT_EQ(phase_of(parameters, "acme"), Duration{0x724d383f4f6de0f % kSecond});
  EXPECT_EQ(phase_of({{1}, {kSecond}, false}, "acme"), Duration{});
  const std::int64_t phase = phase_of(parameters, "acme").us;
  Asking limit({parameters}, {}, "acme");
  EXPECT_TRUE(limit.admits(kNow + phase - 1));
  EXPECT_EQ(limit.ask(kNow + phase - 1).retry, 1);
  EXPECT_TRUE(limit.admits(kNow + phase));
  EXPECT_EQ(limit.ask(kNow + phase).retry, kSecond);
}

TEST(FixedWindow, BeginsElsewhereAlsoOnceThatIsConfigured) {
  Asking limit({fixed(1, kSecond)}, {}, "acme");
  EXPECT_TRUE(limit.admits(kNow));
  limit.change(0, fixed(1, kSecond, true));
  const std::int64_t phase = phase_of({{1}, {kSecond}, true}, "acme").us;
  EXPECT_TRUE(limit.admits(kNow + kSecond));
  EXPECT_EQ(limit.ask(kNow + kSecond).retry, phase);
}

TEST(FixedWindow, AlsoBeforeTheFirstOneOfAKey) {
  const FixedWindowParameters parameters{{1}, {kSecond}, true};
  const std::int64_t phase = phase_of(parameters, "acme").us;
  ASSERT_GT(phase, 10);
  Asking limit({parameters}, {}, "acme");
  EXPECT_TRUE(limit.admits(3));
  EXPECT_EQ(limit.ask(3).retry, phase - 3);
  EXPECT_TRUE(limit.admits(phase));
}

TEST(FixedWindow, AReleaseIsForTheOpenWindow) {
  Asking limit({fixed(2, kSecond)});
  const Told old = limit.ask(kNow + 5, {2, 2});
  EXPECT_EQ(limit.give_back({old.ids[0]}, kNow + 10), 1);
  EXPECT_TRUE(limit.admits(kNow + 10));
  EXPECT_EQ(limit.give_back({old.ids[1]}, kNow + kSecond), 0);
}

TEST(FixedWindow, BookedAnewAnOpenWindowLastsAsLongAsTheLongerOne) {
  Asking limit({fixed(3, kSecond)});
  EXPECT_TRUE(limit.admits(kNow + 10));
  limit.change(0, fixed(3, 10 * kSecond));  // kNow is where one of those begins, too.
  EXPECT_TRUE(limit.admits(kNow + 20));
  limit.change(0, fixed(3, kSecond));
  EXPECT_TRUE(limit.admits(kNow + kSecond));  // The third: the window has not ended.
  EXPECT_EQ(limit.ask(kNow + kSecond).retry, 9 * kSecond);
}

}  // namespace
}  // namespace einlass::limits
