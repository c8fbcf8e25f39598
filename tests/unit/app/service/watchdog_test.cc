#include "app/service/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>

namespace einlass::app {
namespace {

// What a watchdog looks at and tells, with loops that do as the test says.
struct Watched {
  explicit Watched(int count, Duration patience = {}) : loops(count), patience_(patience) {}

  void watch() {
    watchdog.emplace(
        io, patience_,
        Watchdog::Loops{.count = loops,
                        .call =
                            [this](int loop) {
                              if (!silent.contains(loop)) called.insert(loop);
                            },
                        .ended = [this](int loop) { return ended.contains(loop); },
                        .phase = [this](int) { return phase; },
                        .slow = [this](int loop) { return slow[loop]; }},
        Watchdog::Callbacks{.unusual = [this](const std::string& text) { unusual.push_back(text); },
                            .slow = [this](const std::string& text) { told_slow.push_back(text); },
                            .over = [this](const std::string& text) { over.push_back(text); }});
  }

  // Until that is so, for 20 s at most; the loops that are not silent answer meanwhile.
  bool until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end) {
      io.run_one_for(std::chrono::milliseconds(100));
      for (const int loop : called) watchdog->heard(loop);
      called.clear();
    }
    return condition();
  }

  using Texts = std::vector<std::string>;
  boost::asio::io_context io;
  int loops;
  std::set<int> silent, ended, called;
  std::map<int, Duration> slow;
  LoopPhase phase = LoopPhase::perform;
  Texts unusual, told_slow, over;
  std::optional<Watchdog> watchdog;

 private:
  Duration patience_;
};

constexpr char kSlowText[] =
    "the event loop of shard 1 is slow: one iteration in a hundred or more takes a second, the "
    "longest 1250 ms";

TEST(Watchdog, slow_turns_are_told_once_and_the_process_is_healthy) {
  Watched watched(2);
  watched.slow[1] = Duration::millis(1250);
  watched.watch();
  EXPECT_EQ(watched.told_slow, Watched::Texts{kSlowText});
  EXPECT_EQ(watched.watchdog->slowness(), kSlowText);
  EXPECT_EQ(watched.watchdog->trouble(1), kSlowText);
  EXPECT_EQ(watched.watchdog->trouble(0), "");
  EXPECT_EQ(watched.watchdog->trouble(), "");
  // It is told again when it begins again, and not while it lasts.
  watched.slow[1] = Duration{};
  EXPECT_EQ(watched.watchdog->slowness(), "");
  int looks = 0;
  ASSERT_TRUE(watched.until([&] { return ++looks > 15; }));
  EXPECT_EQ(watched.told_slow.size(), 1u);
  watched.slow[1] = Duration::seconds(2);
  ASSERT_TRUE(watched.until([&] { return watched.told_slow.size() == 2; }));
  EXPECT_NE(watched.told_slow[1].find("the longest 2000 ms"), std::string::npos);
  EXPECT_TRUE(watched.unusual.empty());
  EXPECT_TRUE(watched.over.empty());
}

TEST(Watchdog, one_that_has_ended_turns_neither_slowly_nor_not_at_all) {
  Watched watched(1, Duration::seconds(1));
  watched.slow[0] = Duration::seconds(2);
  watched.ended.insert(0);
  watched.silent.insert(0);
  watched.watch();
  EXPECT_EQ(watched.watchdog->slowness(), "");
  int looks = 0;
  ASSERT_TRUE(watched.until([&] { return ++looks > 20; }));
  EXPECT_TRUE(watched.told_slow.empty());
  EXPECT_TRUE(watched.unusual.empty());
}

TEST(Watchdog, one_that_is_silent_is_named_and_after_its_time_it_is_over) {
  Watched watched(2, Duration::seconds(1));
  watched.silent.insert(0);
  watched.watch();
  ASSERT_TRUE(watched.until([&] { return !watched.over.empty(); }));
  const std::string text = "the event loop of shard 0 has been stuck for 1 s, in the phase perform";
  EXPECT_EQ(watched.unusual, Watched::Texts{text});
  EXPECT_EQ(watched.over.front(), text);
  EXPECT_EQ(watched.watchdog->trouble(), text);
  EXPECT_EQ(watched.watchdog->trouble(1), "");
  // Silence is told before slowness.
  watched.slow[0] = Duration::seconds(3);
  EXPECT_EQ(watched.watchdog->trouble(0), text);
  watched.watchdog->heard(0);
  EXPECT_EQ(watched.watchdog->trouble(), "");
}

TEST(Watchdog, whoever_leaves_the_group_has_time_for_it) {
  Watched watched(1, Duration::seconds(1));
  watched.silent.insert(0);
  watched.phase = LoopPhase::leave;
  watched.watch();
  int looks = 0;
  ASSERT_TRUE(watched.until([&] { return ++looks > 25; }));
  EXPECT_TRUE(watched.unusual.empty());
  EXPECT_TRUE(watched.over.empty());
}

}  // namespace
}  // namespace einlass::app
