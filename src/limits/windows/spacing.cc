#include "limits/windows/spacing.h"

#include <algorithm>

namespace einlass::limits {
namespace {

// What `units` take of the even part of the window, rounded down: so all of the limit fits.
Duration span(std::int64_t units, Permits limit, Duration window, int even) {
  const __int128 micros = static_cast<__int128>(units) * even * window.us / 100 / limit.value;
  return {static_cast<std::int64_t>(micros)};
}

}  // namespace

Spacing group_of(Permits limit, Duration window, int even, Permits burst) {
  if (even == 0) return {};
  const __int128 fit = static_cast<__int128>(kGroup.us) * 100 * limit.value / even / window.us;
  const std::int64_t most = burst.value > 0 ? std::min(limit, burst).value : limit.value;
  const auto units = static_cast<std::int64_t>(std::clamp<__int128>(fit, 1, most));
  if (units == limit.value) return {};
  return {units, span(units, limit, window, even)};
}

Spacing burst_of(Permits limit, Duration window, int even, Permits burst) {
  if (burst.value == 0 || burst >= limit) return {};
  return {burst.value, span(burst.value, limit, window, even)};
}

}  // namespace einlass::limits
