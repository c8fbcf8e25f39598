#include "app/record/flow_weights.h"

#include <mutex>

namespace einlass::app {

std::optional<std::uint16_t> FlowWeights::find(std::string_view share,
                                               std::string_view flow) const {
  if (!any_.load(std::memory_order_acquire)) return std::nullopt;
  const std::shared_lock lock(mutex_);
  const auto flows = shares_.find(share);
  if (flows == shares_.end()) return std::nullopt;
  const auto found = flows->second.find(flow);
  return found == flows->second.end() ? std::nullopt : std::optional(found->second);
}

void FlowWeights::set(std::string_view share, std::string_view flow,
                      std::optional<std::uint16_t> weight) {
  const std::unique_lock lock(mutex_);
  auto flows = shares_.find(share);
  if (weight) {
    if (flows == shares_.end()) flows = shares_.emplace(share, Flows()).first;
    const auto known = flows->second.find(flow);
    if (known == flows->second.end()) {
      flows->second.emplace(flow, *weight);
    } else {
      known->second = *weight;
    }
  } else if (flows != shares_.end()) {
    const auto known = flows->second.find(flow);
    if (known != flows->second.end()) flows->second.erase(known);
    if (flows->second.empty()) shares_.erase(flows);
  }
  any_.store(!shares_.empty(), std::memory_order_release);
}

}  // namespace einlass::app
