// By what the permits of one run of the process are known.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/contract/command.h"

namespace einlass::app {

// This process's half of its permits' ids: random, so that no two processes share an id.
using RunId = std::array<std::uint8_t, 8>;
RunId random_run_id();

// The permit's id as a UUID: the run, the ask, the permit's index in it.
std::string permit_uuid(const RunId& run, const core::Permit& permit);

}  // namespace einlass::app
