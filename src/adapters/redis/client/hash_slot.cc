#include "adapters/redis/client/hash_slot.h"

#include <array>

namespace einlass::redis {
namespace {

// CRC-16/XMODEM, a byte at a time.
constexpr std::array<std::uint16_t, 256> kTable = [] {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t hash_slot(std::string_view key) {
  std::uint32_t crc = 0;
  for (const char c : hashed_part(key)) {
    crc = (crc << 8 & 0xffff) ^ kTable[(crc >> 8) ^ static_cast<std::uint8_t>(c)];
  }
  return static_cast<std::uint16_t>(crc % kSlots);
}

}  // namespace einlass::redis
