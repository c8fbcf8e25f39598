#include <bit>

#include "draw.h"

namespace einlass::simulation {
namespace {

// Which routes share by weight and level. Dice of its own, so that older seeds keep their worlds.
void draw_in_gates(Settings& settings) {
  Dice dice(settings.seed, "shares");
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    if (!dice.chance(0.4)) continue;
    core::ShareOptions& share = settings.routes[i].options.share;
    share.levels = static_cast<std::uint8_t>(dice.between(1, 3));
    share.keep = static_cast<std::uint8_t>(dice.between(1, 33));
    settings.gate.routes[i].share = share;
  }
}

// Which of these share a limit with the flows of other gates. Dice of its own, as above.
void draw_in_fleet(Settings& settings) {
  Dice dice(settings.seed, "fleet");
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    core::RouteOptions& route = settings.routes[i].options;
    if (!dice.chance(0.6) || !route.share.on() || route.cost_varies) continue;
    const std::uint32_t free = route.keyless_limits & ~route.held_limits;
    if (free == 0) continue;
    const auto index = static_cast<std::size_t>(std::countr_zero(free));
    // Who shares a limit has the same share.
    for (std::size_t before = 0; before < i; ++before) {
      const core::RouteOptions& other = settings.gate.routes[before];
      const auto at = static_cast<std::size_t>(std::countr_zero(other.fleet_limits));
      if (other.fleet_limits == 0 || other.limits[at] != route.limits[index]) continue;
      route.share = settings.gate.routes[i].share = other.share;
    }
    route.fleet_limits = settings.gate.routes[i].fleet_limits = std::uint32_t{1} << index;
  }
}

}  // namespace

void draw_shares(Settings& settings) {
  draw_in_gates(settings);
  draw_in_fleet(settings);
}

}  // namespace einlass::simulation
