// Instants as people and programs write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "units/time.h"

namespace einlass {

// What a time without a zone is.
enum class NoZone : std::uint8_t { refused, utc };

// `2026-11-25T04:30:00.250+01:00` (RFC 3339; ISO 8601 in its extended form): the seconds and their
// fraction may be left out, the fraction counts in microseconds, the zone is `Z`, `+01:00`, `+0100`
// or `+01`. With NoZone::utc it may be left out, and the time of day too. None if it is none of
// these, or before 1970.
std::optional<Instant> parse_timestamp(std::string_view text, NoZone no_zone);

}  // namespace einlass
