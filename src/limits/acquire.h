// Asking several buckets at once, all or nothing. The same contract for every algorithm, here and
// in lua/acquire.lua: same answers to the microsecond.
//
// Permits are booked one after the other. Permit i is due at the latest of the buckets' earliest
// instants and is booked at that instant in each; it counts while that is at most `horizon` after
// the ask. In each bucket bookings are first come first served: never before the last booked one.
//
// To add an algorithm: its parameters to limits::Parameters, its state to State, its look to Look
// (in the same place of each list), one file pair like token_bucket.*, one file in lua/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "limits/limit.h"
#include "limits/permit_id.h"
#include "limits/sliding_log.h"
#include "limits/token_bucket.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

inline constexpr std::size_t kMostBuckets = 8;

// The state of one bucket. REQUIRES, wherever both are handed over: of the parameters' algorithm.
using State = std::variant<SlidingLog, TokenBucket>;

// A bucket that nobody has used.
State fresh(const Parameters& parameters);

// One bucket of an ask, and what a permit takes of it.
struct Charge {
  const Parameters* parameters = nullptr;
  State* state = nullptr;
  Permits cost{1};
};

// REQUIRES: 1 <= min <= max <= kMostPermitsOfAnAsk; horizon >= 0; the prefix was never used.
struct Demand {
  Permits min{1};
  Permits max{1};
  Duration horizon;
  IdPrefix prefix{};
};

struct Answer {
  Permits granted;  // From min to max, or 0: then nothing was written.

  // Only where fewer than max were granted. After a denial: when `min` would be granted, exactly,
  // if nobody else asks; none if no waiting helps (a bucket is smaller than what min permits take,
  // or its rate is 0). After a partial grant: when one more permit could be had.
  std::optional<Duration> retry;

  // Only where fewer than max were granted: the first bucket in the list that can never grant min,
  // else the first that could not grant one permit more within the horizon.
  std::size_t reason = 0;
};

// Writes when each granted permit is due, counted from `now`, to the front of `due`; never falling.
// Where `now` is behind a bucket's own time (it never runs backwards) the difference is in there.
// Does not allocate, but for a sliding log that has never been so full.
// REQUIRES: 1 to kMostBuckets charges, no bucket twice; due.size() >= max; no refused parameters.
Answer acquire(std::span<const Charge> charges, const Demand& demand, Instant now,
               std::span<Duration> due);

// Gives permits back that were not used. Returns how many each bucket at least still knew (a token
// bucket keeps no ids and knows them all). A permit may be named again, but see token_bucket.h.
std::int64_t release(std::span<const Charge> charges, std::span<const PermitId> ids, Instant now);

// Whole permits, not divided by any cost, that an ask without horizon would be granted at `now`.
Permits peek(const Parameters& parameters, const State& state, Instant now);

// Whether the bucket may be forgotten: no answer from `now` on would differ from a fresh one's.
bool is_fresh(const Parameters& parameters, const State& state, Instant now);

}  // namespace einlass::limits
