#include "limits/permits/refusal.h"

#include <string_view>

#include "limits/permits/parameter_refusals.h"
#include "limits/windows/sliding_log.h"

namespace einlass::limits {
namespace {

Refusal refuse_limit(std::int64_t limit) {
  if (limit < 1) return "limit is " + number(limit) + "; it must be at least 1";
  if (limit <= kMostCounted) return std::nullopt;
  return "limit " + number(limit) + " is too large to be counted exactly; the most is " +
         number(kMostCounted);
}

Refusal refuse_span(std::string_view name, Duration span) {
  if (span <= Duration{}) return std::string(name) + " must be longer than 0";
  if (span > kLongestWindow) return std::string(name) + " is too long; the most is 36500d";
  return std::nullopt;
}

// Entries of a log for each unit.
Refusal refuse_entries(std::int64_t limit, std::int64_t most, std::string_view of,
                       std::string_view instead) {
  if (limit <= most) return std::nullopt;
  return "limit " + number(limit) + " is too many entries for " + std::string(of) +
         "; the most is " + number(most) + ", " + std::string(instead) + " has no such bound";
}

Refusal refuse_log(std::int64_t limit, std::string_view window_name, Duration window,
                   std::int64_t cost, std::string_view of, std::string_view instead) {
  if (limit < 1) return refuse_limit(limit);
  if (Refusal refusal = refuse_entries(limit, kMostLogEntries, of, instead)) return refusal;
  if (Refusal refusal = refuse_span(window_name, window)) return refusal;
  if (cost > kMostLogCost && cost <= limit) {
    return "cost " + number(cost) + " is too much for " + std::string(of) +
           ", which keeps an entry for each unit; the most is " + number(kMostLogCost) + ", " +
           std::string(instead) + " has no such bound";
  }
  return refuse_cost(cost, "limit", limit);
}

// How a window's permits keep a distance.
Refusal refuse_spacing(Permits limit, int even, Permits burst, std::int64_t cost) {
  if (even < 0 || even > kMostEven) {
    return "even is " + number(even) + "%; it must be from 0% to " + number(kMostEven) + "%";
  }
  if (burst.value == 0) return std::nullopt;
  if (burst < Permits{1} || burst > limit) {
    return "burst is " + number(burst.value) + "; it must be from 1 to the limit of " +
           number(limit.value);
  }
  if (even == 0 && burst < limit) {
    return "burst means nothing with even: 0%, which spreads nothing; give even a part of the "
           "window";
  }
  return refuse_cost(cost, "burst", burst.value);
}

Refusal refuse(const SlidingLogParameters& p, std::int64_t cost) {
  Refusal refusal =
      refuse_log(p.limit.value, "window", p.window, cost, "a sliding log", "a token_bucket");
  return refusal ? refusal : refuse_spacing(p.limit, p.even, p.burst, cost);
}

Refusal refuse(const ConcurrencyParameters& p, std::int64_t cost) {
  return refuse_log(p.limit.value, "lease", p.lease, cost, "concurrency", "a token_bucket");
}

Refusal refuse_window(Permits limit, Duration window, std::int64_t cost) {
  if (Refusal refusal = refuse_limit(limit.value)) return refusal;
  if (Refusal refusal = refuse_span("window", window)) return refusal;
  return refuse_cost(cost, "limit", limit.value);
}

// One that says no more than a rate and a burst, or a limit and a window.
template <class P>
Refusal refuse(const P& p, std::int64_t cost) {
  if constexpr (requires { p.rate; }) {
    return refuse_bucket(p.rate, "burst", p.burst, kExactBelow - 1, cost);
  } else {
    return refuse_window(p.limit, p.window, cost);
  }
}

Refusal refuse(const SlidingWindowParameters& p, std::int64_t cost) {
  if (p.slices < 1 || p.slices > kMostSlices) {
    return "slices is " + number(p.slices) + "; it must be from 1 to " + number(kMostSlices);
  }
  if (p.log_newest) {
    Refusal refusal = refuse_entries(p.limit.value, kMostNewestEntries,
                                     "a sliding_window with log: newest", "one without");
    if (refusal) return refusal;
  }
  return refuse_window(p.limit, p.window, cost);
}

Refusal refuse(const LeakyBucketParameters& p, std::int64_t cost) {
  return refuse_bucket(p.rate, "capacity", p.capacity, kExactBelow - 1, cost);
}

Refusal refuse(const SmoothParameters& p, std::int64_t cost) {
  if (Refusal refusal = refuse_timeout(p.timeout)) return refusal;
  // Where the next one pays, a level goes as far below 0 as above.
  const std::int64_t most_units = p.pay_next ? (kExactBelow - 1) / 2 : kExactBelow - 1;
  return refuse_bucket(p.rate, "burst", p.burst, most_units, cost);
}

Refusal refuse(const WarmUpParameters& p, std::int64_t cost) { return refuse_warm_up(p, cost); }

}  // namespace

Refusal refusal(const Parameters& parameters, Permits cost) {
  return std::visit([cost](const auto& p) { return refuse(p, cost.value); }, parameters);
}

Refusal refusal_of_spacing(Permits limit, int even, Permits burst, Permits cost) {
  return refuse_spacing(limit, even, burst, cost.value);
}

}  // namespace einlass::limits
