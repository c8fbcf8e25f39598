#include "text/timestamp.h"

#include <gtest/gtest.h>

#include <string>

namespace einlass {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

std::int64_t us(std::string_view text, NoZone no_zone = NoZone::refused) {
  const auto at = parse_timestamp(text, no_zone);
  return at ? at->us : -1;
}

TEST(Timestamp, one_instant_in_all_its_spellings) {
  constexpr std::int64_t kAt = 1'795'581'000 * kSecond;  // As `date -u -d` has it.
  for (const char* text :
       {"2026-11-25T04:30:00Z", "2026-11-25T04:30Z", "2026-11-25t04:30:00z", "2026-11-25 04:30:00Z",
        "2026-11-25T05:30:00+01:00", "2026-11-25T05:30:00+0100", "2026-11-25T05:30+01",
        "2026-11-24T23:00:00-05:30", "2026-11-25T04:30:00.000Z", "2026-11-25T04:30:00,0Z",
        "2026-11-25T04:29:60Z"}) {
    EXPECT_EQ(us(text), kAt) << text;
  }
}

TEST(Timestamp, fractions_count_in_microseconds) {
  EXPECT_EQ(us("1970-01-01T00:00:01.25Z"), 1'250'000);
  EXPECT_EQ(us("1970-01-01T00:00:01.000001Z"), 1'000'001);
  EXPECT_EQ(us("1970-01-01T00:00:01.123456789Z"), 1'123'456);
}

TEST(Timestamp, the_calendar_is_known) {
  EXPECT_EQ(us("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(us("2024-02-29T00:00:00Z"), 1'709'164'800 * kSecond);
  EXPECT_EQ(us("2023-02-29T00:00:00Z"), -1);
  EXPECT_EQ(us("9999-12-31T23:59:59Z"), 253'402'300'799 * kSecond);
}

TEST(Timestamp, without_a_zone_only_where_that_is_utc) {
  for (const char* text : {"2026-11-25T04:30:00", "2026-11-25T04:30"}) {
    EXPECT_EQ(us(text), -1) << text;
    EXPECT_EQ(us(text, NoZone::utc), 1'795'581'000 * kSecond) << text;
  }
  EXPECT_EQ(us("2026-11-25"), -1);
  EXPECT_EQ(us("2026-11-25", NoZone::utc), 1'795'564'800 * kSecond);
}

TEST(Timestamp, what_is_none) {
  for (const char* text : {"",
                           "now",
                           "2026",
                           "1795581000000",
                           "26-11-25T04:30:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-11-31T00:00:00Z",
                           "2026-11-25T24:00:00Z",
                           "2026-11-25T04:60:00Z",
                           "2026-1-2T00:00:00Z",
                           "2026-11-25T04:30:00ZZ",
                           "2026-11-25T04:30:00.Z",
                           "2026-11-25T04Z",
                           "2026-11-25T04:30:00+1",
                           "2026-11-25T04:30:00+01:0",
                           " 2026-11-25T04:30:00Z",
                           "2026-11-25T04:30:00Z ",
                           "1969-12-31T23:59:59Z",
                           "2026-11-25T04:30:00 +01:00",
                           "2026-11-25T04:30:00+99:99",
                           "2026-11-25T04:30:00+24:00",
                           "2026-11-25T04:30:00-01:75"}) {
    EXPECT_EQ(us(text), -1) << text;
  }
}

}  // namespace
}  // namespace einlass
