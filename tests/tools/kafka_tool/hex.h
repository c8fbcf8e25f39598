// Bytes as hexadecimal text, since keys, values and headers may hold anything.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace einlass::tools {

inline std::string to_hex(const void* data, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve(2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

inline std::string from_hex(std::string_view text) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw std::runtime_error("not hexadecimal");
  };
  if (text.size() % 2 != 0) throw std::runtime_error("not hexadecimal");
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return bytes;
}

}  // namespace einlass::tools
