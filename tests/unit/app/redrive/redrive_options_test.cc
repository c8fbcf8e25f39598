#include "app/redrive/redrive_options.h"

#include <gtest/gtest.h>

#include <string>

namespace einlass::app {
namespace {

From good(const std::string& text) {
  auto read = parse_from(text);
  EXPECT_TRUE(std::holds_alternative<From>(read)) << text;
  return std::holds_alternative<From>(read) ? std::get<From>(read) : From{};
}

TEST(RedriveFrom, an_offset_is_that_of_every_partition) {
  EXPECT_EQ(good("beginning").kind, From::Kind::beginning);
  EXPECT_EQ(good("0").kind, From::Kind::offset);
  EXPECT_EQ(good("1200").offset, Offset{1200});
  EXPECT_EQ(good("9223372036854775807").offset.value, INT64_MAX);
}

TEST(RedriveFrom, offsets_by_partition) {
  const From from = good("0:1200,2:77");
  EXPECT_EQ(from.kind, From::Kind::offsets);
  const std::map<PartitionNumber, Offset> expected = {{PartitionNumber{0}, Offset{1200}},
                                                      {PartitionNumber{2}, Offset{77}}};
  EXPECT_EQ(from.offsets, expected);
  EXPECT_EQ(good("7:0").offsets.size(), 1u);
}

TEST(RedriveFrom, a_time_in_any_zone) {
  constexpr std::int64_t kMs = 1'795'255'230'000;  // 2026-11-21T10:00:30Z
  EXPECT_EQ(good("2026-11-21T10:00:30Z").kind, From::Kind::time);
  EXPECT_EQ(good("2026-11-21T10:00:30Z").time_ms, kMs);
  EXPECT_EQ(good("2026-11-21 10:00:30").time_ms, kMs);
  EXPECT_EQ(good("2026-11-21T11:00:30+01:00").time_ms, kMs);
  EXPECT_EQ(good("2026-11-21T04:30:30-05:30").time_ms, kMs);
  EXPECT_EQ(good("2026-11-21T10:00").time_ms, kMs - 30'000);
  EXPECT_EQ(good("2026-11-21").time_ms, kMs - 36'030'000);
  EXPECT_EQ(good("1970-01-01").time_ms, 0);
}

TEST(RedriveFrom, says_what_may_stand_there_instead) {
  for (const std::string text : {"",
                                 "yesterday",
                                 "-1",
                                 "+1",
                                 "1 ",
                                 "0x10",
                                 "9223372036854775808",
                                 "0:",
                                 ":1",
                                 "0:1,",
                                 "0:1,0:2",
                                 "0:1;1:2",
                                 "2147483648:1",
                                 "2026-13-01",
                                 "2026-02-30",
                                 "2026-11-21T",
                                 "2026-11-21T24:00",
                                 "2026-11-21T10:60",
                                 "2026-11-21T10:00:30X",
                                 "26-11-21",
                                 "1969-12-31",
                                 "2026-1-2"}) {
    const auto read = parse_from(text);
    ASSERT_TRUE(std::holds_alternative<std::string>(read)) << text;
    EXPECT_TRUE(std::get<std::string>(read).starts_with("'" + text + "' is no place to begin"));
  }
}

}  // namespace
}  // namespace einlass::app
