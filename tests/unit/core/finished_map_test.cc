#include "core/contract/finished_map.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace einlass::core {
namespace {

using Ranges = std::vector<OffsetRange>;

OffsetRange range(std::int64_t first, std::int64_t end) { return {Offset{first}, Offset{end}}; }

TEST(FinishedMap, nothing_finished_is_no_text) {
  EXPECT_EQ(write_finished(Offset{5}, {}), "");
  EXPECT_EQ(read_finished(Offset{5}, ""), Ranges{});
  EXPECT_EQ(read_finished(Offset{-1}, ""), Ranges{});
}

TEST(FinishedMap, numbers_stand_as_the_header_says) {
  // 101 (5 and 3 times 32); one unfinished, 31 finished, 32 unfinished (0 and 1 times 32), 1
  // finished.
  const Ranges ranges{range(101, 132), range(164, 165)};
  EXPECT_EQ(write_finished(Offset{100}, ranges), "e2lDBfgBB");
  EXPECT_EQ(read_finished(Offset{100}, "e2lDBfgBB"), ranges);
}

// As where MirrorMaker 2 has translated the offset and copied the text: these records are not
// finished.
TEST(FinishedMap, what_was_written_for_another_offset_says_nothing) {
  const std::string text = write_finished(Offset{1000}, Ranges{range(1001, 1501)});
  EXPECT_EQ(read_finished(Offset{1000}, text), (Ranges{range(1001, 1501)}));
  for (const std::int64_t other : {0, 901, 999, 1001, 1024, 2000}) {
    EXPECT_EQ(read_finished(Offset{other}, text), std::nullopt) << other;
  }
}

TEST(FinishedMap, whatever_is_written_is_read_again) {
  std::mt19937_64 dice(1);
  for (int round = 0; round < 2000; ++round) {
    const Offset next{static_cast<std::int64_t>(dice() >> (1 + dice() % 62))};
    Ranges ranges;
    Offset at = next;
    std::int64_t span = 0;
    for (std::uint64_t i = dice() % 50; i > 0 && at.value < 1'000'000'000'000; --i) {
      const Offset first{at.value + 1 + static_cast<std::int64_t>(dice() % (1 << dice() % 20))};
      at = Offset{first.value + 1 + static_cast<std::int64_t>(dice() % (1 << dice() % 20))};
      ranges.push_back({first, at});
    }
    span = at.value - next.value;
    const std::string text = write_finished(next, ranges);
    ASSERT_EQ(read_finished(next, text), ranges) << text;
    ASSERT_LE(text.size(), most_finished_text(2 * ranges.size(), span)) << text;
    for (const char c : text) ASSERT_TRUE(std::isalnum(c) || c == '-' || c == '_');
  }
}

TEST(FinishedMap, other_text_is_not_taken_for_one) {
  for (const char* text :
       {"x", "e", "e2", "e2B", "e2BB", "e2BBBB", "e2BAB", "e2BBA", "e2BB ", "e2BB\xff", "e1BBB",
        "e2BBBgg", "e2BgBBBg", "E2BBB", "null", "{}", "e2B________________BB"}) {
    EXPECT_EQ(read_finished(Offset{0}, text), std::nullopt) << text;
  }
  EXPECT_EQ(read_finished(Offset{-1}, "e2BBB"), std::nullopt);
}

TEST(FinishedMap, offsets_beyond_the_last_are_refused) {
  const Offset last{std::numeric_limits<std::int64_t>::max() - 2};
  const std::string front = write_finished(last, Ranges{range(last.value + 1, last.value + 2)});
  const std::string mark = front.substr(0, front.size() - 2);
  EXPECT_EQ(read_finished(last, mark + "BB"), (Ranges{range(last.value + 1, last.value + 2)}));
  EXPECT_EQ(read_finished(last, mark + "BC"), std::nullopt);
  EXPECT_EQ(read_finished(last, mark + "CB"), std::nullopt);
}

TEST(FinishedMap, the_bound_counts_each_digit) {
  EXPECT_EQ(most_finished_text(0, 0), 9u);
  EXPECT_EQ(most_finished_text(10, 31), 19u);
  EXPECT_EQ(most_finished_text(10, 64), 21u);                 // Two of them may reach 32.
  EXPECT_EQ(most_finished_text(2, 1 << 20), 9u + 2 * 4 + 1);  // One may have a fifth digit.
  EXPECT_EQ(most_finished_text(1, std::numeric_limits<std::int64_t>::max()), 9u + 13);
}

}  // namespace
}  // namespace einlass::core
