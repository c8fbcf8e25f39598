#include "limits/permits/refusal.h"

#include <gtest/gtest.h>

#include "limits/rates/warm_up.h"
#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

std::string why(const Parameters& parameters, std::int64_t cost = 1) {
  return refusal(parameters, {cost}).value_or("");
}

TEST(Refusal, AcceptsWhatCanBeKept) {
  EXPECT_EQ(why(log(1, 1)), "");
  EXPECT_EQ(why(log(100, kSecond), 100), "");
  EXPECT_EQ(why(bucket(20, kSecond, 40), 40), "");
  EXPECT_EQ(why(bucket(0, 1, 1)), "");  // Closed on purpose.
}

TEST(Refusal, NamesWhatIsTooSmall) {
  EXPECT_EQ(why(log(0, kSecond)), "limit is 0; it must be at least 1");
  EXPECT_EQ(why(log(-5, kSecond)), "limit is -5; it must be at least 1");
  EXPECT_EQ(why(log(1, 0)), "window must be longer than 0");
  EXPECT_EQ(why(log(1, -1)), "window must be longer than 0");
  EXPECT_EQ(why(bucket(1, 1, 0)), "burst is 0; it must be at least 1");
  EXPECT_NE(why(TokenBucketParameters{{-1, 10}, {1}}), "");
  EXPECT_NE(why(TokenBucketParameters{{1, 0}, {1}}), "");
  EXPECT_EQ(why(log(1, 1), 0), "cost is 0; it must be at least 1");
}

TEST(Refusal, ARecordThatCouldNeverPass) {
  EXPECT_EQ(why(log(20, kSecond), 50),
            "cost 50 is more than the limit of 20, so no record could ever pass; lower the cost or "
            "raise the limit");
  EXPECT_NE(why(bucket(1, 1, 20), 21).find("burst of 20"), std::string::npos);
}

TEST(Refusal, GivesTheLargestBurstThatIsExact) {
  const std::int64_t micros = 604'800'000'003;  // A little more than a week.
  const std::int64_t most = (kExactBelow - 1) / micros;
  EXPECT_EQ(why(bucket(1, micros, most)), "");
  EXPECT_NE(why(bucket(1, micros, most + 1)).find("the most is " + std::to_string(most)),
            std::string::npos);
  EXPECT_EQ(why(bucket(1, 1, kExactBelow - 1)), "");
  EXPECT_NE(why(bucket(1, 1, kExactBelow)), "");
}

TEST(Refusal, BoundsTheLog) {
  EXPECT_EQ(why(log(kMostLogEntries, kSecond)), "");
  EXPECT_NE(why(log(kMostLogEntries + 1, kSecond)), "");
  EXPECT_EQ(why(log(5'000, kSecond), kMostLogCost), "");
  EXPECT_NE(why(log(5'000, kSecond), kMostLogCost + 1), "");
  EXPECT_EQ(why(SlidingLogParameters{{1}, kLongestWindow}), "");
  EXPECT_NE(why(SlidingLogParameters{{1}, kLongestWindow + Duration{1}}), "");
}

TEST(Rate, IsReduced) {
  EXPECT_EQ(reduced({20, kSecond}), (Rate{1, 50'000}));
  EXPECT_EQ(reduced({0, kSecond}), (Rate{0, 1}));
  EXPECT_EQ(reduced({7, 3}), (Rate{7, 3}));
}

TEST(Refusal, AcceptsWhatTheNewerOnesCanKeep) {
  const std::int64_t far = kLongestWindow.us;
  for (const Parameters& parameters :
       {fixed(1, 1), counter(kMostCounted, far), sliced(kMostCounted, far, kMostSlices),
        newest(kMostNewestEntries, 1, 1), meter(0, 1, 1), queue(3, 1, 1), pay_now(1, 1, 1, 0),
        pay_next(1, 1, (kExactBelow - 1) / 2, far), warm_up(0, 1, far, far), held(1, 1),
        warm_up(1, 1, kMostWarmUpUnits > far ? far : 1, kWarmUpBelow - 1)}) {
    EXPECT_EQ(why(parameters), "");
    EXPECT_EQ(why(parameters, most_cost(parameters).value), "");
    EXPECT_NE(why(parameters, most_cost(parameters).value + 1), "");
    EXPECT_EQ(why(parameters, 0).substr(0, 4), "cost");
  }
}

TEST(Refusal, NamesTheParameterAndTheMost) {
  const std::string most = std::to_string(kMostCounted);
  const std::string limit = std::to_string(kMostCounted + 1);
  EXPECT_EQ(why(counter(kMostCounted + 1, 1)),
            "limit " + limit + " is too large to be counted exactly; the most is " + most);
  EXPECT_EQ(why(fixed(0, 1)), "limit is 0; it must be at least 1");
  EXPECT_EQ(why(counter(1, 0)), "window must be longer than 0");
  EXPECT_EQ(why(sliced(1, kLongestWindow.us + 1, 1)), "window is too long; the most is 36500d");
  EXPECT_EQ(why(sliced(1, 1, 0)), "slices is 0; it must be from 1 to 1000");
  EXPECT_EQ(why(sliced(1, 1, 1'001)), "slices is 1001; it must be from 1 to 1000");
  EXPECT_EQ(why(newest(100'001, 1, 1)),
            "limit 100001 is too many entries for a sliding_window with log: newest; the most is "
            "100000, one without has no such bound");
  EXPECT_EQ(why(held(1, 0)), "lease must be longer than 0");
  EXPECT_EQ(why(held(0, 1)), "limit is 0; it must be at least 1");
  EXPECT_EQ(why(held(2'000, 1), 1'001),
            "cost 1001 is too much for concurrency, which keeps an entry for each unit; the most "
            "is 1000, a token_bucket has no such bound");
}

TEST(Refusal, NamesTheParameterOfARate) {
  EXPECT_EQ(why(meter(1, 1, 0)), "capacity is 0; it must be at least 1");
  EXPECT_EQ(why(queue(1, kSecond, kExactBelow / kSecond + 1)),
            "capacity 9007199255 cannot be counted exactly at a rate of 1 per 1000000us; the most "
            "is 9007199254");
  EXPECT_EQ(why(queue(1, 1, 3), 4),
            "cost 4 is more than the capacity of 3, so no record could ever pass; lower the cost "
            "or raise the capacity");
  EXPECT_EQ(why(pay_now(1, 1, 1, -1)), "timeout must not be negative");
  EXPECT_EQ(why(pay_now(1, 1, 1, kLongestWindow.us + 1)),
            "timeout is too long; the most is 36500d");
  EXPECT_EQ(why(pay_next(1, kSecond, 9'007'199'254, 0)),
            "burst 9007199254 cannot be counted exactly at a rate of 1 per 1000000us; the most is "
            "4503599627");
  EXPECT_EQ(why(warm_up(1, 1, 0, 0)), "warm_up must be longer than 0");
  EXPECT_EQ(why(warm_up(1'000, 1, 0, kWarmUpBelow)),
            "warm_up 281474976710656us cannot be counted exactly at a rate of 1000 per 1us; the "
            "most is 281474976710us");
  EXPECT_EQ(why(warm_up(1'000, 1, kMostWarmUpUnits / 4, 1)),
            "timeout 1125899906842624us cannot be counted exactly at a rate of 1000 per 1us; the "
            "most is 4503599627370us");
  EXPECT_EQ(why(warm_up(1, kSecond, 0, 1), 4'503'599'628),
            "cost 4503599628 cannot be counted exactly at a rate of 1 per 1000000us; the most is "
            "4503599627");
}

}  // namespace
}  // namespace einlass::limits
