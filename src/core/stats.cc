#include "core/stats.h"

#include <algorithm>

namespace einlass::core {

void Histogram::observe(Duration d) {
  const std::int64_t us = std::max<std::int64_t>(d.us, 0);
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), us);
  ++counts[static_cast<std::size_t>(bound - kBounds.begin())];
  sum_us += static_cast<std::uint64_t>(us);
}

}  // namespace einlass::core
