// How JSON writes a character by its number: \u00e4, and beyond 16 bits in two halves, \ud83d\ude00
// (RFC 8259, section 7).
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace einlass {

struct JsonEscape {
  std::uint32_t character = 0;
  std::size_t size = 0;  // In the text: 6, or 12 for two halves.
};

// What stands at the start of `text`; none if that is no such escape, or a half alone.
inline std::optional<JsonEscape> json_escape(std::string_view text) {
  const auto number_at = [&](std::size_t at) -> std::optional<std::uint32_t> {
    if (at + 6 > text.size() || text.substr(at, 2) != "\\u") return std::nullopt;
    std::uint32_t number = 0;
    const char* const end = text.data() + at + 6;
    if (std::from_chars(end - 4, end, number, 16).ptr != end) return std::nullopt;
    return number;
  };
  const auto is_half = [](std::uint32_t number, std::uint32_t first) {
    return number >> 10 == first >> 10;
  };
  const auto first = number_at(0);
  if (!first || is_half(*first, 0xDC00)) return std::nullopt;
  if (!is_half(*first, 0xD800)) return JsonEscape{*first, 6};
  const auto second = number_at(6);
  if (!second || !is_half(*second, 0xDC00)) return std::nullopt;
  return JsonEscape{0x10000 + ((*first & 0x3FF) << 10) + (*second & 0x3FF), 12};
}

}  // namespace einlass
