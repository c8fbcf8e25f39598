// Where records go on from one route to another.
#pragma once

#include <cstddef>
#include <optional>

#include "config/model/config.h"

namespace einlass::config {

// The index of the route that has what this one's filter leaves out; none where that is nobody's.
std::optional<std::size_t> else_of(const Config& config, const Route& route);

}  // namespace einlass::config
