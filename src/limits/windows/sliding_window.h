// The sliding window in slices: never more than `limit` permits in (t - window, t], for every t.
// Article 003, section 3.1; with `log_newest` section 3.2.
//
// The window is cut into slices; a slice knows how many units it has and when its last one was. As
// it does not know more, all of it counts until its last possible instant has left the window: so
// the slices of the window and one more count, where the listing of the article, which counts those
// of the window alone, lets up to twice the limit through. The price is up to a slice of
// throughput. With log_newest a slice leaves a window after its last unit instead, which gives a
// part of that back; see sliding_window_newest.h for what the newest slice remembers for that.
//
// Slices lie end to end from 1970 on. A slice is told from its last instant, so that nothing is
// forgotten when the configured slices change; what then falls into one slice counts as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

struct Slice {
  Instant last;            // Of its last unit.
  std::int64_t count = 0;  // Its units; never 0 in a window.
};

struct SlidingWindow {
  Instant last = kLongAgo;    // The last booked instant, also if it was given back.
  std::vector<Slice> slices;  // The oldest first; at most one more than the window has.
  std::int64_t width = 0;     // How long the slices were at the last change. Then no two were one.
  std::unique_ptr<std::vector<Returned>> newest;  // See sliding_window_newest.h.
};

inline Ahead ahead(const SlidingWindowParameters&) { return kNothingAhead; }
inline Traits traits(const SlidingWindowParameters& p) {
  return {.known_one_by_one = true, .held = false, .keeps_entries = p.log_newest};
}
inline Permits most_cost(const SlidingWindowParameters& parameters) { return parameters.limit; }

// A window that nobody has used.
inline SlidingWindow fresh(const SlidingWindowParameters&, std::string_view) { return {}; }

// What is free at `now`.
Permits peek(const SlidingWindowParameters& parameters, const SlidingWindow& window, Instant now);

// Takes out what permits cost whose slices still count. Returns how many of the permits those are.
std::int64_t give_back(const SlidingWindowParameters& parameters, SlidingWindow& window,
                       Permits cost, std::span<const Returned> returned, Instant now);

// Whether the window is to `now` as one that nobody has used.
bool is_fresh(const SlidingWindowParameters& parameters, const SlidingWindow& window, Instant now);

// How long a slice is, and how an instant's slice is numbered.
class Slicing {
 public:
  explicit Slicing(const SlidingWindowParameters& parameters)
      : window_(parameters.window),
        slices_(parameters.slices),
        width_((parameters.window.us + slices_ - 1) / slices_),
        leaves_by_last_(parameters.log_newest) {}

  std::int64_t width() const { return width_; }
  std::int64_t index(Instant at) const { return at.us / width_; }
  bool same(Instant a, Instant b) const { return index(a) == index(b); }

  // A slice whose last unit was before this does not count at `at`.
  Instant oldest(Instant at) const {
    if (leaves_by_last_) return at - window_ + Duration{1};
    return {(index(at) - slices_) * width_};
  }
  // From when on a slice does not count any more, if its last unit was at `last`.
  Instant leaves(Instant last) const {
    if (leaves_by_last_) return last + window_;
    return {(index(last) + slices_ + 1) * width_};
  }

 private:
  Duration window_;
  std::int64_t slices_;
  std::int64_t width_;
  bool leaves_by_last_;
};

// See algorithm.h.
class SlidingWindowLook {
 public:
  SlidingWindowLook(const SlidingWindowParameters& parameters, SlidingWindow& window, Permits cost,
                    Instant now);

  bool ever(std::int64_t permits, Duration) const {
    return cost_ <= limit_ && (permits == 1 || permits <= limit_ / cost_);
  }
  Instant reach(std::span<const Duration> booked, std::int64_t more) const {
    const std::int64_t missing = taken_ + booked_ + more * cost_ - limit_;
    return missing <= 0 ? at_ : freed(missing, !booked.empty());
  }
  void book(Instant) { booked_ += cost_; }
  void pay(std::span<const Duration> booked, const IdPrefix& prefix);
  void next(std::span<const Permits> costs) { cost_ = costs.back().value; }

 private:
  Instant freed(std::int64_t units, bool booked) const;

  SlidingWindow& window_;
  Slicing slicing_;
  bool log_newest_;
  std::int64_t limit_;
  std::int64_t cost_;
  Instant at_;
  std::int64_t taken_;       // In slices that count at `at_`.
  std::int64_t booked_ = 0;  // By this ask.
};

inline SlidingWindowLook look(const SlidingWindowParameters& parameters, SlidingWindow& window,
                              Permits cost, Instant now) {
  return {parameters, window, cost, now};
}

}  // namespace einlass::limits
