// Flows that share a limit's permits by weight, whichever gate they wait in: what gates and limiters
// say to each other of them. What is done with it is in limits/fleet/fleet_share.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "units/id.h"

namespace einlass {

// The same in all gates, and in every process.
using FlowId = Strong<struct FlowIdTag, std::uint64_t>;

inline constexpr std::size_t kMostShareLevels = 8;

// How far a flow has been served: its tag times its weight, in thousandths of a unit, so that a
// permit of cost c adds 1,000 c and nothing is rounded.
using Served = std::int64_t;

// Flows that wait, all together.
struct WaitingFlows {
  std::int64_t weights = 0;
  Served served = 0;        // Counted from their level's time.
  std::int64_t wanted = 0;  // How many permits they might take soon.

  bool operator==(const WaitingFlows&) const = default;
};

// A flow of whoever asks.
struct AskingFlow {
  FlowId id;
  std::uint8_t level = 0;
  std::uint16_t weight = 1;        // 1 to 1,000.
  std::int64_t records = 1;        // That wait for a permit.
  std::optional<Served> served{};  // As it was told last, if it has waited ever since.
};

// What an ask says of its flows. REQUIRES: 1 <= levels <= kMostShareLevels; `time` and `rest` have
// one for each level; flows have a level below `levels`, and each is there once.
struct AskingFlows {
  std::uint8_t levels = 1;
  std::int64_t keep = 5;   // Of a hundred: what each level but the first earns of what is granted.
  std::int64_t epoch = 0;  // What the last answer said, and `time` too; 0: there was none.
  std::vector<std::int64_t> time;
  std::vector<WaitingFlows> rest;  // The flows of this gate that are not in `flows`.
  std::int64_t wish = 0;           // How many permits those in `flows` would take soon.
  std::vector<AskingFlow> flows;
};

// Why no more was granted, where the limits had more: it is for other gates, or for other flows of
// the same gate.
enum class HeldUp : std::uint8_t { no, by_gates, by_own };

// What an answer says of the flows.
struct ToldFlows {
  HeldUp held_up = HeldUp::no;
  std::int64_t epoch = 0;           // Since when there is a state; 0: there is none now.
  std::vector<std::int64_t> time;   // Of each level: where flows begin that come now.
  std::vector<std::uint16_t> flow;  // Of each permit: its index in the ask.
  std::vector<Served> served;       // Of each flow of the ask.
};

}  // namespace einlass
