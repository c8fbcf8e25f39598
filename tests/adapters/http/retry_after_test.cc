#include "adapters/http/client/retry_after.h"

#include <gtest/gtest.h>

namespace einlass::http {
namespace {

// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples.
constexpr std::int64_t kThen = 784'111'777;
constexpr Instant kWall{kThen * 1'000'000};

TEST(HttpDate, all_three_formats_are_the_same_second) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", kThen), kThen);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", kThen), kThen);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", kThen), kThen);
  EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994", kThen), kThen + 10 * 86'400);
}

TEST(HttpDate, leap_days_and_leap_seconds_exist) {
  EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 00:00:00 GMT", kThen), 1'709'164'800);
  EXPECT_EQ(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", kThen), 1'483'228'800);
}

TEST(HttpDate, a_two_digit_year_is_the_nearest_that_is_not_50_years_ahead) {
  constexpr std::int64_t kIn2026 = 1'785'000'000;
  EXPECT_EQ(parse_http_date("Thursday, 01-Jan-26 00:00:00 GMT", kIn2026), 1'767'225'600);
  EXPECT_EQ(parse_http_date("Wednesday, 01-Jan-76 00:00:00 GMT", kIn2026), 3'345'062'400);
  EXPECT_EQ(parse_http_date("Saturday, 01-Jan-77 00:00:00 GMT", kIn2026), 220'924'800);
  constexpr std::int64_t kIn2099 = 4'072'000'000;
  EXPECT_EQ(parse_http_date("Friday, 01-Jan-00 00:00:00 GMT", kIn2099), 4'102'444'800);
}

TEST(HttpDate, what_is_not_a_date_is_none) {
  for (const char* text :
       {"", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nix 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun, 06 Nov -994 08:49:37 GMT", "Sun"}) {
    EXPECT_EQ(parse_http_date(text, kThen), std::nullopt) << text;
  }
}

TEST(RetryAfter, seconds) {
  EXPECT_EQ(parse_retry_after("0", "", kWall), Duration::seconds(0));
  EXPECT_EQ(parse_retry_after("120", "", kWall), Duration::seconds(120));
  EXPECT_EQ(parse_retry_after("007", "", kWall), Duration::seconds(7));
}

TEST(RetryAfter, a_date_counts_from_the_wall_clock) {
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:07 GMT", "", kWall), Duration::seconds(30));
  EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-94 08:50:07 GMT", "", kWall), Duration::seconds(30));
  EXPECT_EQ(parse_retry_after("Sun Nov  6 08:50:07 1994", "", kWall), Duration::seconds(30));
}

TEST(RetryAfter, a_date_counts_from_the_answers_own_date_if_it_has_one) {
  const std::string_view server_now = "Sun, 06 Nov 1994 08:50:00 GMT";
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:07 GMT", server_now, kWall),
            Duration::seconds(7));
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:07 GMT", "no date", kWall),
            Duration::seconds(30));
}

TEST(RetryAfter, the_past_is_now_and_an_hour_is_the_most) {
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", "", kWall), Duration{});
  EXPECT_EQ(parse_retry_after("Mon, 06 Nov 2094 08:00:00 GMT", "", kWall), kMaxRetryAfter);
  EXPECT_EQ(parse_retry_after("3601", "", kWall), kMaxRetryAfter);
  EXPECT_EQ(parse_retry_after("99999999999999999999999999999", "", kWall), kMaxRetryAfter);
}

TEST(RetryAfter, nonsense_is_none) {
  for (const char* text : {"", "soon", "-1", "+1", "1.5", "1s", " 1", "1,2", "0x10"}) {
    EXPECT_EQ(parse_retry_after(text, "", kWall), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace einlass::http
