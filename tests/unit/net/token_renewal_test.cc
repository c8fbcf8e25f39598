// When a token server is asked again.
#include "net/token_renewal.h"

#include <gtest/gtest.h>

#include <tuple>

namespace einlass::net {
namespace {

using std::chrono::seconds;

const TokenRenewal::SteadyTime kStart{seconds(1'000'000)};

TEST(TokenRenewal, asks_with_a_quarter_of_the_life_left_but_no_earlier_than_a_minute_before) {
  TokenRenewal renewal;
  EXPECT_TRUE(renewal.is_due(kStart));
  renewal.asked(kStart);
  renewal.came(Duration::seconds(100));
  EXPECT_FALSE(renewal.is_due(kStart + seconds(75) - std::chrono::microseconds(1)));
  EXPECT_TRUE(renewal.is_due(kStart + seconds(75)));
  EXPECT_FALSE(renewal.has_expired(kStart + seconds(100) - std::chrono::microseconds(1)));
  EXPECT_TRUE(renewal.has_expired(kStart + seconds(100)));
  renewal.came(Duration::seconds(3600));
  EXPECT_FALSE(renewal.is_due(kStart + seconds(3539)));
  EXPECT_TRUE(renewal.is_due(kStart + seconds(3540)));
}

TEST(TokenRenewal, asks_up_to_twice_as_early_by_what_was_drawn) {
  for (const auto& [earlier, life, due] :
       {std::tuple{0.0, 100, 75.0}, {0.5, 100, 62.5}, {1.0, 100, 50.0}, {0.5, 3600, 3510.0}}) {
    TokenRenewal renewal(earlier);
    renewal.asked(kStart);
    renewal.came(Duration::seconds(life));
    const auto at = kStart + std::chrono::duration_cast<std::chrono::microseconds>(
                                 std::chrono::duration<double>(due));
    EXPECT_FALSE(renewal.is_due(at - std::chrono::microseconds(1))) << due;
    EXPECT_TRUE(renewal.is_due(at)) << due;
    EXPECT_FALSE(renewal.has_expired(at));
  }
}

TEST(TokenRenewal, a_token_without_an_end_is_never_renewed_by_itself) {
  TokenRenewal renewal;
  renewal.asked(kStart);
  renewal.came(std::nullopt);
  const auto far = kStart + std::chrono::hours(24 * 365 * 10);
  EXPECT_FALSE(renewal.is_due(far) || renewal.has_expired(far));
  renewal.hurry(far);
  EXPECT_TRUE(renewal.is_due(far));
}

TEST(TokenRenewal, waits_twice_as_long_after_each_failure_up_to_half_a_minute) {
  TokenRenewal renewal;
  for (const int wait : {1, 2, 4, 8, 16, 30, 30}) {
    renewal.failed(kStart);
    EXPECT_FALSE(renewal.is_due(kStart + seconds(wait) - std::chrono::microseconds(1))) << wait;
    EXPECT_TRUE(renewal.is_due(kStart + seconds(wait))) << wait;
  }
  renewal.asked(kStart);
  renewal.came(Duration::seconds(8));
  renewal.failed(kStart);
  EXPECT_TRUE(renewal.is_due(kStart + seconds(1)));
}

TEST(TokenRenewal, what_it_had_is_good_until_its_end_however_often_the_next_fails) {
  TokenRenewal renewal;
  EXPECT_TRUE(renewal.has_expired(kStart));
  renewal.asked(kStart);
  renewal.came(Duration::seconds(10));
  renewal.failed(kStart + seconds(8));
  EXPECT_FALSE(renewal.has_expired(kStart + seconds(9)));
  EXPECT_TRUE(renewal.has_expired(kStart + seconds(10)));
}

}  // namespace
}  // namespace einlass::net
