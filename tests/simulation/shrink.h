// Runs one seed in a process of its own, so that a gate that stops the process can be looked at,
// and makes a failing run smaller while it goes on to fail in the same way.
#pragma once

#include <cstdint>
#include <string>

#include "draw.h"
#include "world.h"

namespace einlass::simulation {

struct Case {
  std::uint64_t seed = 0;
  Overrides overrides;
};

struct Verdict {
  bool failed = false;
  std::string check;  // Which promise; for a broken invariant of the gate itself, its text.
  std::string detail;

  // Nobody tries to make it smaller: each try would take as long.
  bool hangs() const { return check == kHangs; }
};

enum class Show : std::uint8_t { nothing, tail, everything };

// In this process. A gate that stops the process stops it; SIGVTALRM ends it with one that never
// ends an event.
Verdict run_here(const Case& one, Show show, std::uint64_t* steps, std::uint64_t* hash);

// In a process of its own.
Verdict run_apart(const Case& one, Show show);

// Fewer faults, gates, records and steps.
Case shrink(const Case& failing, const std::string& check);

// What a person types to see the same.
std::string command_line(const Case& one);

}  // namespace einlass::simulation
