#include "limits/fleet/local_share.h"

#include <algorithm>
#include <limits>
#include <variant>

namespace einlass::limits {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// What is counted and what comes in a time is divided; times and choices stay.
struct Divide {
  std::int64_t gates;

  // 0 stands for a number that another one gives.
  void operator()(Permits& whole) const {
    if (whole.value > 0) whole = {std::max<std::int64_t>(1, whole.value / gates)};
  }
  // A time between two permits that cannot be counted is one that is refused in any case.
  void operator()(Rate& whole) const {
    std::int64_t micros = 0;
    if (__builtin_mul_overflow(whole.micros, gates, &micros)) micros = kNever;
    whole = reduced({whole.permits, micros});
  }
  void operator()(const Duration&) const {}
  void operator()(const int&) const {}
  void operator()(const bool&) const {}
};

}  // namespace

Parameters local_share(const Parameters& parameters, int gates) {
  Parameters part = parameters;
  std::visit([gates](auto& p) { each_number(p, Divide{gates}); }, part);
  return part;
}

}  // namespace einlass::limits
