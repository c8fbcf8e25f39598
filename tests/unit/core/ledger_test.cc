#include "core/ledger.h"

#include <gtest/gtest.h>

#include <vector>

namespace einlass::core {
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

}  // namespace
}  // namespace einlass::core
