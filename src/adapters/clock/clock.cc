#include "adapters/clock/clock.h"

#include <algorithm>

namespace einlass {
namespace {

template <class TimePoint>
std::int64_t micros(TimePoint t) {
  return std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count();
}

}  // namespace

Clock::Clock()
    : offset_{micros(std::chrono::system_clock::now()) - micros(std::chrono::steady_clock::now())} {
}

Instant Clock::now() const { return Instant{micros(std::chrono::steady_clock::now())} + offset_; }

Instant Clock::wall() { return Instant{micros(std::chrono::system_clock::now())}; }

std::chrono::steady_clock::time_point Clock::steady(Instant instant) const {
  using std::chrono::steady_clock;
  // That clock counts nanoseconds, for 292 years at most.
  const std::int64_t last = micros(steady_clock::time_point::max());
  const std::int64_t us = std::min((instant - offset_).us, last);
  return steady_clock::time_point(std::chrono::microseconds(us));
}

}  // namespace einlass
