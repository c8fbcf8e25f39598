#include "core/records/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace einlass::core::ledger_test {
namespace {

std::vector<std::uint32_t> unfinished(const Ledger& ledger) {
  std::vector<std::uint32_t> slots;
  ledger.for_each_unfinished([&](std::uint32_t slot) { slots.push_back(slot); });
  return slots;
}

TEST(Ledger, commits_what_is_finished_without_a_gap) {
  Ledger ledger;
  ledger.open(Offset{100});
  const auto first = ledger.arrive(Offset{100}, 1);
  const auto second = ledger.arrive(Offset{101}, 2);
  const auto third = ledger.arrive(Offset{102}, 3);
  EXPECT_EQ(ledger.committable(), Offset{100});
  ledger.finish(second);
  EXPECT_EQ(ledger.committable(), Offset{100});
  EXPECT_EQ(ledger.finished_ahead(), 1u);
  EXPECT_EQ(unfinished(ledger), (std::vector<std::uint32_t>{1, 3}));
  ledger.finish(first);
  EXPECT_EQ(ledger.committable(), Offset{102});
  EXPECT_EQ(ledger.finished_ahead(), 0u);
  ledger.finish(third);
  EXPECT_EQ(ledger.committable(), Offset{103});
  EXPECT_EQ(ledger.span(), 0u);
}

TEST(Ledger, tells_how_it_will_be_after_some_finish) {
  std::mt19937 random(7);
  Ledger ledger;
  ledger.open(Offset{0}, std::vector<OffsetRange>{{Offset{5000}, Offset{5010}}});
  std::vector<Ledger::Entry> open;
  for (std::int64_t offset = 0; offset < 1000; ++offset) {
    open.push_back(ledger.arrive(Offset{offset}, 1));
  }
  while (!open.empty()) {
    std::shuffle(open.begin(), open.end(), random);
    const std::size_t some = std::min<std::size_t>(1 + random() % 40, open.size());
    const std::span<const Ledger::Entry> these(open.data(), some);
    const Ledger after = ledger.after(these);
    for (const Ledger::Entry entry : these) ledger.finish(entry);
    EXPECT_EQ(after.committable(), ledger.committable());
    EXPECT_EQ(after.finished_ranges(), ledger.finished_ranges());
    EXPECT_EQ(unfinished(after), unfinished(ledger));
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(some));
  }
}

TEST(Ledger, gaps_in_offsets_are_normal) {
  Ledger ledger;
  ledger.open(Offset{5});
  const auto first = ledger.arrive(Offset{9}, 1);
  const auto second = ledger.arrive(Offset{40}, 2);
  EXPECT_EQ(ledger.committable(), Offset{5});
  ledger.finish(second);
  EXPECT_EQ(ledger.committable(), Offset{5});
  ledger.finish(first);
  EXPECT_EQ(ledger.committable(), Offset{41});
}

TEST(Ledger, an_unknown_start_is_the_first_record) {
  Ledger ledger;
  ledger.open(Offset{-1});
  EXPECT_EQ(ledger.committable(), Offset{-1});
  const auto first = ledger.arrive(Offset{70}, 1);
  ledger.arrive(Offset{71}, 2);
  EXPECT_EQ(ledger.committable(), Offset{70});
  ledger.finish(first);
  EXPECT_EQ(ledger.committable(), Offset{71});
}

TEST(Ledger, one_stuck_record_keeps_thousands_of_finished_ones_in_the_book) {
  Ledger ledger;
  ledger.open(Offset{0});
  const auto stuck = ledger.arrive(Offset{0}, 0);
  for (std::int64_t i = 1; i <= 5000; ++i) {
    ledger.finish(ledger.arrive(Offset{i}, static_cast<std::uint32_t>(i)));
  }
  EXPECT_EQ(ledger.committable(), Offset{0});
  EXPECT_EQ(ledger.finished_ahead(), 5000u);
  EXPECT_EQ(ledger.span(), 5001u);
  ledger.finish(stuck);
  EXPECT_EQ(ledger.committable(), Offset{5001});
  EXPECT_EQ(ledger.span(), 0u);
}

TEST(LedgerDeathTest, finishing_twice_is_a_broken_invariant) {
  Ledger ledger;
  ledger.open(Offset{0});
  ledger.arrive(Offset{0}, 0);
  const auto second = ledger.arrive(Offset{1}, 1);
  ledger.finish(second);
  EXPECT_DEATH(ledger.finish(second), "broken invariant");
}

using Ranges = std::vector<OffsetRange>;

OffsetRange range(std::int64_t first, std::int64_t end) { return {Offset{first}, Offset{end}}; }

TEST(Ledger, finished_offsets_ahead_are_ranges_over_gaps) {
  Ledger ledger;
  ledger.open(Offset{10});
  ledger.arrive(Offset{10}, 1);
  const auto second = ledger.arrive(Offset{11}, 2);
  const auto third = ledger.arrive(Offset{20}, 3);
  ledger.arrive(Offset{21}, 4);
  const auto fifth = ledger.arrive(Offset{22}, 5);
  EXPECT_EQ(ledger.finished_ranges(), Ranges{});
  ledger.finish(second);
  ledger.finish(fifth);
  EXPECT_EQ(ledger.finished_ranges(), (Ranges{range(11, 12), range(22, 23)}));
  ledger.finish(third);
  EXPECT_EQ(ledger.finished_ranges(), (Ranges{range(11, 21), range(22, 23)}));
}

