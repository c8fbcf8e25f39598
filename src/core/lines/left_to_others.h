// What a gate leaves to others of a limit on attempts under way.
//
// A gate that asks as soon as an attempt of its own has ended leaves nothing to those that can only
// look now and then. So at times it leaves some of the places that come free for as long as each of
// them takes to look once, and asks meanwhile for no more than its own that came free besides: else
// its next ask, which may be for many, would take them along. Who has few places leaves few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "units/time.h"

namespace einlass::core {

class LeftToOthers {
 public:
  // An attempt has ended, one of `held`: whether its place is for others. Those that wait here look
  // again anyway. `full`: nothing more was to be had of late, or this gate takes no more than it
  // has, and so does not know. Else others find free places without this one's.
  bool leaves(std::uint32_t held, bool full, Instant now) {
    if (!began_) began_ = now - kLong;
    if (full && now - *began_ >= kEach) {
      began_ = now;
      left_ = std::max(held / kPart, 1u);
      own_ = 0;
    }
    if (!is_leaving(now)) return false;
    if (left_ > 0) return left_-- > 0;
    ++own_;
    return false;
  }

  // When one may ask: not before, and for how many, one at least.
  Instant may_ask_at() const { return began_ && own_ == 0 ? *began_ + kLong : Instant{}; }
  std::int64_t most(Instant now) const {
    return is_leaving(now) ? std::max<std::int64_t>(own_, 1)
                           : std::numeric_limits<std::int64_t>::max();
  }
  void asked(std::int64_t count) { own_ -= std::min(own_, count); }

 private:
  static constexpr Duration kEach = Duration::millis(500);
  static constexpr Duration kLong = Duration::millis(20);
  static constexpr std::uint32_t kPart = 4;

  bool is_leaving(Instant now) const { return began_ && now - *began_ < kLong; }

  std::optional<Instant> began_;  // When places were left last.
  std::uint32_t left_ = 0;        // So many more are.
  std::int64_t own_ = 0;          // Of those that came free since, nobody has asked for so many.
};

}  // namespace einlass::core
