#include "limits/share.h"

#include <algorithm>
#include <variant>

namespace einlass::limits {
namespace {

struct Share {
  std::int64_t gates;

  Permits of(Permits whole) const { return {std::max<std::int64_t>(1, whole.value / gates)}; }
  Rate of(Rate whole) const { return reduced({whole.permits, whole.micros * gates}); }

  Parameters operator()(SlidingLogParameters p) const {
    p.limit = of(p.limit);
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
