// Smooth with warm-up: reservations as Guava's SmoothWarmingUp gives them, with its cold factor of
// 3. Article 002.
//
// An idle limiter collects permits, as many as the rate brings in `warm_up`, and is cold when it
// has them all. Taking collected ones is slow: the interval to the next permit is three times the
// usual one when cold, falls in a straight line until half of them are gone, and is the usual one
// from there on. So in any W at most one permit and rate * W, and far fewer after an idle time. The
// next one pays: a permit is due as soon as those before it are paid.
//
// What the collected permits cost above the usual is the area under that line, a parabola. It is
// drawn in 64 straight pieces between whole numbers, so that both stores count the same.
//
// Nothing that was not used comes back: how warm the limiter is depends on what was taken.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "limits/rates/exact_instant.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

struct WarmUp {
  std::int64_t level = 0;  // What has been collected, in 1/micros permits.
  ExactInstant next;       // When all that was taken is paid.
  Rate rate;               // Under which this was written.
};

inline Ahead ahead(const WarmUpParameters& parameters) { return {true, parameters.timeout}; }
inline Traits traits(const WarmUpParameters&) {
  return {.known_one_by_one = true, .held = false, .keeps_entries = false};
}

// What the permits of one ask take stays below this, and what has been collected far below it, so
// that their sums are exact.
inline constexpr std::int64_t kMostWarmUpUnits = std::int64_t{1} << 52;
inline constexpr std::int64_t kWarmUpBelow = std::int64_t{1} << 48;

inline Permits most_cost(const WarmUpParameters& parameters) {
  return {kMostWarmUpUnits / parameters.rate.micros};
}

// The level at which the limiter is cold.
inline std::int64_t full(const WarmUpParameters& parameters) {
  return parameters.rate.permits * parameters.warm_up.us;
}

// What it takes above the usual to bring the level from `level` down to the warm half, in units.
// REQUIRES: 0 <= level <= full; full > 0.
std::int64_t surcharge(std::int64_t level, std::int64_t full);

// A cold limiter, which nobody has used.
WarmUp fresh(const WarmUpParameters& parameters, std::string_view key);

// 1 if a permit is due at `now`, else 0.
Permits peek(const WarmUpParameters& parameters, const WarmUp& state, Instant now);

// Nothing comes back.
inline std::int64_t give_back(const WarmUpParameters&, WarmUp&, Permits, std::span<const Returned>,
                              Instant) {
  return 0;
}

// Whether it is cold at `now`.
bool is_fresh(const WarmUpParameters& parameters, const WarmUp& state, Instant now);

// See algorithm.h.
class WarmUpLook {
 public:
  WarmUpLook(const WarmUpParameters& parameters, WarmUp& state, Permits cost, Instant now);

  bool ever(std::int64_t permits, Duration horizon) const;
  Instant reach(std::span<const Duration>, std::int64_t) const { return next_.next.at; }
  void book(Instant at);
  void pay(std::span<const Duration>, const IdPrefix&) { state_ = next_; }
  void next(std::span<const Permits> costs) { need_ = costs.back().value * next_.rate.micros; }

 private:
  WarmUp& state_;
  std::int64_t full_;
  std::int64_t need_;  // Units that a permit takes.
  WarmUp next_;        // With what this ask has booked.
};

inline WarmUpLook look(const WarmUpParameters& parameters, WarmUp& state, Permits cost,
                       Instant now) {
  return {parameters, state, cost, now};
}

}  // namespace einlass::limits
