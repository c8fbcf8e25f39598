// The sliding log: never more than `limit` permits in (t - window, t], for every instant t.
//
// The log holds the instant of each unit granted; an entry frees its slot exactly a window after
// its instant. Bookings are first come first served: the next one is at the latest of now, the last
// booked instant, and the moment when the limit-th newest entry leaves. That last term alone keeps
// the promise, because the window that ends with a booking is the fullest one the booking is in.
//
// A release takes the permit's entries out, if they are still there; it does not move the last
// booked instant back. So entries that are a window older than that instant never matter again, and
// no answer depends on when they were removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "limits/algorithm.h"
#include "limits/limit.h"
#include "limits/log_ring.h"
#include "limits/permit_id.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

struct SlidingLog {
  LogRing entries;          // One for each unit of cost.
  Instant last = kLongAgo;  // The last booked instant, also if it was given back.
};

// A log keeps an entry for each unit, so no permit takes more of them than this.
inline constexpr std::int64_t kMostLogCost = 1'000;

inline Ahead ahead(const SlidingLogParameters&) { return kAnyTimeAhead; }
inline Permits most_cost(const SlidingLogParameters& parameters) {
  return std::min(parameters.limit, Permits{kMostLogCost});
}

// A log that nobody has used.
inline SlidingLog fresh(const SlidingLogParameters&, std::string_view) { return {}; }

// Slots that are free at `now`.
Permits peek(const SlidingLogParameters& parameters, const SlidingLog& log, Instant now);

// Takes the permits' entries out. Returns how many permits were there and still counted.
std::int64_t give_back(const SlidingLogParameters& parameters, SlidingLog& log, Permits cost,
                       std::span<const Returned> returned, Instant now);

// Whether the log is to `now` as one that nobody has used, so that it may be forgotten.
bool is_fresh(const SlidingLogParameters& parameters, const SlidingLog& log, Instant now);

// See algorithm.h.
class SlidingLogLook {
 public:
  SlidingLogLook(const SlidingLogParameters& parameters, SlidingLog& log, Permits cost, Instant now)
      : log_(log),
        limit_(parameters.limit.value),
        window_(parameters.window),
        cost_(cost.value),
        now_(now),
        size_(static_cast<std::int64_t>(log.entries.size())) {}

  bool ever(std::int64_t permits, Duration) const {
    return cost_ <= limit_ && (permits == 1 || permits <= limit_ / cost_);
  }
  Instant reach(std::span<const Duration> booked, std::int64_t more) const {
    const auto count = static_cast<std::int64_t>(booked.size());
    const Instant after = booked.empty() ? std::max(now_, log_.last) : now_ + booked.back();
    const std::int64_t rank = size_ + (count + more) * cost_ - limit_ - 1;  // Must have left then.
    if (rank < 0) return after;
    const Instant entered = rank < size_
                                ? log_.entries[static_cast<std::size_t>(rank)].at
                                : now_ + booked[static_cast<std::size_t>((rank - size_) / cost_)];
    return std::max(after, entered + window_);
  }
  void book(Instant) {}  // What this ask has booked comes back as `booked`.
  void pay(std::span<const Duration> booked, const IdPrefix& prefix);

 private:
  SlidingLog& log_;
  std::int64_t limit_;
  Duration window_;
  std::int64_t cost_;
  Instant now_;
  std::int64_t size_;  // Entries from before this ask.
};

inline SlidingLogLook look(const SlidingLogParameters& parameters, SlidingLog& log, Permits cost,
                           Instant now) {
  return {parameters, log, cost, now};
}

}  // namespace einlass::limits
