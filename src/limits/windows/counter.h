// The counter: a window opens with its first permit and has at most `limit` permits until it ends,
// a window's length later. Article 002 (INCRBY and EXPIRE).
//
// So in (t - window, t] there may be up to twice the limit: as many late in one window as early in
// the next. Who cannot bear that takes a sliding window or a log. An open window keeps its end when
// the configured length changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

struct Counter {
  Instant start = kLongAgo;  // When the window opened; nothing is booked before that.
  Instant end = kLongAgo;    // From then on it is over, and nothing is spent.
  std::int64_t count = 0;    // Units spent in it.
};

inline Ahead ahead(const CounterParameters&) { return kNothingAhead; }
inline Traits traits(const CounterParameters&) {
  return {.known_one_by_one = true, .held = false, .keeps_entries = false};
}
inline Permits most_cost(const CounterParameters& parameters) { return parameters.limit; }

// A counter that nobody has used.
inline Counter fresh(const CounterParameters&, std::string_view) { return {}; }

// What is left of the limit at `now`.
Permits peek(const CounterParameters& parameters, const Counter& counter, Instant now);

// Takes back what permits of the open window cost. Returns how many of the permits are of it.
std::int64_t give_back(const CounterParameters& parameters, Counter& counter, Permits cost,
                       std::span<const Returned> returned, Instant now);

// Whether the counter is to `now` as one that nobody has used.
bool is_fresh(const CounterParameters& parameters, const Counter& counter, Instant now);

// See algorithm.h.
class CounterLook {
 public:
  // `end` is where a window ends that the earliest next permit would open. An open window ends with
  // the later of its own end and `open_until`.
  CounterLook(Counter& counter, Permits limit, Permits cost, Instant now, Instant end,
              Instant open_until)
      : counter_(counter),
        limit_(limit.value),
        cost_(cost.value),
        at_(std::max(now, counter.start)),
        next_{at_ < counter.end
                  ? Counter{counter.start, std::max(counter.end, open_until), counter.count}
                  : Counter{at_, end, 0}} {}

  bool ever(std::int64_t permits, Duration) const {
    return cost_ <= limit_ && (permits == 1 || permits <= limit_ / cost_);
  }
  // A denial writes nothing, so an open window ends when it says, not at `open_until`.
  Instant reach(std::span<const Duration> booked, std::int64_t more) const {
    if (next_.count + more * cost_ <= limit_) return at_;
    return booked.empty() ? counter_.end : next_.end;
  }
  void book(Instant) { next_.count += cost_; }
  void pay(std::span<const Duration>, const IdPrefix&) { counter_ = next_; }
  void next(std::span<const Permits> costs) { cost_ = costs.back().value; }

 private:
  Counter& counter_;
  std::int64_t limit_;
  std::int64_t cost_;
  Instant at_;
  Counter next_;  // With what this ask has booked.
};

inline CounterLook look(const CounterParameters& parameters, Counter& counter, Permits cost,
                        Instant now) {
  const Instant end = std::max(now, counter.start) + parameters.window;
  return {counter, parameters.limit, cost, now, end, kLongAgo};
}

}  // namespace einlass::limits
