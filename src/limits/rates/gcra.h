// The Generic Cell Rate Algorithm in its form of virtual scheduling (ITU-T I.371, ATM Forum
// UNI 3.1): at most burst + rate * W permits in any time W.
//
// One value is kept, the theoretical arrival time: when the next permit would come if all came
// 1/rate apart. A permit may be up to burst - 1 such intervals earlier than that, and moves it on
// by one. Without permits given back or booked behind other limits it grants what a token bucket
// grants, to the microsecond. It differs in three things, because it knows nothing but that time:
//
// - What may come back. Only what nobody can have built on: the permits that come back have to be
//   all that was granted since the first of them. That is so if the time lies less than their cost
//   and one more permit behind the instant of the first, for each later grant would have moved it
//   on by one at least; and not if it lies less than their cost behind it, for then they have come
//   back before, unless as many were granted since. REQUIRES, so: each comes back once. Under two
//   rates that says nothing: after a change nothing comes back until what was granted before it is
//   too old.
// - The last booking's instant. Where another limit makes a permit late, a later ask may be granted
//   an earlier instant than that one's; the promise holds in whichever order they were granted.
// - A burst that changes. What was spent is kept, not what was left: a larger burst is there at
//   once, a smaller one only when enough has come back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "limits/rates/exact_instant.h"
#include "limits/rates/token_bucket.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

struct Gcra {
  ExactInstant arrival;  // The theoretical arrival time; it may lie in the past.
  Rate rate;             // Under which this was written.
  Instant mixed_until{};  // Until then permits may come back that were granted under another rate.
};

inline Ahead ahead(const GcraParameters&) { return kAnyTimeAhead; }
inline Traits traits(const GcraParameters&) {
  return {.known_one_by_one = true, .held = false, .keeps_entries = false};
}
inline Permits most_cost(const GcraParameters& parameters) { return parameters.burst; }

// One that nobody has used.
inline Gcra fresh(const GcraParameters& parameters, std::string_view) {
  return {{}, parameters.rate};
}

// From an ask on that finds it under another rate it is under this one: the first to see it says
// how much is spent, or that would change with each who looks. Whatever is then granted, it is
// written.
void convert(const GcraParameters& parameters, Gcra& gcra, Instant now);

// Whole permits that could leave at `now`.
Permits peek(const GcraParameters& parameters, const Gcra& gcra, Instant now);

// Takes back the most of the permits, from the last one on, that are all since the first of them.
// Returns how many those are.
std::int64_t give_back(const GcraParameters& parameters, Gcra& gcra, Permits cost,
                       std::span<const Returned> returned, Instant now);

// Until when permits may come back that were granted under another rate than this one; past if none
// can. None was granted for a later instant than the arrival, also where all of it is back by now.
Instant mixed_until(const GcraParameters& parameters, const Gcra& gcra, Instant now);

// Whether nothing is spent at `now`, nor comes back of what must not.
inline bool is_fresh(const GcraParameters& parameters, const Gcra& gcra, Instant now) {
  return gcra.arrival.at <= now && mixed_until(parameters, gcra, now) <= now;
}

// See algorithm.h.
class GcraLook {
 public:
  GcraLook(const GcraParameters& parameters, Gcra& gcra, Permits cost, Instant now);

  bool ever(std::int64_t permits, Duration) const {
    return rate_.permits > 0 && cost_ <= burst_ && (permits == 1 || permits <= burst_ / cost_);
  }
  Instant reach(std::span<const Duration>, std::int64_t more) const {
    const std::int64_t early = (burst_ - more * cost_) * rate_.micros;
    return std::max(now_, arrival_.before(early, rate_.permits).at);
  }
  Instant behind(std::span<const Duration> booked, std::int64_t units) const;
  std::optional<Instant> soonest_behind(std::span<const Duration> booked, std::int64_t units,
                                        Duration horizon) const;
  void book(Instant at) {
    if (at >= arrival_.at) arrival_ = {at};
    arrival_ = arrival_.after(cost_ * rate_.micros, rate_.permits);
  }
  void pay(std::span<const Duration>, const IdPrefix&) { gcra_ = {arrival_, rate_, mixed_until_}; }
  void next(std::span<const Permits> costs) { cost_ = costs.back().value; }

 private:
  Gcra& gcra_;
  Rate rate_;
  std::int64_t burst_;
  std::int64_t cost_;
  Instant now_;
  Instant mixed_until_;   // As the first grant under this rate writes it.
  ExactInstant arrival_;  // With what this ask has booked; not before `now`.
};

inline GcraLook look(const GcraParameters& parameters, Gcra& gcra, Permits cost, Instant now) {
  convert(parameters, gcra, now);
  return {parameters, gcra, cost, now};
}

}  // namespace einlass::limits
