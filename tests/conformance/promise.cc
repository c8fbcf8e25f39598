#include "conformance/promise.h"

#include <algorithm>
#include <map>

namespace einlass::conformance {
namespace {

using Broken = std::optional<std::string>;
using Stamps = std::vector<Instant>;

std::string told(std::int64_t permits, Duration in) {
  return std::to_string(permits) + " permits in " + std::to_string(in.us) + " us";
}

// Never more than `limit` in (t - window, t].
Broken in_any_window(const Stamps& stamps, Permits limit, Duration window) {
  const auto most = static_cast<std::size_t>(limit.value);
  for (std::size_t i = most; i < stamps.size(); ++i) {
    const Duration span = stamps[i] - stamps[i - most];
    if (span < window) return told(limit.value + 1, span);
  }
  return {};
}

// At most burst + rate * W in any W, which is `grace` longer than between the two instants.
Broken in_any_time(const Stamps& stamps, limits::Rate rate, Permits burst, Duration grace = {}) {
  std::size_t first = 0;  // Of those so far, the one since when most were used beyond the rate.
  const auto from_first = [&](std::size_t i, std::size_t from) {
    return static_cast<std::int64_t>(i - from) * rate.micros -
           (stamps[i] - stamps[from]).us * rate.permits;
  };
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    if (from_first(i, first) < 0) first = i;
    const std::int64_t beyond = from_first(i, first) + rate.micros - grace.us * rate.permits;
    if (beyond > burst.value * rate.micros) {
      return told(static_cast<std::int64_t>(i - first + 1), stamps[i] - stamps[first]);
    }
  }
  return {};
}

Broken in_each(const std::map<Instant, std::int64_t>& windows, Permits limit, Duration window) {
  for (const auto& [begin, permits] : windows) {
    if (permits > limit.value) return told(permits, window);
  }
  return {};
}

struct Promise {
  const Stamps& stamps;

  Broken operator()(const limits::SlidingLogParameters& p) const {
    return in_any_window(stamps, p.limit, p.window);
  }
  Broken operator()(const limits::SlidingWindowParameters& p) const {
    return in_any_window(stamps, p.limit, p.window);
  }
  template <class Bucket>
  Broken operator()(const Bucket& p) const {
    return in_any_time(stamps, p.rate, p.burst);
  }
  Broken operator()(const limits::LeakyBucketParameters& p) const {
    // Each turn is rounded up to a microsecond, so the next one may seem to be that much closer.
    return p.queue ? in_any_time(stamps, p.rate, Permits{1}, Duration{1})
                   : in_any_time(stamps, p.rate, p.capacity);
  }
  Broken operator()(const limits::SmoothParameters& p) const {
    return in_any_time(stamps, p.rate, Permits{p.burst.value + (p.pay_next ? 1 : 0)});
  }
  Broken operator()(const limits::WarmUpParameters& p) const {
    return in_any_time(stamps, p.rate, Permits{1}, Duration{1});
  }
  Broken operator()(const limits::FixedWindowParameters& p) const {
    std::map<Instant, std::int64_t> windows;
    for (const Instant at : stamps) ++windows[Instant{at.us / p.window.us * p.window.us}];
    return in_each(windows, p.limit, p.window);
  }
  Broken operator()(const limits::CounterParameters& p) const {
    std::map<Instant, std::int64_t> windows;
    for (const Instant at : stamps) {
      if (windows.empty() || at - windows.rbegin()->first >= p.window) windows[at] = 0;
      ++windows.rbegin()->second;
    }
    return in_each(windows, p.limit, p.window);
  }
  Broken operator()(const limits::ConcurrencyParameters&) const { return {}; }
};

}  // namespace

Broken broken(const limits::Parameters& parameters, const Stamps& stamps) {
  return std::visit(Promise{stamps}, parameters);
}

}  // namespace einlass::conformance
