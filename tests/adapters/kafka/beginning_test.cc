#include "adapters/kafka/source/beginning.h"

#include <gtest/gtest.h>

#include <vector>

namespace einlass::kafka {
namespace {

constexpr LogBounds kLog{Offset{60}, Offset{100}};

struct Counts {
  std::uint64_t retention, recreated, reset;
};

void expect(const Beginning& beginning, std::int64_t next, const Counts& counts) {
  ASSERT_TRUE(beginning.next);
  EXPECT_EQ(beginning.next->value, next);
  EXPECT_EQ(beginning.skipped.retention, counts.retention);
  EXPECT_EQ(beginning.skipped.recreated, counts.recreated);
  EXPECT_EQ(beginning.skipped.reset, counts.reset);
}

TEST(Beginning, of_a_log_that_nobody_has_read_is_its_edge) {
  expect(begin(OffsetReset::earliest, kLog, false), 60, {0, 0, 0});
  expect(begin(OffsetReset::latest, kLog, false), 100, {0, 0, 40});
}

TEST(Beginning, of_a_log_that_took_another_ones_place_counts_what_it_has_lost) {
  expect(begin(OffsetReset::earliest, kLog, true), 60, {0, 60, 0});
  expect(begin(OffsetReset::latest, kLog, true), 100, {0, 60, 40});
}

TEST(Beginning, after_retention_counts_from_where_it_stood) {
  expect(go_on(OffsetReset::earliest, kLog, Offset{10}, {}), 60, {50, 0, 0});
  expect(go_on(OffsetReset::latest, kLog, Offset{10}, {}), 100, {50, 0, 40});
  expect(go_on(OffsetReset::latest, {Offset{60}, Offset{60}}, Offset{59}, {}), 60, {1, 0, 0});
}

TEST(Beginning, after_retention_is_where_the_group_has_been_whatever_the_policy) {
  const std::vector<core::OffsetRange> further = {{Offset{12}, Offset{20}},
                                                  {Offset{21}, Offset{80}}};
  for (const OffsetReset policy : {OffsetReset::earliest, OffsetReset::latest}) {
    expect(go_on(policy, kLog, Offset{10}, further), 60, {3, 0, 0});
    expect(go_on(policy, kLog, Offset{30}, further), 60, {0, 0, 0});
  }
  EXPECT_FALSE(go_on(OffsetReset::error, kLog, Offset{10}, further).next);
  expect(go_on(OffsetReset::error, kLog, Offset{21}, further), 60, {0, 0, 0});

  const std::vector<core::OffsetRange> before = {{Offset{12}, Offset{20}}};
  expect(go_on(OffsetReset::earliest, kLog, Offset{10}, before), 60, {42, 0, 0});
  expect(go_on(OffsetReset::latest, kLog, Offset{10}, before), 100, {42, 0, 40});
  EXPECT_FALSE(go_on(OffsetReset::error, kLog, Offset{10}, before).next);
}

TEST(Beginning, is_nowhere_where_the_policy_is_not_to_decide_and_nothing_is_counted) {
  for (const Beginning& beginning :
       {begin(OffsetReset::error, kLog, false), begin(OffsetReset::error, kLog, true),
        go_on(OffsetReset::error, kLog, Offset{10}, {})}) {
    EXPECT_FALSE(beginning.next);
    EXPECT_EQ(beginning.skipped.retention + beginning.skipped.recreated + beginning.skipped.reset,
              0u);
  }
}

}  // namespace
}  // namespace einlass::kafka
