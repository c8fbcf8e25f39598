#include "limits/contract/limit.h"

#include <numeric>

namespace einlass::limits {

Rate reduced(Rate rate) {
  const std::int64_t divisor = std::gcd(rate.permits, rate.micros);
  return {rate.permits / divisor, rate.micros / divisor};
}

}  // namespace einlass::limits
