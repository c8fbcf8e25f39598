// The traces on which the listings of the four articles go wrong, and what is right on them.
#include <gtest/gtest.h>

#include <string_view>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

// 001: the caller's clock in whole seconds makes a call of 1.9 s as old as one of 1.0 s, so a full
// limit passes twice within a tenth of a second around a full second.
TEST(Article001SlidingLog, DoesNotRoundInstantsToSeconds) {
  Asking limit({log(3, kSecond)});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.admits(kNow + 900'000 + i));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(limit.admits(kNow + kSecond + i));
  EXPECT_TRUE(limit.admits(kNow + 1'900'000));
}

// 001 tells the count before adding and lets the caller compare: here the answer is the decision.
TEST(Article001SlidingLog, SaysGrantedOrWhen) {
  Asking limit({log(1, kSecond)});
  EXPECT_EQ(limit.ask(kNow).granted, 1);
  EXPECT_EQ(limit.ask(kNow + 250'000).retry, 750'000);
}

// 002: (now - last) / 1000 * rate in whole numbers is 0 for every call less than a second after the
// one before, while the time of the last call moves on: asked often, the bucket never refills.
TEST(Article002Bucket, LosesNoFractionWhenAskedOften) {
  Asking limit({bucket(10, kSecond, 10)});
  EXPECT_EQ(limit.ask(kNow, {1, 10}).granted, 10);
  std::int64_t granted = 0;
  for (std::int64_t ms = 1; ms <= 5'000; ++ms) granted += limit.admits(kNow + ms * 1'000);
  EXPECT_EQ(granted, 50);
}

// 003 section 2: removes the entries inside the window, so that a limit of 3 admits all of 6 calls.
TEST(Article003SlidingLog, CountsTheCallsInsideTheWindow) {
  Asking limit({log(3, kSecond)});
  std::string answers;
  for (int i = 0; i < 6; ++i) answers += limit.admits(kNow + i * 100'000) ? 'y' : 'n';
  EXPECT_EQ(answers, "yyynnn");
}

// ... and calls of the same instant collapse into one member.
TEST(Article003SlidingLog, CountsCallsOfTheSameInstant) {
  Asking limit({log(3, kSecond)});
  std::string answers;
  for (int i = 0; i < 6; ++i) answers += limit.admits(kNow) ? 'y' : 'n';
  EXPECT_EQ(answers, "yyynnn");
}

// 003 section 5: admits when tokens are missing and refuses when they are there.
TEST(Article003TokenBucket, AdmitsWhenTokensAreThere) {
  Asking limit({bucket(1, kSecond, 2)});
  std::string answers;
  for (const int ms : {0, 0, 0, 500, 1'000, 1'001, 2'000, 4'000, 4'000, 4'000}) {
    answers += limit.admits(kNow + ms * 1'000) ? 'y' : 'n';
  }
  EXPECT_EQ(answers, "yynnynyyyn");
}

// 004: the time of the last refill is stored only after a refill, and a refill needs it. Capacity
// 2, rate 1/s: after two permits nothing is admitted again while it is in use.
TEST(Article004TokenBucket, RefillsWhileInUse) {
  Asking limit({bucket(1, kSecond, 2)});
  EXPECT_EQ(limit.ask(kNow, {2, 2}).granted, 2);
  std::int64_t granted = 0;
  for (std::int64_t ms = 100; ms <= 10'000; ms += 100) granted += limit.admits(kNow + ms * 1'000);
  EXPECT_EQ(granted, 10);
}

}  // namespace
}  // namespace einlass::limits
