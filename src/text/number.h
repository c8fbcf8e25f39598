// A number that is a text by itself.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace einlass {

// None if it is anything else, has anything beside it, or is more than the type holds.
template <class Number>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace einlass
