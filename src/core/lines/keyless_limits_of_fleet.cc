// Of KeylessLimits: limits whose permits the flows of all gates share by weight.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/lines/keyless_limits.h"

namespace einlass::core {
namespace {

// Lines that wait for a limit and are added up. There are more only where each has few records.
constexpr std::uint32_t kMostAddedUp = 1024;

}  // namespace

KeylessIndex KeylessLimits::fleet_limit_of(const Line& line) const {
  const auto index = std::countr_zero(options_.routes[line.route.value].fleet_limits);
  return at_index(line, LimitIndex{static_cast<std::uint8_t>(index)});
}

FleetFlows::Sums KeylessLimits::others_of(const Line& line) const {
  FleetFlows::Sums sums;
  const KeylessIndex index = fleet_limit_of(line);
  const KeylessLimit& limit = limits_[index];
  limit.turns.each(lines_, kMostAddedUp, [&](const Line& other) {
    if (&other == &line || other.fleet() == nullptr || fleet_limit_of(other) != index) return;
    const FleetFlows& fleet = *other.fleet();
    const bool known = fleet.epoch() == limit.epoch;
    for (std::size_t level = 0; level < fleet.time().size(); ++level) {
      const std::int64_t weights = fleet.sums().weights[level];
      const auto begin =
          static_cast<std::uint64_t>(weights) * static_cast<std::uint64_t>(limit.time[level]);
      sums.weights[level] += weights;
      sums.served[level] += known ? fleet.sums().served[level] : begin;
      sums.records[level] += std::clamp<std::int64_t>(fleet.sums().records[level], 0, kMostPerAsk);
    }
  });
  return sums;
}

void KeylessLimits::tell(const Line& line) {
  KeylessLimit& limit = limits_[fleet_limit_of(line)];
  limit.time.resize(options_.routes[line.route.value].share.levels);
  line.fleet()->told_elsewhere(limit.epoch, limit.time);
}

void KeylessLimits::told(const Line& line, const ToldFlows& flows) {
  KeylessLimit& limit = limits_[fleet_limit_of(line)];
  limit.epoch = flows.epoch;
  limit.time = flows.time;
}

}  // namespace einlass::core
