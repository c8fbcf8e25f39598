// An instant as people and programs both read it.
#pragma once

#include <cstdint>
#include <string>

namespace einlass {

// Of milliseconds since 1970, to the second: "2026-03-01T09:30:00Z". REQUIRES: the year has four
// digits.
std::string utc_text(std::int64_t ms);

}  // namespace einlass
