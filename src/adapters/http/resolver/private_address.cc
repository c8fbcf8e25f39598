#include "adapters/http/resolver/private_address.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace einlass::http {
namespace {

namespace ip = boost::asio::ip;

struct Range4 {
  std::uint32_t first;
  int bits;
};

constexpr Range4 kPrivate4[] = {
    {0x00000000, 8},   // This network.
    {0x0A000000, 8},   // Private.
    {0x64400000, 10},  // Shared by customers of one provider.
    {0x7F000000, 8},   // Loopback.
    {0xA83F8110, 32},  // The host of Azure's machines.
    {0xA9FE0000, 16},  // Link-local; the metadata of clouds.
    {0xAC100000, 12},  // Private.
    {0xC0000000, 24},  // Protocol assignments.
    {0xC0000200, 24},  // Documentation.
    {0xC0A80000, 16},  // Private.
    {0xC6120000, 15},  // Benchmarks.
    {0xC6336400, 24},  // Documentation.
    {0xCB007100, 24},  // Documentation.
    {0xE0000000, 4},   // Multicast.
    {0xF0000000, 4},   // Reserved, and broadcast.
};

bool is_private4(std::uint32_t address) {
  return std::any_of(std::begin(kPrivate4), std::end(kPrivate4), [&](const Range4& range) {
    return (address ^ range.first) >> (32 - range.bits) == 0;
  });
}

using Bytes6 = ip::address_v6::bytes_type;

std::uint32_t four_at(const Bytes6& bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

bool zeros(const Bytes6& bytes, std::size_t from, std::size_t to) {
  return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                     bytes.begin() + static_cast<std::ptrdiff_t>(to),
                     [](std::uint8_t byte) { return byte == 0; });
}

bool is_private6(const Bytes6& bytes) {
  const bool mapped = zeros(bytes, 0, 10) && bytes[10] == 0xFF && bytes[11] == 0xFF;
  if (mapped || zeros(bytes, 0, 12)) return is_private4(four_at(bytes, 12));  // Also :: and ::1.
  const bool nat64 = four_at(bytes, 0) == 0x0064FF9B && zeros(bytes, 4, 12);
  if (nat64) return is_private4(four_at(bytes, 12));
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_private4(four_at(bytes, 2));  // 6to4.
  if (four_at(bytes, 0) == 0x20010DB8) return true;  // Documentation.
  // Only 2000::/3 is given out to be reached (64:ff9b:1::/48 is a network's own NAT64); Teredo
  // (2001::/32) hides an address of IPv4.
  return (bytes[0] & 0xE0) != 0x20 || four_at(bytes, 0) == 0x20010000;
}

}  // namespace

bool is_private(const ip::address& address) {
  return address.is_v4() ? is_private4(address.to_v4().to_uint())
                         : is_private6(address.to_v6().to_bytes());
}

}  // namespace einlass::http
