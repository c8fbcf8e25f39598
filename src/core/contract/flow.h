// A flow: the records of one route that have the same value where its share looks, as those of one
// tenant. What is scarce is divided among the flows by their weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/contract/ids.h"
#include "units/flows.h"

namespace einlass::core {

inline constexpr std::uint32_t kMostWeight = 1000;
inline constexpr std::size_t kMostLevels = 8;

// A route's flows that are counted by name; what is behind them counts all others together.
inline constexpr std::size_t kNamedFlows = 20;

// What a record says of its flow when it comes in. Its weight is the flow's from then on.
struct FlowMark {
  FlowKey key;
  std::uint16_t weight = 1;         // 1 to kMostWeight.
  std::uint8_t level = 0;           // 0 goes first.
  std::uint8_t name = kNamedFlows;  // Under which of the route's named flows it is counted.
  FlowId in_fleet{};  // Where all gates share a limit by flows: the same in each of them.
};

// How a route's records share what they compete for.
struct ShareOptions {
  std::uint8_t levels = 0;  // 0 = they do not: first come, first served. At most kMostLevels.
  // Of a hundred permits: what each level but the first keeps while it has something ready.
  // REQUIRES: levels * keep <= 100.
  std::uint8_t keep = 5;

  bool on() const { return levels > 0; }
  bool operator==(const ShareOptions&) const = default;
};

}  // namespace einlass::core
