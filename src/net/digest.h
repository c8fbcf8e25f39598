// Digests, by OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace einlass::net {

// SHA-256 as its bytes.
std::array<unsigned char, 32> sha256(std::string_view bytes);

// Its first eight bytes as a number.
std::uint64_t sha256_front(std::string_view bytes);

// In lower-case hexadecimal. Redis calls a script by the first of them.
std::string sha1_hex(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

}  // namespace einlass::net
