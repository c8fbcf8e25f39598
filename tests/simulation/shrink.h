// Runs one seed in a process of its own, so that a gate that stops the process can be looked at,
// and makes a failing run smaller while it goes on to fail in the same way.
#pragma once

#include <cstdint>
#include <string>

#include "draw.h"

namespace einlass::simulation {

// For one seed, of a core's time: on a busy machine nothing else says that a gate hangs.
inline constexpr int kMostSeconds = 30;

// Ends this process by SIGVTALRM after so much more of a core's time.
void end_if_it_hangs();

struct Case {
  std::uint64_t seed = 0;
  Overrides overrides;
};

struct Verdict {
  bool failed = false;
  std::string check;  // Which promise; for a broken invariant of the gate itself, its text.
  std::string detail;
};

enum class Show : std::uint8_t { nothing, tail, everything };

// In this process. A gate that stops the process stops it.
Verdict run_here(const Case& one, Show show, std::uint64_t* steps, std::uint64_t* hash);

// In a process of its own.
Verdict run_apart(const Case& one, Show show);

// Fewer faults, gates, records and steps.
Case shrink(const Case& failing, const std::string& check);

// What a person types to see the same.
std::string command_line(const Case& one);

}  // namespace einlass::simulation
