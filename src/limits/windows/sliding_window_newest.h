// What the newest slice of a sliding window remembers with `log_newest`. Article 003, section 3.2.
//
// While a slice is the newest one it keeps the instant and the id of each of its permits. So a
// permit that comes back is known by its id and comes back once, and takes the slice's last instant
// back with it if it was the last. When the next slice begins, all of that is folded into the count
// and the last instant, a window after which the slice leaves.
#pragma once

#include <cstddef>

#include "limits/contract/permit_id.h"
#include "limits/windows/sliding_window.h"
#include "units/time.h"

namespace einlass::limits {

// The permits of one ask, booked at `at` in the newest slice.
void remember_newest(SlidingWindow& window, Instant at, std::size_t permits,
                     const IdPrefix& prefix);

// Takes a permit out of the newest slice; false if it is not there.
bool forget_newest(SlidingWindow& window, const PermitId& id);

// The instant of the last permit that is left in the newest slice; `last` if it remembers none.
// REQUIRES: forget_newest() was true.
Instant last_of_newest(const SlidingWindow& window, Instant last);

// The newest slice is closed: its count and its last instant are all that stays.
void close_newest(SlidingWindow& window);

}  // namespace einlass::limits
