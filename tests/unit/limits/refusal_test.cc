#include "limits/refusal.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace einlass::limits
