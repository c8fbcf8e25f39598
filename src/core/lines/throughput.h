// How fast records have been leaving lately, in whole numbers: what is likely to be used of permits
// asked for in advance.
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/time.h"

namespace einlass::core {

class Throughput {
 public:
  // One record left.
  void count(Instant now) {
    roll(now);
    ++sent_;
  }

  // How many are likely to leave within `cover`, at the pace of the last epoch or so.
  std::int64_t expected(Instant now, Duration cover) const {
    Throughput by_now = *this;
    by_now.roll(now);
    return std::max(by_now.before_, by_now.sent_) * cover.us / kEpoch.us;
  }

 private:
  static constexpr Duration kEpoch = Duration::millis(50);

  void roll(Instant now) {
    const Duration elapsed = now - since_;
    if (elapsed < kEpoch) return;
    before_ = sent_ * kEpoch.us / elapsed.us;
    sent_ = 0;
    since_ = now;
  }

  Instant since_;
  std::int64_t sent_ = 0;    // In this epoch.
  std::int64_t before_ = 0;  // In an epoch's length before it.
};

}  // namespace einlass::core
