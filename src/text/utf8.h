// Bytes from outside (topics, headers, error texts) made fit for where only valid UTF-8 may go:
// one bad byte in a metric's label takes the whole scrape down.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/ascii.h"

namespace einlass {

// What some writers put before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// How many bytes the well-formed UTF-8 sequence at the start of `text` has; 0 if there is none.
// Overlong forms, surrogates and what lies beyond U+10FFFF are not well-formed.
inline std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return follows(1) ? 2 : 0;
  if (first < 0xF0) {
    const bool narrow = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F);
    return !narrow && follows(1) && follows(2) ? 3 : 0;
  }
  if (first > 0xF4) return 0;
  const bool narrow = (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return !narrow && follows(1) && follows(2) && follows(3) ? 4 : 0;
}

// As many whole sequences from its beginning as fit. REQUIRES: well-formed.
inline std::string utf8_prefix(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  while (most_bytes > 0 && (static_cast<unsigned char>(text[most_bytes]) & 0xC0u) == 0x80u) {
    --most_bytes;
  }
  return std::string(text.substr(0, most_bytes));
}

// The text with U+FFFD instead of each byte that belongs to no well-formed sequence.
inline std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = utf8_sequence(text);
    out += size > 0 ? text.substr(0, size) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

// The same, but no two texts look the same: each such byte is `\xHH`, and so is the backslash of a
// `\x` that was there.
inline std::string escaped_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = text.starts_with("\\x") ? 0 : utf8_sequence(text);
    size > 0 ? void(out += text.substr(0, size)) : append_escaped(out, "\\x", text.front());
    text.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

}  // namespace einlass
