// The leaky bucket. Article 003, section 4.
//
// As a meter it is the token bucket seen from the other side: what has leaked out is what flows in
// there. At most capacity + rate * W permits in any W; nothing is granted ahead.
//
// As a queue it hands out turns: the permits are 1/rate apart (times their cost), and at most
// `capacity` of them wait. Turns are exact fractions of a microsecond, so that rounding each up to
// a whole one does not add up. A turn that is not used comes back only as long as it is the last
// one and lies ahead: those behind it already have their instants.
#pragma once

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

// Where mode is meter.
inline TokenBucketParameters as_bucket(const LeakyBucketParameters& parameters) {
  return {parameters.rate, parameters.capacity};
}

// Where mode is queue.
struct LeakyQueueParameters {
  Rate rate;
  Permits capacity;
};
inline LeakyQueueParameters as_queue(const LeakyBucketParameters& parameters) {
  return {parameters.rate, parameters.capacity};
}

struct LeakyQueue {
  ExactInstant next;         // When the next turn is, or was: it may lie in the past.
  std::int64_t permits = 1;  // Rate::permits of the rate under which this was written.
};

Ahead ahead(const LeakyBucketParameters& parameters);
inline Traits traits(const LeakyBucketParameters& p) {
  return {.known_one_by_one = p.queue, .held = false, .keeps_entries = false};
}
inline Permits most_cost(const LeakyBucketParameters& parameters) { return parameters.capacity; }

// A queue that nobody has used.
inline LeakyQueue fresh(const LeakyQueueParameters& parameters, std::string_view) {
  return {{}, parameters.rate.permits};
}

// 1 if it is somebody's turn at `now`, else 0.
Permits peek(const LeakyQueueParameters& parameters, const LeakyQueue& queue, Instant now);

// Takes back those of the turns that are the last ones and lie ahead, from the last given one on.
// Returns how many those are.
std::int64_t give_back(const LeakyQueueParameters& parameters, LeakyQueue& queue, Permits cost,
                       std::span<const Returned> returned, Instant now);

// Whether nobody waits at `now`.
bool is_fresh(const LeakyQueueParameters& parameters, const LeakyQueue& queue, Instant now);

// See algorithm.h.
class LeakyQueueLook {
 public:
  LeakyQueueLook(const LeakyQueueParameters& parameters, LeakyQueue& queue, Permits cost,
                 Instant now);

  bool ever(std::int64_t permits, Duration horizon) const {
    if (rate_.permits == 0) return false;
    return permits == 1 || permits - 1 <= horizon.us * rate_.permits / need_;
  }
  Instant reach(std::span<const Duration>, std::int64_t) const { return next_.at; }
  Instant behind(std::span<const Duration>, std::int64_t units) const {
    const __int128 others = static_cast<__int128>(units) * rate_.micros;
    if (others / rate_.permits > kLong.us) return next_.at + kLong;
    return next_.after(static_cast<std::int64_t>(others), rate_.permits).at;
  }
  std::optional<Instant> soonest_behind(std::span<const Duration> booked, std::int64_t units,
                                        Duration horizon) const {
    const __int128 others = static_cast<__int128>(units) * rate_.micros;
    if (others > static_cast<__int128>(horizon.us) * rate_.permits) return std::nullopt;
    return behind(booked, units) - horizon;
  }
  void book(Instant at) {
    if (at > next_.at) next_ = {at};
    next_ = next_.after(need_, rate_.permits);
  }
  void pay(std::span<const Duration>, const IdPrefix&) { queue_ = {next_, rate_.permits}; }
  void next(std::span<const Permits> costs) { need_ = costs.back().value * rate_.micros; }

 private:
  LeakyQueue& queue_;
  Rate rate_;
  std::int64_t need_;  // Units from one turn to the next.
  ExactInstant next_;  // With what this ask has booked; not before `now`.
};

inline LeakyQueueLook look(const LeakyQueueParameters& parameters, LeakyQueue& queue, Permits cost,
                           Instant now) {
  return {parameters, queue, cost, now};
}

}  // namespace einlass::limits
