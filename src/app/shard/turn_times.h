// Whether a loop turns slowly: not so slowly that it stands (the Watchdog sees that), but so that
// whatever it serves waits again and again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "units/time.h"

namespace einlass::app {

class TurnTimes {
 public:
  static constexpr Duration kSlow = Duration::seconds(1);
  static constexpr Duration kWindow = Duration::seconds(10);

  // A turn has ended. Called on the loop's thread.
  void observe(Duration turn, Instant now) {
    ++turns_;
    slow_turns_ += turn >= kSlow;
    longest_ = std::max(longest_, turn);
    if (window_ == Instant{}) window_ = now;
    if (now - window_ < kWindow) return;
    const bool is_slow = slow_turns_ * 100 >= turns_ && slow_turns_ > 0;
    slow_us_.store(is_slow ? longest_.us : 0, std::memory_order_relaxed);
    turns_ = slow_turns_ = 0;
    longest_ = {};
    window_ = now;
  }

  // The longest turn of the last window, where one of a hundred or more took kSlow; else 0. A loop
  // that is called now and then has a new window in time. May be called on any thread.
  Duration slow() const { return Duration{slow_us_.load(std::memory_order_relaxed)}; }

 private:
  std::uint64_t turns_ = 0, slow_turns_ = 0;
  Duration longest_;
  Instant window_;
  std::atomic<std::int64_t> slow_us_{0};
};

}  // namespace einlass::app
