// The sliding log: never more than `limit` permits in (t - window, t], for every instant t.
//
// The log holds the instant of each unit granted; an entry frees its slot exactly a window after
// its instant. Bookings are first come first served: the next one is at the latest of now, the last
// booked instant, and the moment when the limit-th newest entry leaves. That last term alone keeps
// the promise, because the window that ends with a booking is the fullest one the booking is in.
//
// Permits that are due later than now keep a distance besides, and with a burst also those that
// leave at once: spacing.h.
//
// A release takes the permit's entries out, if they are still there; it does not move the last
// booked instant back. So entries that are a window older than that instant never matter again, and
// no answer depends on when they were removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "limits/windows/log_ring.h"
#include "limits/windows/spacing.h"
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
inline Traits traits(const SlidingLogParameters&) {
  return {.known_one_by_one = true, .held = false, .keeps_entries = true};
}
inline Permits most_cost(const SlidingLogParameters& p) {
  return std::min({p.limit, Permits{kMostLogCost}, p.burst.value > 0 ? p.burst : p.limit});
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
        whole_{{parameters.limit.value, parameters.window}},
        cost_(cost.value),
        now_(now),
        size_(static_cast<std::int64_t>(log.entries.size())) {
    if (parameters.even > 0) space(parameters);
  }

  bool ever(std::int64_t permits, Duration) const {
    const std::int64_t most = burst_.units > 0 ? burst_.units : whole_.units;
    return cost_ <= most && (permits == 1 || permits <= most / cost_);
  }
  Instant reach(std::span<const Duration> booked, std::int64_t more) const {
    const Instant free = std::max(after(booked), frees(whole_, booked, more));
    if (group_.units == 0 || at_once(free, booked, more) <= now_) return free;
    return std::max(free, frees(group_, booked, more));
  }
  // Whoever waits until a permit could leave at once need not keep the distance.
  Instant soonest(std::span<const Duration> booked, std::int64_t more, Duration horizon) const {
    const Instant free = std::max(after(booked), frees(whole_, booked, more));
    if (group_.units == 0) return free - horizon;
    const Instant together = at_once(free, booked, more);
    if (more > 1) return together;
    return std::min(together, std::max(free, frees(group_, booked, more)) - horizon);
  }
  Instant behind(std::span<const Duration> booked, std::int64_t units) const;
  std::optional<Instant> soonest_behind(std::span<const Duration> booked, std::int64_t units,
                                        Duration horizon) const;
  void book(Instant) {}  // What this ask has booked comes back as `booked`.
  void pay(std::span<const Duration> booked, const IdPrefix& prefix);
  void next(std::span<const Permits> costs);

 private:
  // A rule, and in which of the booked permits the last unit was that was looked for by it.
  struct Rule : Spacing {
    mutable std::size_t permit = 0;
    mutable std::int64_t before = 0;  // Units of the permits before that one.
  };

  // When there is room for so many units, and how much of that is because what is taken before
  // must leave again first.
  struct Lap {
    Instant at;
    Duration laps;
    auto operator<=>(const Lap&) const = default;
  };
  struct LapsBehind {
    Lap at_once, free, later;
  };

  void space(const SlidingLogParameters& parameters);
  Lap frees_behind(const Rule& rule, std::span<const Duration> booked, std::int64_t units) const;
  LapsBehind all_behind(std::span<const Duration> booked, std::int64_t units) const;
  std::size_t booked_with(std::int64_t unit, const Rule& rule) const;

  Instant after(std::span<const Duration> booked) const {
    return booked.empty() ? std::max(now_, log_.last) : now_ + booked.back();
  }
  Instant at_once(Instant free, std::span<const Duration> booked, std::int64_t more) const {
    return burst_.units == 0 ? free : std::max(free, frees(burst_, booked, more));
  }
  // When there is room for so many permits more under that rule.
  Instant frees(const Rule& rule, std::span<const Duration> booked, std::int64_t more) const {
    const auto count = static_cast<std::int64_t>(booked.size());
    const std::int64_t units = costs_.empty() ? count * cost_ : units_;
    const std::int64_t rank = size_ + units + more * cost_ - rule.units - 1;  // Must have left.
    if (rank < 0) return kLongAgo;
    const Instant entered = rank < size_ ? log_.entries[static_cast<std::size_t>(rank)].at
                                         : now_ + booked[booked_with(rank - size_, rule)];
    return entered + rule.apart;
  }

  SlidingLog& log_;
  Rule whole_;            // The limit itself.
  Rule group_;            // Of those that are due later than now, ...
  Spacing group_of_one_;  // ... where they cost 1.
  Rule burst_;            // Of those that leave at once.
  std::int64_t cost_;
  Instant now_;
  std::int64_t size_;                 // Entries from before this ask.
  std::span<const Permits> costs_{};  // Of the booked permits and the next; empty: all cost_.
  std::int64_t units_ = 0;            // Then: those of the booked ones.
};

inline SlidingLogLook look(const SlidingLogParameters& parameters, SlidingLog& log, Permits cost,
                           Instant now) {
  return {parameters, log, cost, now};
}

}  // namespace einlass::limits
