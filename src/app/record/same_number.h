// One text for all ways to write a number in JSON, so that 1, 1.0 and 1e0 are one key.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace einlass::app {

inline constexpr std::size_t kMostPlainDigits = 20;  // As many as 64 bits have.

// Whether JSON would read the text as a number.
bool is_number(std::string_view text);

// Whole numbers of so many digits as digits; others as digits and an exponent, without zeros at
// either end. Exact. REQUIRES: a number as JSON writes it.
std::string same_number(std::string_view number);

}  // namespace einlass::app
