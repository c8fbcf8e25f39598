#include "app/record/same_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace einlass::app {
namespace {

constexpr std::int64_t kMostDigits = kMostPlainDigits;
// Beyond these an exponent is as good as infinite, and no sum of two overflows.
constexpr std::int64_t kMostExponent = 1'000'000'000'000;

std::int64_t exponent_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) {
    return text.starts_with('-') ? -kMostExponent : kMostExponent;
  }
  return std::clamp(exponent, -kMostExponent, kMostExponent);
}

// Takes the digits off that it begins with; false where there are none.
bool take_digits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(size);
  return size > 0;
}

bool take_one_of(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool is_number(std::string_view text) {
  take_one_of(text, "-");
  if (!take_one_of(text, "0") && !take_digits(text)) return false;
  if (take_one_of(text, ".") && !take_digits(text)) return false;
  if (take_one_of(text, "eE")) {
    take_one_of(text, "+-");
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

std::string same_number(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const std::size_t end = std::min(number.find_first_of("eE"), number.size());
  std::int64_t exponent = end < number.size() ? exponent_of(number.substr(end + 1)) : 0;
  const std::string_view mantissa = number.substr(0, end);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits(mantissa.substr(0, point));
  if (point < mantissa.size()) {
    digits += mantissa.substr(point + 1);
    exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  const std::size_t zeros = digits.size() - 1 - digits.find_last_not_of('0');
  digits.resize(digits.size() - zeros);
  exponent += static_cast<std::int64_t>(zeros);
  const auto size = static_cast<std::int64_t>(digits.size());
  if (exponent >= 0 && exponent <= kMostDigits - size) {
    digits.append(static_cast<std::size_t>(exponent), '0');
  } else {
    digits += "e" + std::to_string(exponent);
  }
  return negative ? "-" + digits : digits;
}

}  // namespace einlass::app
