// A hash that is the same in every process, for what several of them must find alike.
#pragma once

#include <cstdint>
#include <string_view>

namespace einlass {

// FNV-1a of 64 bits, on from the hash of what stands before: the same in every process. Whoever
// chooses texts can find many that have the same; units/keyed_hash.h is for those.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = 0xcbf29ce484222325) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return before;
}

}  // namespace einlass
