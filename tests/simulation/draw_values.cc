// What limits are for a key, while that changes.
#include <algorithm>

#include "draw.h"

namespace einlass::simulation {
namespace {

LimitSettings with_value(const Settings& settings, std::size_t limit, std::int64_t key,
                         const std::map<std::pair<std::size_t, std::int64_t>, std::int64_t>& from) {
  LimitSettings result = settings.limits[limit];
  if (const auto at = from.find({limit, key}); at != from.end()) result.limit = at->second;
  return result;
}

}  // namespace

std::optional<std::pair<std::size_t, std::int64_t>> draw_value(Settings& settings, Dice& dice) {
  std::vector<std::pair<std::size_t, std::int64_t>> keys;  // The limit, and how many; 0: none.
  for (const RouteSettings& route : settings.routes) {
    for (const std::size_t limit : route.limits) {
      keys.emplace_back(limit, settings.limits[limit].keyed ? route.keys : 0);
    }
  }
  if (keys.empty()) return std::nullopt;
  const auto chosen =
      keys[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(keys.size()) - 1))];
  const std::int64_t key = chosen.second == 0 ? -1 : dice.between(0, chosen.second - 1);
  const std::pair<std::size_t, std::int64_t> of{chosen.first, key};
  const std::int64_t own = settings.limits[of.first].limit;
  settings.values[of] = dice.chance(0.3) ? own : dice.between(own, 4 * own);
  std::int64_t& largest = settings.largest_values[of];
  largest = std::max({largest, own, settings.values[of]});
  return of;
}

LimitSettings of_key(const Settings& settings, std::size_t limit, std::int64_t key) {
  return with_value(settings, limit, key, settings.values);
}

LimitSettings at_its_largest(const Settings& settings, std::size_t limit, std::int64_t key) {
  return with_value(settings, limit, key, settings.largest_values);
}

}  // namespace einlass::simulation
