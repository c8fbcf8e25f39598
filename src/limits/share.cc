#include "limits/share.h"

#include <algorithm>
#include <limits>
#include <variant>

namespace einlass::limits {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Share {
  std::int64_t gates;

  Permits of(Permits whole) const { return {std::max<std::int64_t>(1, whole.value / gates)}; }
  // A time between two permits that cannot be counted is one that is refused in any case.
  Rate of(Rate whole) const {
    std::int64_t micros = 0;
    if (__builtin_mul_overflow(whole.micros, gates, &micros)) micros = kNever;
    return reduced({whole.permits, micros});
  }

  Parameters operator()(SlidingLogParameters p) const {
    p.limit = of(p.limit);
    if (p.burst.value > 0) p.burst = of(p.burst);
    return p;
  }
  Parameters operator()(TokenBucketParameters p) const {
    p.rate = of(p.rate);
    p.burst = of(p.burst);
    return p;
  }
  Parameters operator()(FixedWindowParameters p) const {
    p.limit = of(p.limit);
    return p;
  }
  Parameters operator()(CounterParameters p) const {
    p.limit = of(p.limit);
    return p;
  }
  Parameters operator()(SlidingWindowParameters p) const {
    p.limit = of(p.limit);
    return p;
  }
  Parameters operator()(LeakyBucketParameters p) const {
    p.rate = of(p.rate);
    p.capacity = of(p.capacity);
    return p;
  }
  Parameters operator()(SmoothParameters p) const {
    p.rate = of(p.rate);
    p.burst = of(p.burst);
    return p;
  }
  Parameters operator()(WarmUpParameters p) const {
    p.rate = of(p.rate);
    return p;
  }
  Parameters operator()(ConcurrencyParameters p) const {
    p.limit = of(p.limit);
    return p;
  }
};

}  // namespace

Parameters share(const Parameters& parameters, int gates) {
  return std::visit(Share{gates}, parameters);
}

}  // namespace einlass::limits
