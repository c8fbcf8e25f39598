// The time that the gate is told: nothing else reads it.
#pragma once

#include <chrono>

#include "units/time.h"

namespace einlass {

// Microseconds since 1970 that never go back and do not follow jumps of the system's clock: the
// wall clock as it was when the Clock was made, moved on by the steady clock.
class Clock {
 public:
  Clock();
  Instant now() const;

  // The system's clock as it stands now, which may have been set: for what people say in hours and
  // days.
  static Instant wall();

  // The same instant on std::chrono's steady clock, for timers; one that lies beyond that clock's
  // end is its end.
  std::chrono::steady_clock::time_point steady(Instant instant) const;

 private:
  Duration offset_;  // Wall minus steady.
};

}  // namespace einlass
