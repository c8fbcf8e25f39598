// What a loop is doing, for whoever wonders why it does not turn.
#pragma once

#include <cstdint>

namespace einlass::app {

// The four of each turn, and leaving the group at the end.
enum class Verb : std::uint8_t { wait, collect, handle, perform, leave };

constexpr const char* verb_name(Verb verb) {
  switch (verb) {
    case Verb::wait:
      return "wait";
    case Verb::collect:
      return "collect";
    case Verb::handle:
      return "handle";
    case Verb::perform:
      return "perform";
    case Verb::leave:
      return "leave";
  }
  return "";
}

}  // namespace einlass::app
