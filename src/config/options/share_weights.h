// What a flow's weight may be, in the file and while the gate runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/text/values.h"

namespace einlass::config {

// Whole, from 1 to 1000.
Parsed<std::uint16_t> parse_weight(std::string_view text);

// Stands among the flows of `weight` for all that are not named there, so it names none.
inline constexpr std::string_view kDefaultWeight = "default";

}  // namespace einlass::config
