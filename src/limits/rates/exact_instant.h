// An instant as an exact fraction of a microsecond, for permits that come 1/rate apart.
#pragma once

#include <cstdint>

#include "limits/contract/algorithm.h"
#include "units/time.h"

namespace einlass::limits {

// at - frac/permits, where 0 <= frac < permits: `at` is the first whole microsecond not before it.
// `permits` is that of the rate. Units are 1/micros permits, of which a microsecond brings
// `permits`.
struct ExactInstant {
  Instant at = kLongAgo;
  std::int64_t frac = 0;

  // REQUIRES: permits > 0; units >= 0.
  constexpr ExactInstant after(std::int64_t units, std::int64_t permits) const {
    const std::int64_t rest = units - frac;
    const std::int64_t micros = rest / permits + (rest % permits > 0);
    return {at + Duration{micros}, micros * permits - rest};
  }
  constexpr ExactInstant before(std::int64_t units, std::int64_t permits) const {
    return {at - Duration{(frac + units) / permits}, (frac + units) % permits};
  }
};

}  // namespace einlass::limits
