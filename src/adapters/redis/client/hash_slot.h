// Where a key lives in a Redis Cluster.
#pragma once

#include <cstdint>
#include <string_view>

namespace einlass::redis {

inline constexpr std::uint16_t kSlots = 16'384;

// The slot of a key: of what stands between its first '{' and the first '}' after that, its hash
// tag, or of the whole key where there is nothing between them. Below kSlots.
std::uint16_t hash_slot(std::string_view key);

}  // namespace einlass::redis
