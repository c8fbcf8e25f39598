#include "app/pages/one_at_a_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <vector>

namespace einlass::app {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kPause{50};

struct Turns {
  explicit Turns(milliseconds for_a_turn = std::chrono::seconds(60)) : longest(for_a_turn) {}

  // Its number is noted when it begins.
  bool take(int number) {
    const auto begin = [this, number](std::function<void()> ended) {
      begun.push_back(number);
      begun_at = SteadyClock::now();
      end = std::move(ended);
    };
    return turns.take(begin, [this, number] { late.push_back(number); });
  }

  void until(const std::function<bool()>& condition) {
    const auto give_up = SteadyClock::now() + std::chrono::seconds(10);
    while (!condition() && SteadyClock::now() < give_up) {
      io.restart();
      io.run_one_for(milliseconds(10));
    }
    EXPECT_TRUE(condition());
  }

  const milliseconds longest;
  boost::asio::io_context io;
  OneAtATime turns{io, kPause, 2, longest};
  std::vector<int> begun, late;
  SteadyClock::time_point begun_at;
  std::function<void()> end;
};

using Numbers = std::vector<int>;

TEST(OneAtATime, the_next_begins_a_pause_after_the_last_has_ended) {
  Turns turns;
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(turns.take(i));
  EXPECT_EQ(turns.begun, Numbers{1});
  turns.io.poll();
  EXPECT_EQ(turns.begun, Numbers{1}) << "it has not ended";
  for (int i = 2; i <= 3; ++i) {
    const auto ended = SteadyClock::now();
    turns.end();
    EXPECT_EQ(turns.begun.size(), static_cast<std::size_t>(i - 1));
    turns.until([&] { return turns.begun.size() == static_cast<std::size_t>(i); });
    EXPECT_GE(turns.begun_at - ended, kPause);
  }
  EXPECT_EQ(turns.begun, (Numbers{1, 2, 3}));
}

TEST(OneAtATime, whoever_comes_in_the_pause_waits_for_its_end) {
  Turns turns;
  turns.take(1);
  const auto ended = SteadyClock::now();
  turns.end();
  EXPECT_TRUE(turns.take(2));
  EXPECT_EQ(turns.begun, Numbers{1});
  turns.until([&] { return turns.begun.size() == 2; });
  EXPECT_GE(turns.begun_at - ended, kPause);
}

TEST(OneAtATime, whoever_comes_long_after_does_not_wait) {
  Turns turns;
  turns.take(1);
  turns.end();
  turns.until([&] { return turns.io.stopped(); });
  EXPECT_TRUE(turns.take(2));
  EXPECT_EQ(turns.begun, (Numbers{1, 2}));
}

TEST(OneAtATime, no_more_wait_than_may) {
  Turns turns;
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(turns.take(i));
  EXPECT_FALSE(turns.take(4));
  turns.end();
  turns.until([&] { return turns.begun.size() == 2; });
  EXPECT_TRUE(turns.take(5));
  EXPECT_FALSE(turns.take(6));
}

TEST(OneAtATime, what_has_waited_too_long_is_not_begun_and_holds_up_nobody) {
  Turns turns(milliseconds(1));
  turns.take(1);
  EXPECT_TRUE(turns.take(2));
  EXPECT_TRUE(turns.take(3));
  turns.end();
  turns.until([&] { return turns.late.size() == 2; });
  EXPECT_EQ(turns.late, (Numbers{2, 3}));
  EXPECT_TRUE(turns.take(4)) << "it is its turn at once";
  EXPECT_EQ(turns.begun, (Numbers{1, 4}));
}

}  // namespace
}  // namespace einlass::app
