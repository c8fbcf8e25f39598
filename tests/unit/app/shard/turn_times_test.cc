#include "app/shard/turn_times.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

struct Turned {
  void turn(Duration length) {
    now = now + length;
    times.observe(length, now);
  }

  TurnTimes times;
  Instant now{1'000'000'000};
};

TEST(TurnTimes, a_loop_is_slow_where_one_turn_of_a_hundred_takes_a_second) {
  Turned loop;
  loop.turn(Duration::millis(1));  // Its first window is from 1970 on.
  for (int i = 0; i < 98; ++i) loop.turn(Duration::millis(100));
  loop.turn(Duration::millis(1500));
  EXPECT_EQ(loop.times.slow(), Duration::millis(1500));
}

TEST(TurnTimes, one_slow_turn_of_many_is_none) {
  Turned loop;
  loop.turn(Duration::millis(1));
  for (int i = 0; i < 850; ++i) loop.turn(Duration::millis(10));
  loop.turn(Duration::millis(1500));
  EXPECT_EQ(loop.times.slow(), Duration{});
}

TEST(TurnTimes, it_is_over_a_window_after_the_last_slow_turn) {
  Turned loop;
  for (int i = 0; i < 6; ++i) loop.turn(Duration::seconds(2));
  EXPECT_EQ(loop.times.slow(), Duration::seconds(2));
  for (int i = 0; i < 25; ++i) loop.turn(Duration::millis(500));
  EXPECT_EQ(loop.times.slow(), Duration{});
}

}  // namespace
}  // namespace einlass::app