TEST(Ledger, a_book_goes_on_where_the_last_one_ended) {
  Ledger ledger;
  ledger.open(Offset{10}, Ranges{range(12, 14), range(20, 30)});
  EXPECT_EQ(ledger.finished_ranges(), (Ranges{range(12, 14), range(20, 30)}));
  EXPECT_FALSE(ledger.knows(Offset{10}));
  const auto first = ledger.arrive(Offset{10}, 1);
  EXPECT_TRUE(ledger.knows(Offset{13}));
  ledger.pass_over(Offset{13});
  EXPECT_EQ(ledger.committable(), Offset{10});
  EXPECT_EQ(ledger.finished_ranges(), (Ranges{range(13, 14), range(20, 30)}));
  ledger.finish(first);
  EXPECT_EQ(ledger.committable(), Offset{14});
  EXPECT_FALSE(ledger.knows(Offset{14}));
  const auto next = ledger.arrive(Offset{14}, 1);
  ledger.finish(next);
  EXPECT_EQ(ledger.committable(), Offset{15});
  EXPECT_EQ(ledger.finished_ranges(), (Ranges{range(20, 30)}));
  const auto last = ledger.arrive(Offset{19}, 1);
  ledger.finish(last);
  EXPECT_EQ(ledger.committable(), Offset{30}) << "what comes next was finished before";
  EXPECT_EQ(ledger.finished_ranges(), Ranges{});
  EXPECT_TRUE(ledger.knows(Offset{29}));
  ledger.pass_over(Offset{29});
  EXPECT_FALSE(ledger.knows(Offset{30}));
}

TEST(Ledger, finished_offsets_that_are_deleted_by_now_are_not_taken_back) {
  Ledger ledger;
  ledger.open(Offset{4}, std::vector<OffsetRange>{{Offset{5}, Offset{6}}, {Offset{8}, Offset{9}}});
  ledger.finish(ledger.arrive(Offset{4}, 1));
  EXPECT_EQ(ledger.committable(), Offset{6});
  // 5 does not come again.
  EXPECT_FALSE(ledger.knows(Offset{6}));
  const auto stuck = ledger.arrive(Offset{6}, 2);
  EXPECT_EQ(ledger.committable(), Offset{6});
  // Nor does 8, and what is stuck below it keeps the book where it is.
  EXPECT_FALSE(ledger.knows(Offset{9}));
  ledger.finish(ledger.arrive(Offset{9}, 3));
  EXPECT_EQ(ledger.committable(), Offset{6});
  ledger.finish(stuck);
  EXPECT_EQ(ledger.committable(), Offset{10});
}

TEST(Ledger, finished_offsets_side_by_side_take_two_numbers) {
  Ledger ledger;
  ledger.open(Offset{0});
  std::vector<Ledger::Entry> entries;
  for (std::uint32_t i = 0; i < 30; ++i) entries.push_back(ledger.arrive(Offset{i}, i));
  // The first upwards, the others downwards.
  for (std::uint32_t i = 1; i < 15; ++i) ledger.finish(entries[i]);
  EXPECT_EQ(ledger.most_text(), most_finished_text(2 + 1 + 16, 30));
  for (std::uint32_t i = 29; i > 14; --i) ledger.finish(entries[i]);
  EXPECT_EQ(ledger.most_text(), most_finished_text(2 + 1 + 1, 30));
  ledger.finish(entries[0]);
  EXPECT_EQ(ledger.most_text(), most_finished_text(1, 0));
}

TEST(Ledger, the_text_never_outgrows_what_was_foretold) {
  std::mt19937_64 dice(3);
  for (int round = 0; round < 300; ++round) {
    Ledger ledger;
    Offset at{static_cast<std::int64_t>(dice() % 1000)};
    ledger.open(at);
    std::vector<Ledger::Entry> unfinished;
    for (std::uint32_t i = 0; i < 200; ++i) {
      at.value += 1 + static_cast<std::int64_t>(dice() % 8 == 0 ? dice() % 100'000 : 0);
      unfinished.push_back(ledger.arrive(at, i));
    }
    std::shuffle(unfinished.begin(), unfinished.end(), dice);
    std::size_t foretold = ledger.most_text();
    for (const Ledger::Entry entry : unfinished) {
      ledger.finish(entry);
      const std::string text = write_finished(ledger.committable(), ledger.finished_ranges());
      ASSERT_LE(text.size(), foretold) << text;
      if (dice() % 8 == 0) foretold = ledger.most_text();
    }
  }
}

// A copy of the book may have been committed in which the range was the next to come.
TEST(Ledger, what_was_finished_before_and_is_deleted_stays_so_behind_an_unfinished_offset) {
  const std::vector<OffsetRange> before = {{Offset{99}, Offset{106}}};
  Ledger book;
  book.open(Offset{97}, before);
  const Ledger::Entry first = book.arrive(Offset{97}, 1);
  ASSERT_TRUE(book.knows(Offset{99}));
  book.pass_over(Offset{99});
  EXPECT_EQ(book.after({{first}}).committable(), Offset{106});
  EXPECT_FALSE(book.knows(Offset{106}));
  book.arrive(Offset{106}, 2);
  book.finish(first);
  EXPECT_EQ(book.committable(), Offset{106});
}

}  // namespace
}  // namespace einlass::core::ledger_test
