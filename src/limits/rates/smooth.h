// Smooth: reservations that wait for at most `timeout`, as Guava's RateLimiter gives them (its
// SmoothBursty). Article 002.
//
// The token bucket's automaton, booked ahead for at most the timeout; an ask that would have to
// wait for longer is denied and writes nothing. Who takes a permit waits for it (pay now), or, as
// in Guava, the one after him does (pay next): then a permit is due as soon as the debts before it
// are paid, and leaves its own. So at most burst + cost + rate * W permits in any W. No ask is for
// more than the burst: in Guava a single huge one keeps everybody else waiting.
#pragma once

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/rates/token_bucket.h"

namespace einlass::limits {

inline Ahead ahead(const SmoothParameters& parameters) { return {true, parameters.timeout}; }
inline Traits traits(const SmoothParameters&) {
  return {.known_one_by_one = false, .held = false, .keeps_entries = false};
}
inline Permits most_cost(const SmoothParameters& parameters) { return parameters.burst; }

inline TokenBucketParameters as_bucket(const SmoothParameters& parameters) {
  return {parameters.rate, parameters.burst};
}

// Where the next one pays.
struct PayNextParameters : TokenBucketParameters {};

inline PayNextParameters as_pay_next(const SmoothParameters& parameters) {
  return {as_bucket(parameters)};
}

inline TokenBucketLook look(const PayNextParameters& parameters, TokenBucket& bucket, Permits cost,
                            Instant now) {
  return {parameters, bucket, cost, now, Pays::next};
}

}  // namespace einlass::limits
