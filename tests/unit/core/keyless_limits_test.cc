// Which line may ask a limit without key, said without a gate.
#include "core/lines/keyless_limits.h"

#include <gtest/gtest.h>

namespace einlass::core::keyless_limits_test {
namespace {

constexpr KeylessIndex kLimit = 0;
constexpr RouteId kRoute{0};
constexpr Instant kNow{1000}, kThen{2000};

// Two lines of a route whose one limit has no key and counts attempts under way.
struct LimitOfTwo : ::testing::Test {
  GateOptions options = one_route();
  LineQueue::Lines lines = two_lines();
  KeylessLimits limits{options, lines};
  Line& first = lines[0];
  Line& second = lines[1];

  static GateOptions one_route() {
    RouteOptions route;
    route.limit_count = 1;
    route.keyless_limits = route.held_limits = 1;
    GateOptions options;
    options.routes = {route};
    return options;
  }
  static LineQueue::Lines two_lines() {
    LineQueue::Lines lines(2);
    lines[1].id = LineId{1};
    return lines;
  }

  // The first line has asked and was granted nothing; both wait until then. Ten attempts are under
  // way.
  void be_short() {
    for (int i = 0; i < 10; ++i) limits.started(kRoute);
    limits.asked(first);
    limits.was_short(kLimit, kThen, Duration{}, kThen);
    limits.answered(first, kLimit, 0, kNow);
    limits.turns(kLimit).join(lines, 0);
    limits.turns(kLimit).join(lines, 1);
  }
};

TEST_F(LimitOfTwo, anybody_asks_while_it_is_not_short) {
  limits.asked(first);
  EXPECT_EQ(limits.limit_before(second, kNow), kNoKeyless);
}

TEST_F(LimitOfTwo, once_it_is_short_who_is_first_asks_when_something_is_to_be_had) {
  be_short();
  EXPECT_EQ(limits.limit_before(first, kNow), kLimit);
  EXPECT_EQ(limits.limit_before(first, kThen), kNoKeyless);
  EXPECT_EQ(limits.limit_before(second, kThen), kLimit);
}

TEST_F(LimitOfTwo, one_at_a_time) {
  be_short();
  limits.asked(first);
  EXPECT_FALSE(limits.lets_ask(kLimit, kThen));
  limits.answered(first, kNoKeyless, 0, kThen);
  EXPECT_TRUE(limits.lets_ask(kLimit, kThen));
}

TEST_F(LimitOfTwo, what_was_said_of_a_record_that_is_gone_holds_no_longer) {
  be_short();
  limits.served(kLimit);
  limits.let_ask(kLimit, kNow);
  EXPECT_TRUE(limits.any_touched());
  EXPECT_TRUE(limits.lets_ask(kLimit, kNow));
}

TEST_F(LimitOfTwo, an_attempt_that_ends_lets_one_ask) {
  be_short();
  EXPECT_FALSE(limits.lets_ask(kLimit, kNow));
  limits.ended(kRoute, false, kNow);
  EXPECT_TRUE(limits.lets_ask(kLimit, kNow));
  limits.asked(first);
  limits.answered(first, kLimit, 0, kNow);
  EXPECT_FALSE(limits.lets_ask(kLimit, kNow));
}

TEST_F(LimitOfTwo, nothing_is_left_while_more_is_to_be_had) {
  for (int i = 0; i < 9; ++i) limits.started(kRoute);
  for (int i = 0; i < 4; ++i) {
    limits.ended(kRoute, false, kNow + Duration::seconds(i));
    EXPECT_EQ(limits.limit_before(first, kNow + Duration::seconds(i)), kNoKeyless);
  }
}

// It is never short: who takes no more than it has may have all that there is.
TEST_F(LimitOfTwo, who_has_no_room_for_more_leaves_some_too) {
  for (int i = 0; i < 9; ++i) limits.started(kRoute);
  limits.ended(kRoute, true, kNow);
  const Instant later = kNow + Duration::seconds(1);
  for (int i = 0; i < 2; ++i) limits.ended(kRoute, true, later);
  EXPECT_EQ(limits.limit_before(first, later), kLimit);
  limits.ended(kRoute, true, later);
  EXPECT_EQ(limits.limit_before(first, later), kNoKeyless);
  EXPECT_EQ(limits.most_in_turn(first, later), 1);
}

TEST_F(LimitOfTwo, now_and_then_an_end_is_left_to_other_gates) {
  be_short();
  limits.ended(kRoute, false, kNow);
  limits.asked(first);
  limits.answered(first, kLimit, 0, kNow);
  const Instant later = kNow + Duration::seconds(1);
  limits.was_short(kLimit, later + Duration{1}, Duration{}, Instant{});
  for (int i = 0; i < 2; ++i) limits.ended(kRoute, false, later);
  EXPECT_FALSE(limits.lets_ask(kLimit, later)) << "two of nine";
  for (int i = 0; i < 3; ++i) limits.ended(kRoute, false, later);
  EXPECT_TRUE(limits.lets_ask(kLimit, later));
  EXPECT_EQ(limits.most_in_turn(first, later), 3) << "those two are for others";
  first.asked = 2;
  limits.asked(first);
  EXPECT_EQ(limits.most_in_turn(first, later), 1);
  EXPECT_GT(limits.most_in_turn(first, later + Duration::millis(20)), 1);
}

}  // namespace
}  // namespace einlass::core::keyless_limits_test
