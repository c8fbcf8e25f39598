// How the permits of a window keep a distance from each other.
//
// An entry of a log frees its slot exactly a window after its instant. So a burst would come back
// in each window, and a server behind would feel the limit of a second within some milliseconds.
// What must wait anyway is therefore spread over a part of the window; what may leave at once still
// does.
//
// The distance is kept by groups: at most `units` in any (t - apart, t]. That needs no state but
// the log itself, and one wake-up carries several permits. Counted from one instant to the next
// instead, rounding to such a group would lose a part of the limit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// At most `units` in any (t - apart, t]. None: `units` is 0.
struct Spacing {
  std::int64_t units = 0;
  Duration apart;

  bool operator==(const Spacing&) const = default;
};

// As many permits as fall into this come together.
inline constexpr Duration kGroup = Duration::millis(5);

// For permits that are due later than now: `even` hundredths of the window hold `limit` of them.
// Never more than `burst` together, where that is not 0. None if the limit alone does as much.
// REQUIRES: limit >= 1; 0 <= even < 100; the window is not refused.
Spacing group_of(Permits limit, Duration window, int even, Permits burst);

// For those that leave at once. None without `burst`. REQUIRES: even > 0 where there is a burst.
Spacing burst_of(Permits limit, Duration window, int even, Permits burst);

// The rule for permits of that cost: as many whole ones as fit into a group, at least one, in the
// time that their units take. REQUIRES: cost >= 1.
inline Spacing for_cost(Spacing group, std::int64_t cost) {
  if (group.units == 0 || cost == 1) return group;
  const std::int64_t units = std::max<std::int64_t>(1, group.units / cost) * cost;
  return {units, Duration{group.apart.us / group.units * units}};
}

}  // namespace einlass::limits
