// The name of one permit: 16 bytes, of which whoever asks chooses the first 14 for the whole ask
// and the last two count its permits from 0. So one ask is for at most 65,536 permits.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>

#include "units/time.h"

namespace einlass::limits {

inline constexpr std::int64_t kMostPermitsOfAnAsk = 65'536;

// Never used for two asks: some algorithms know a permit by its id alone.
using IdPrefix = std::array<std::uint8_t, 14>;

struct PermitId {
  std::array<std::uint8_t, 16> bytes{};

  constexpr bool operator==(const PermitId&) const = default;
};

constexpr PermitId permit_id(const IdPrefix& prefix, std::uint16_t index) {
  PermitId id;
  std::copy(prefix.begin(), prefix.end(), id.bytes.begin());
  id.bytes[14] = static_cast<std::uint8_t>(index >> 8);
  id.bytes[15] = static_cast<std::uint8_t>(index & 0xff);
  return id;
}

// A permit that comes back, and the instant for which it was granted.
struct Returned {
  PermitId id;
  Instant at;
};

}  // namespace einlass::limits
