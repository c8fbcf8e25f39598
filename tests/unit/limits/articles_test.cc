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

// 002, INCRBY and EXPIRE: the expiry is never set, so that the limit, once reached, is for ever.
TEST(Article002Counter, EndsWithItsWindow) {
  Asking limit({counter(3, kSecond)});
  std::string answers;
  for (const int ms : {0, 1, 2, 3, 999, 1'000, 1'001, 1'002, 1'003, 2'000}) {
    answers += limit.admits(kNow + ms * 1'000) ? 'y' : 'n';
  }
  EXPECT_EQ(answers, "yyynnyyyny");
}

// ... and it has counted before it fails: what is refused must not count.
TEST(Article002Counter, DoesNotCountWhatItRefuses) {
  Asking limit({counter(3, kSecond)});
  for (int i = 0; i < 50; ++i) EXPECT_EQ(limit.ask(kNow + i, {4, 4}).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 60, {3, 3}).granted, 3);
}

// 002, Guava's: the state expires after 10 s whatever is owed, so a longer debt is forgiven.
TEST(Article002Guava, ADebtOfMoreThanTenSecondsIsPaid) {
  Asking limit({pay_next(1, kSecond, 30, 60 * kSecond)}, {30});
  EXPECT_TRUE(limit.admits(kNow));  // What was saved.
  EXPECT_TRUE(limit.admits(kNow));  // What is owed.
  limit.cost(0, 1);
  EXPECT_FALSE(limit.is_fresh(kNow + 29 * kSecond));
  EXPECT_EQ(limit.ask(kNow + 11 * kSecond).granted, 0);
  EXPECT_EQ(limit.ask(kNow + 11 * kSecond).retry, 19 * kSecond);
  EXPECT_TRUE(limit.admits(kNow + 30 * kSecond));
}

// 003 section 1: the windows lie end to end, and that twice the limit passes across an edge is
// said.
TEST(Article003FixedWindow, AdmitsTheLimitInEachWindow) {
  Asking limit({fixed(3, kSecond)});
  std::string answers;
  for (const int ms : {900, 910, 920, 930, 1'000, 1'010, 1'020, 1'030, 2'000}) {
    answers += limit.admits(kNow + ms * 1'000) ? 'y' : 'n';
  }
  EXPECT_EQ(answers, "yyynyyyny");
}

// 003 section 3: only the slices of the window count, so that 5 late in the oldest one and 5 when
// it drops out are 10 within four fifths of a window.
TEST(Article003SlidingWindow, NeverHasTwiceTheLimit) {
  for (const Parameters& parameters : {sliced(5, kSecond, 5), newest(5, kSecond, 5)}) {
    Asking limit({parameters});
    EXPECT_EQ(limit.ask(kNow + 199'999, {5, 5}).granted, 5);
    EXPECT_EQ(limit.ask(kNow + kSecond).granted, 0);
    EXPECT_EQ(limit.ask(kNow + kSecond + 200'000, {5, 5}).granted, 5);
  }
}

// 003 section 4: compares a string with a number, so that every call after the first is an error.
TEST(Article003LeakyBucket, LeaksAtItsRate) {
  Asking limit({meter(2, kSecond, 3)});
  std::string answers;
  for (const int ms : {0, 0, 0, 0, 499, 500, 501, 1'500, 1'500, 1'500}) {
    answers += limit.admits(kNow + ms * 1'000) ? 'y' : 'n';
  }
  EXPECT_EQ(answers, "yyynnynyyn");
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
