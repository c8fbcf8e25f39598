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
  // Its number is noted when it begins.
  bool take(int number) {
    return turns.take([this, number](std::function<void()> ended) {
      begun.push_back(number);
      begun_at = SteadyClock::now();
      end = std::move(ended);
    });
  }

  void until(const std::function<bool()>& condition) {
    const auto late = SteadyClock::now() + std::chrono::seconds(10);
    while (!condition() && SteadyClock::now() < late) {
      io.restart();
      io.run_one_for(milliseconds(10));
    }
    EXPECT_TRUE(condition());
  }

  boost::asio::io_context io;
  OneAtATime turns{io, kPause, 2};
  std::vector<int> begun;
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

}  // namespace
}  // namespace einlass::app
