#include "limits/fleet/fleet_share.h"

#include <algorithm>

namespace einlass::limits {
namespace {

// Beyond this all begins anew, far below what is counted exactly.
constexpr std::int64_t kMostTime = std::int64_t{1} << 40;

// Of a gate that was not heard of for so long beyond its time nothing is kept.
constexpr Duration kGone = Duration::seconds(10);

// A flow so many permits behind its level is as good as one that nobody knows: what waits is not so
// far behind.
constexpr std::int64_t kLongPast = 4;

std::int64_t tag(Served served, std::int64_t weight) {
  return served / weight - (served % weight < 0 ? 1 : 0);
}

}  // namespace

bool FleetShare::Gate::waits(Instant now) const {
  return until > now && std::ranges::any_of(sums, [](const auto& one) { return one.wanted > 0; });
}

// Whether an ask of that gate can go on from the state; else all begins anew.
bool FleetShare::serves(GateId gate, std::uint8_t levels, Instant now) {
  std::erase_if(gates_, [now](const Gate& one) { return one.until + kGone <= now; });
  const bool known =
      std::ranges::any_of(gates_, [gate](const Gate& one) { return one.id == gate; });
  const bool slots_lost = !known && slots_ == kMostSlots && gates_.size() < kMostSlots;
  return levels_ == levels && !slots_lost && std::ranges::max(time_) < kMostTime &&
         std::ranges::any_of(gates_, [now](const Gate& one) { return one.waits(now); });
}

const FleetShare::Flow* FleetShare::known(const FlowKey& key, Permits cost) const {
  const auto found = flows_.find(key);
  if (found == flows_.end()) return nullptr;
  const Flow& flow = found->second;
  const bool long_past =
      tag(flow.served, flow.weight) + kLongPast * kUnit * cost.value <= time_[key.first];
  return long_past ? nullptr : &flow;
}

void FleetShare::give_back(std::uint8_t level, FlowId id, Permits units) {
  const FlowKey key{level, id};
  if (known(key, units) == nullptr) return;
  Flow& flow = flows_[key];
  flow.served -= kUnit * units.value;
  for (Gate& gate : gates_) {
    if (gate.has(flow.slots)) gate.sums[level].served -= kUnit * units.value;
  }
}

// Of so many flows, in turn, those that are as good as unknown.
void FleetShare::forget_some(Permits cost, std::size_t of) {
  for (std::size_t i = 0; i < of && !flows_.empty(); ++i) {
    auto at = flows_.upper_bound(looked_at_);
    if (at == flows_.end()) at = flows_.begin();
    looked_at_ = at->first;
    if (known(looked_at_, cost) == nullptr) flows_.erase(at);
  }
}

}  // namespace einlass::limits
