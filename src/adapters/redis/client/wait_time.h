// How long Redis itself is let wait for its replicas.
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/time.h"

namespace einlass::redis {

// In milliseconds, as WAIT takes it: of the time of a call, so that its answer comes before ours is
// over.
constexpr std::int64_t wait_ms(Duration timeout) {
  return std::max<std::int64_t>(1, timeout.us * 3 / 4 / 1000);
}

}  // namespace einlass::redis
