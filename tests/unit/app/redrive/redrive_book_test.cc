#include "app/redrive/redrive_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace einlass::app {
namespace {

constexpr core::PartitionId kFirst{4}, kSecond{9};
using Ranges = std::vector<core::OffsetRange>;

RedriveBook book(std::int64_t start, Ranges finished = {}) {
  return RedriveBook(PartitionNumber{3}, Offset{start}, std::move(finished));
}

core::CommitEntry entry(core::PartitionId id, std::int64_t next, const Ranges& finished = {}) {
  return {id, Offset{next}, core::write_finished(Offset{next}, finished)};
}

Ranges ranges_of(const kafka::Progress& progress) {
  const auto read = core::read_finished(progress.next, progress.metadata);
  EXPECT_TRUE(read.has_value());
  return read.value_or(Ranges{});
}

TEST(RedriveBook, without_anything_on_its_way_all_that_was_read_is_done) {
  const RedriveBook empty = book(10);
  EXPECT_EQ(empty.progress(Offset{10}).next, Offset{10});
  EXPECT_EQ(empty.progress(Offset{25}).next, Offset{25});
  EXPECT_EQ(empty.progress(Offset{25}).number, PartitionNumber{3});
  EXPECT_EQ(empty.progress(Offset{25}).metadata, "");
}

TEST(RedriveBook, waits_for_the_oldest_of_any_route_and_knows_what_is_finished_above) {
  RedriveBook some = book(10);
  for (const std::int64_t offset : {12, 14, 18}) some.take(Offset{offset}, kFirst);
  for (const std::int64_t offset : {13, 20}) some.take(Offset{offset}, kSecond);
  EXPECT_EQ(some.progress(Offset{25}).next, Offset{12});
  EXPECT_EQ(ranges_of(some.progress(Offset{25})),
            (Ranges{{Offset{15}, Offset{18}}, {Offset{19}, Offset{20}}, {Offset{21}, Offset{25}}}));
  some.finish(entry(kFirst, 15));  // 12 and 14, of its own only.
  EXPECT_EQ(some.progress(Offset{25}).next, Offset{13});
  some.finish(entry(kSecond, 13, {{Offset{20}, Offset{21}}}));
  EXPECT_EQ(some.on_their_way(), 2u);
  EXPECT_EQ(ranges_of(some.progress(Offset{25})),
            (Ranges{{Offset{14}, Offset{18}}, {Offset{19}, Offset{25}}}));
  some.finish(entry(kSecond, 21));
  some.finish(entry(kFirst, 19));
  EXPECT_EQ(some.progress(Offset{25}).next, Offset{25});
}

TEST(RedriveBook, goes_on_where_the_last_one_was_cut_off) {
  const RedriveBook again = book(10, {{Offset{12}, Offset{14}}, {Offset{30}, Offset{40}}});
  EXPECT_FALSE(again.knows(Offset{11}));
  EXPECT_TRUE(again.knows(Offset{12}) && again.knows(Offset{13}) && again.knows(Offset{39}));
  EXPECT_FALSE(again.knows(Offset{14}) || again.knows(Offset{29}) || again.knows(Offset{40}));
  // What lies ahead of the reading is still finished.
  EXPECT_EQ(again.progress(Offset{11}).next, Offset{11});
  EXPECT_EQ(ranges_of(again.progress(Offset{11})),
            (Ranges{{Offset{12}, Offset{14}}, {Offset{30}, Offset{40}}}));
  EXPECT_EQ(again.progress(Offset{13}).next, Offset{14});
  EXPECT_EQ(again.progress(Offset{30}).next, Offset{40});
}

TEST(RedriveBook, is_full_before_a_commit_could_be_too_long) {
  RedriveBook one = book(0);
  EXPECT_FALSE(one.full(Offset{1'000'000'000}));
  std::int64_t offset = 0;
  while (!one.full(Offset{offset + 1})) {
    offset += 100;
    one.take(Offset{offset}, kFirst);
    ASSERT_LT(offset, 1'000'000);
  }
  EXPECT_GT(one.on_their_way(), 500u);
  EXPECT_LE(one.progress(Offset{offset + 1}).metadata.size(), core::kMostFinishedText);
}

TEST(RedriveBook, a_commit_is_never_too_long_whatever_was_finished_before) {
  Ranges before;
  for (std::int64_t i = 0; i < 1790; ++i)
    before.push_back({Offset{2 * i + 11}, Offset{2 * i + 12}});
  RedriveBook full = book(0, before);
  full.take(Offset{5}, kFirst);
  EXPECT_LE(full.progress(Offset{6}).metadata.size(), core::kMostFinishedText);
}

TEST(RedriveBook, is_not_full_of_what_was_finished_before_and_is_read_past) {
  Ranges before;
  for (std::int64_t i = 0; i < 1790; ++i)
    before.push_back({Offset{2 * i + 11}, Offset{2 * i + 12}});
  RedriveBook resumed = book(0, before);
  const Offset passed = before.back().end;
  resumed.take(Offset{passed.value + 1}, kFirst);
  EXPECT_FALSE(resumed.full(Offset{passed.value + 2}));
}

// Whatever ends in whichever order: what the progress says is exactly what is finished.
TEST(RedriveBook, agrees_with_a_plain_list) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    RedriveBook one = book(100);
    std::map<std::int64_t, core::PartitionId> open;
    std::int64_t read_to = 100;
    std::set<std::int64_t> taken_of[2];
    for (int step = 0; step < 60; ++step) {
      read_to += 1 + random() % 3;
      const bool second = random() % 2 == 0;
      const core::PartitionId id = second ? kSecond : kFirst;
      if (random() % 4 != 0) {
        one.take(Offset{read_to - 1}, id);
        open[read_to - 1] = id;
        taken_of[second].insert(read_to - 1);
      }
      auto& mine = taken_of[second];
      if (mine.empty() || random() % 3 != 0) continue;
      // The gate finishes some of this one, and commits.
      for (const std::int64_t offset : std::set<std::int64_t>(mine)) {
        if (random() % 2 == 0 && open.contains(offset)) open.erase(offset);
      }
      std::int64_t next = *mine.rbegin() + 1;
      Ranges ahead;
      for (auto it = mine.rbegin(); it != mine.rend(); ++it) {
        if (open.contains(*it)) next = *it;
      }
      for (const std::int64_t offset : mine) {
        if (offset <= next || open.contains(offset)) continue;
        if (!ahead.empty() && ahead.back().end.value == offset) {
          ahead.back().end = Offset{offset + 1};
        } else {
          ahead.push_back({Offset{offset}, Offset{offset + 1}});
        }
      }
      one.finish(entry(id, next, ahead));
    }
    const kafka::Progress progress = one.progress(Offset{read_to});
    const Ranges finished = ranges_of(progress);
    for (std::int64_t offset = 100; offset < read_to; ++offset) {
      const bool said = offset < progress.next.value ||
                        std::any_of(finished.begin(), finished.end(), [&](const auto& range) {
                          return range.first.value <= offset && offset < range.end.value;
                        });
      // A record may be finished that the gate has not committed yet; never the other way round.
      ASSERT_TRUE(!said || !open.contains(offset)) << round << ": " << offset;
    }
    ASSERT_EQ(one.on_their_way() == 0, progress.next.value == read_to);
  }
}

}  // namespace
}  // namespace einlass::app
