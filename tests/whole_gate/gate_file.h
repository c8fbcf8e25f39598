// The gate's file, as a plan has it.
#pragma once

#include <cstdint>
#include <string>

#include "whole_gate/kernel.h"
#include "whole_gate/plan.h"

namespace einlass::whole {

// What the file of that edition says: how many requests may be in flight, and in any edition how
// long one takes at least before it is given up.
std::uint64_t most_in_flight(const Plan& plan, int edition);
inline constexpr Micros kShortestTimeout = 3'000'000;

// The gate's file. `redis` is the section of that name. The first edition is what the gate begins
// with; others have other numbers, and the gate may go on under them.
std::string configuration(const Plan& plan, const std::string& redis, int edition);

}  // namespace einlass::whole
