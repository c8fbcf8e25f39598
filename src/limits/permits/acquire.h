// Asking several buckets at once, all or nothing. The same contract for every algorithm, here and
// in lua/acquire.lua: same answers to the microsecond.
//
// Permits are booked one after the other. Permit i is due at the latest of the buckets' earliest
// instants and is booked at that instant in each; it counts while that is at most `horizon` after
// the ask, and no further ahead than each of the buckets bears. In each bucket bookings are first
// come first served: never before the last booked one (but see gcra.h).
//
// CONTRIBUTING.md says what a new algorithm needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "limits/permits/state.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

inline constexpr std::size_t kMostBuckets = 8;

// REQUIRES: 1 <= min <= max <= kMostPermitsOfAnAsk; horizon >= 0; the prefix was never used.
struct Demand {
  Permits min{1};
  Permits max{1};
  Duration horizon;
  IdPrefix prefix{};

  // Where permits cost different amounts: what each takes of the buckets that `costly` names by
  // their indexes, one bit each; those buckets' own costs are that of the first. Some of the first
  // permits are granted: an answer ends before one that could never be. Empty: a bucket's permits
  // cost the same. REQUIRES: empty, or `max` costs, and min is 1.
  std::span<const Permits> costs{};
  std::uint8_t costly = 0;
};

struct Answer {
  Permits granted;  // From min to max, or 0: then nothing was written.

  // Only where fewer than max were granted. After a denial: when `min` would be granted, exactly,
  // if nobody else asks; none if no waiting helps (a bucket is smaller than what min permits take,
  // or its rate is 0). After a partial grant: when one more permit could be had; none as before,
  // which happens only where costs differ. Three are not
  // told exactly. Several permits of a log that keep a distance (spacing.h): some of them may leave
  // at once by then, so who asks then may be told another instant. A warm-up beside another limit
  // cools while it waits: the instant may not be the first. Several permits of a queue or a warm-up
  // beside another limit are rounded up to the microsecond wherever they wait: the instant may not
  // be the first, and who asks then may be told another one (for ever, where all together need a
  // little more than they book ahead).
  std::optional<Duration> retry;

  // Only where fewer than max were granted: the first bucket in the list that can never grant min,
  // else the one that could grant one permit more last, for which the others would have to wait; of
  // several at that instant the first.
  std::size_t reason = 0;

  // How far ahead permits could be booked: the demand's horizon, or less where a bucket bears less.
  Duration ahead;
};

// Writes when each granted permit is due, counted from `now`, to the front of `due`; never falling.
// Where `now` is behind a bucket's own time (it never runs backwards) the difference is in there.
// Does not allocate, but for a log or a window that has never been so full.
// REQUIRES: 1 to kMostBuckets charges, no bucket twice; due.size() >= max; no refused parameters.
Answer acquire(std::span<const Charge> charges, const Demand& demand, Instant now,
               std::span<Duration> due);

}  // namespace einlass::limits
