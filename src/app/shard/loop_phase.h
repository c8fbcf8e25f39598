// What a loop is doing, for whoever wonders why it does not turn.
#pragma once

#include <cstdint>

namespace einlass::app {

// The four of each turn, and leaving the group at the end.
enum class LoopPhase : std::uint8_t { wait, collect, handle, perform, leave };

constexpr const char* phase_name(LoopPhase phase) {
  switch (phase) {
    case LoopPhase::wait:
      return "wait";
    case LoopPhase::collect:
      return "collect";
    case LoopPhase::handle:
      return "handle";
    case LoopPhase::perform:
      return "perform";
    case LoopPhase::leave:
      return "leave";
  }
  return "";
}

}  // namespace einlass::app
