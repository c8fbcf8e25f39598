// What people have paused, for the shards: plain values that may be handed to any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace einlass::app {

// Keys of a limit, by its index in the configuration.
using PausedKeys = std::vector<std::set<std::string, std::less<>>>;

struct Pauses {
  std::vector<bool> routes;   // By RouteId.
  std::vector<bool> targets;  // By TargetId.
  std::set<std::string, std::less<>> topics;
  PausedKeys keys;

  bool operator==(const Pauses&) const = default;
};

}  // namespace einlass::app
