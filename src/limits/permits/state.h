// The state of one bucket, whatever its algorithm.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "limits/permits/automata.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// A bucket that nobody has used. The key is what its records have in common; it gives a fixed
// window its phase.
State fresh(const Parameters& parameters, std::string_view key);

// Whole permits, not divided by any cost, that an ask without horizon would be granted at `now`.
Permits peek(const Parameters& parameters, const State& state, Instant now);

// Whether the bucket may be forgotten: no answer from `now` on would differ from a fresh one's.
bool is_fresh(const Parameters& parameters, const State& state, Instant now);

// The largest cost of a permit that could ever be granted and still be counted exactly.
Permits most_cost(const Parameters& parameters);

// See algorithm.h.
Traits traits(const Parameters& parameters);

// Whether the limit grants permits before they are due, so that a horizon means something, ...
bool grants_ahead(const Parameters& parameters);

// ... and how long before at most; 0 if it grants none ahead.
Duration most_ahead(const Parameters& parameters);

// In how long a bucket that nobody uses has all of its permits again. Who is told to wait longer
// than that and the horizon for which others ask is told so by a state that is out of order, as
// after a clock was set back. kLongestWindow where no such time is known: a rate of 0, and
// reservations that the next one pays for.
Duration refill_time(const Parameters& parameters);

// Whether the limit's own numbers make it grant nothing for ever: a rate of 0.
bool may_grant_nothing(const Parameters& parameters);

// One bucket of an ask, and what a permit takes of it. One that costs less than 1 or more than
// most_cost() is never granted.
struct Charge {
  const Parameters* parameters = nullptr;
  State* state = nullptr;
  Permits cost{1};
};

// Gives permits back that were not used. Returns how many each bucket at least still knew (a token
// bucket keeps no ids and knows all that are not too old). A permit may be named again, but see
// token_bucket.h and gcra.h; in the order in which they were granted. REQUIRES: 1970 is before
// every permit's instant.
std::int64_t release(std::span<const Charge> charges, std::span<const Returned> returned,
                     Instant now);

// The attempts of these permits have ended: they are not held any more. That is nothing to buckets
// other than concurrency's.
void ended(std::span<const Charge> charges, std::span<const PermitId> ids, Instant now);

}  // namespace einlass::limits
