// Who comes new to a crowd, who may go faster than the others and who goes slower: each gets what is
// his.
#include "unit/core/crowd.h"

#include <gtest/gtest.h>

namespace einlass::core {
namespace {

using crowd::Crowd;
using crowd::kComesAfter;
using crowd::kSeconds;

// Permits that others hold for the next seconds keep nobody from the target's free places.
TEST(Crowd, who_books_far_ahead_leaves_a_faster_line_its_rate) {
  for (const std::uint32_t lines : {100u, 500u}) {
    Crowd crowd({.lines = lines, .each = Duration::seconds(1), .horizon = Duration::seconds(10)});
    crowd.run();
    EXPECT_GE(crowd.of_newcomer(), 200 * (kSeconds - kComesAfter) * 95 / 100) << lines;
  }
}

// The target has 3,200 places a second and 1,000 lines want 10,000. Who asks comes after those who
// wait to ask, also when it is his own permit that was used or has lapsed.
TEST(Crowd, at_a_target_that_is_too_slow_a_newcomer_has_its_part_and_few_permits_lapse) {
  Crowd crowd({.lines = 1'000, .each = Duration::millis(100), .places = 16});
  crowd.run();
  const int part = crowd.of_all() / kSeconds * (kSeconds - kComesAfter) / 1'001;
  EXPECT_GE(crowd.of_newcomer(), part * 9 / 10);
  EXPECT_LE(crowd.granted(), crowd.of_all() * 105 / 100);
}

// Who was there first went as fast as its limit lets it, and has permits for the next half second.
TEST(Crowd, who_comes_later_to_a_target_that_becomes_too_slow_is_served_like_the_others) {
  Crowd crowd({.lines = 1'000, .each = Duration::millis(100), .places = 16, .later = 700});
  crowd.run();
  const int part = 3'200 * (kSeconds - kComesAfter) / 1'001;
  EXPECT_GE(crowd.of_lines(301, 1'000), 700 * part * 3 / 4);
  EXPECT_LE(crowd.granted(), crowd.of_all() * 105 / 100);
}

// They have all places that are theirs, and take no permits that come due for nobody.
TEST(Crowd, who_hangs_leaves_the_others_the_limit_that_all_share) {
  Crowd crowd({.lines = 20, .hung = 10, .backlog = 2'000, .all = Duration::millis(1)});
  crowd.run();
  EXPECT_GE(crowd.of_lines(11, 20) + crowd.of_newcomer(), 1'000 * kSeconds * 94 / 100);
  EXPECT_LE(crowd.granted(), 1'000 * kSeconds * 107 / 100);
}

// They have what is theirs, and of what is left over when all have that one more each: the others
// keep their parts.
TEST(Crowd, who_hangs_leaves_the_others_their_part_of_the_places) {
  for (const std::uint32_t hung : {10u, 18u, 19u}) {
    Crowd crowd({.lines = 20,
                 .newcomer = false,
                 .hung = hung,
                 .backlog = 4'000,
                 .latency = Duration::millis(10)});
    crowd.run();
    EXPECT_GE(crowd.of_lines(hung + 1, 20), int(20 - hung) * 200 * kSeconds * 9 / 10) << hung;
  }
}

// The target has 3,200 places a second and the others want 4,000: they have more than their part
// while those who have a limit of one a second want less. All hold permits for the time to come, and
// book no more of these while so many wait for places that they would lapse.
TEST(Crowd, who_wants_less_than_its_part_of_a_target_that_is_too_slow_has_nearly_all_of_that) {
  Crowd crowd({.lines = 500,
               .each = Duration::millis(100),
               .places = 16,
               .newcomer = false,
               .slow = 100});
  crowd.run();
  EXPECT_GE(crowd.of_lines(1, 100), 100 * kSeconds * 9 / 10);
  EXPECT_LE(crowd.granted(), crowd.of_all() * 8 / 5);
}

// Their limits tell no permit ahead of time. Who asked too early in its turn asks first when it may.
TEST(Crowd, who_was_denied_in_its_turn_has_not_lost_it) {
  Crowd crowd({.lines = 2'500,
               .each = Duration::millis(10),
               .horizon = Duration{},
               .places = 16,
               .slow = 50});
  crowd.run();
  EXPECT_GE(crowd.of_lines(1, 50), 50 * kSeconds * 9 / 10);
}

// Of a thousand permits that are there at once, a target that needs a third of a second for so many
// is brought no more than it can take before they lapse.
TEST(Crowd, a_limit_that_opens_each_second_is_used_up_each_second) {
  Crowd crowd({.lines = 1'200, .each = Duration::millis(1), .places = 16, .in_second = 1'000});
  crowd.run();
  EXPECT_EQ(crowd.of_all(), 1'000 * kSeconds);
  EXPECT_LE(crowd.granted(), crowd.of_all() * 101 / 100);
}

// Line 1 leaves most of its part to whoever has least, and not to line 2, that was there first.
TEST(Crowd, what_others_leave_of_their_places_is_shared_alike) {
  Crowd crowd({.lines = 3,
               .each = Duration::millis(1),
               .places = 60,
               .later = 1,
               .slow = 1,
               .backlog = 10'000,
               .latency = Duration::millis(300)});
  crowd.run();
  const int alone = kComesAfter * 60 * 7 / 8 * 1'000 / 300;
  EXPECT_GE(crowd.of_lines(3, 3), (crowd.of_lines(2, 2) - alone) * 9 / 10);
}

}  // namespace
}  // namespace einlass::core
