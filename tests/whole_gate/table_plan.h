// What people, and other programs, write into the fleet's table of quotas and pauses in a world.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"

namespace einlass::whole {

struct Plan;

struct TableEntry {
  enum class About : std::uint8_t { route, target, topic, key, quota };

  // How a change comes into the table: as gates write it; into the hash alone, which gates read as
  // a whole now and then; or as gates write it, and then their list of changes is cut behind it.
  enum class Way : std::uint8_t { as_gates, unsaid, cut };

  About about = About::route;
  std::uint16_t number = 0;  // Of the route, ...
  std::string name;  // ... or whatever it is about by name: a target's path, a topic, a key.
  std::string key;   // In the table.
  std::string value;
  Promise promise{};  // Of a quota.
  Way way = Way::as_gates;
  Micros from = 0;  // From the beginning. What is 0 is there before the gate.

  // Until it has lasted that long; none: it stays. It is taken out then, or ends by itself.
  std::optional<Micros> lasts{};
  bool ends_by_itself = false;

  // It lasts until all else is delivered.
  bool outlasts_all = false;
};

// REQUIRES: all else of the plan is drawn.
std::vector<TableEntry> draw_table(Kernel& kernel, const Plan& plan);

// What a quota lets through in a second; anything, if it is none.
double slowest(const TableEntry& entry);

// With `until` if it ends by itself at that instant.
std::string value_of(const TableEntry& entry, Micros began);

}  // namespace einlass::whole
