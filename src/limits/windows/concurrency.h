// Concurrency: never more than `limit` permits held at once. Article 001 wants this of its limit:
// not too many call-backs at the same time.
//
// A permit is held from its instant until its attempt ends, which its holder says; the permits of a
// holder that died end a lease after their instant. That is the sliding log with the lease as its
// window. As nobody knows when an attempt ends, nothing is granted ahead, and a retry says when
// enough leases have run out: a release may come earlier.
#pragma once

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/windows/sliding_log.h"

namespace einlass::limits {

inline Ahead ahead(const ConcurrencyParameters&) { return kNothingAhead; }
inline Traits traits(const ConcurrencyParameters&) {
  return {.known_one_by_one = true, .held = true, .keeps_entries = true};
}

inline SlidingLogParameters as_log(const ConcurrencyParameters& parameters) {
  return {parameters.limit, parameters.lease};
}

inline Permits most_cost(const ConcurrencyParameters& parameters) {
  return most_cost(as_log(parameters));
}

}  // namespace einlass::limits
