#include "limits/windows/sliding_window_newest.h"

#include <algorithm>
#include <memory>

namespace einlass::limits {

void remember_newest(SlidingWindow& window, Instant at, std::size_t permits,
                     const IdPrefix& prefix) {
  if (!window.newest) window.newest = std::make_unique<std::vector<Returned>>();
  for (std::size_t i = 0; i < permits; ++i) {
    window.newest->push_back({permit_id(prefix, static_cast<std::uint16_t>(i)), at});
  }
}

bool forget_newest(SlidingWindow& window, const PermitId& id) {
  if (!window.newest) return false;
  std::vector<Returned>& newest = *window.newest;
  const auto found = std::find_if(newest.rbegin(), newest.rend(),
                                  [&](const Returned& permit) { return permit.id == id; });
  if (found == newest.rend()) return false;
  newest.erase(std::next(found).base());
  return true;
}

Instant last_of_newest(const SlidingWindow& window, Instant last) {
  return window.newest->empty() ? last : window.newest->back().at;
}

void close_newest(SlidingWindow& window) {
  if (window.newest) window.newest->clear();
}

}  // namespace einlass::limits
