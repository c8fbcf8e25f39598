// Digests, by OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace einlass::net {

// SHA-256 as its bytes.
std::array<unsigned char, 32> sha256(std::string_view bytes);

// HMAC-SHA-256 (RFC 2104) as its bytes.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

// The first eight bytes of SHA-256 as a number.
std::uint64_t sha256_front(std::string_view bytes);

// In lower-case hexadecimal. Redis calls a script by the first of them.
std::string sha1_hex(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

}  // namespace einlass::net
