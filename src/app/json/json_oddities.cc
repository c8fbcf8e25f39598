#include "app/json/json_oddities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "text/ascii.h"

namespace einlass::app {
namespace {

constexpr std::string_view kOfNumbers = "+-.0123456789Ee";

template <class Integer>
bool fits(std::string_view digits) {
  Integer integer{};
  return std::from_chars(digits.data(), digits.data() + digits.size(), integer).ec == std::errc();
}

bool is_wide_integer(std::string_view number) {
  const bool negative = number.front() == '-';
  const std::string_view digits = number.substr(negative ? 1 : 0);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return false;
  return negative ? !fits<std::int64_t>(number) : !fits<std::uint64_t>(number);
}

constexpr std::size_t kDigitsReadAtOnce = 19;
constexpr int kFewSlowNumbers = 16;

bool is_of_mantissa(char c) { return is_digit(c) || c == '.'; }

// `mantissa`: and perhaps a sign. Whether an exponent behind it makes it slow.
bool is_slow(std::string_view mantissa) {
  const auto digits = std::count_if(mantissa.begin(), mantissa.end(), is_digit);
  return static_cast<std::size_t>(digits) > kDigitsReadAtOnce;
}

// As JSON has it, and not only C++: no zero before other digits, and some around a point.
bool is_json_mantissa(std::string_view mantissa) {
  if (mantissa.starts_with('-')) mantissa.remove_prefix(1);
  const std::size_t whole = std::min(mantissa.find('.'), mantissa.size());
  const bool odd_zero = whole > 1 && mantissa.front() == '0';
  return whole > 0 && !odd_zero && mantissa.back() != '.';
}

// The same double with few digits; as it is where that is no slow number, or none at all.
std::string in_few_digits(std::string_view number) {
  const std::string_view mantissa = number.substr(0, number.find_first_of("eE"));
  if (mantissa == number || !is_slow(mantissa) || !is_json_mantissa(mantissa)) {
    return std::string(number);
  }
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size()) {
    return std::string(number);
  }
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string few(text.data(), end);
  // It is a floating point number still.
  return few.find_first_of(".e") == few.npos ? few + "e0" : few;
}

// The first byte of a \u escape's code, where that is one; 0 else.
unsigned high_byte(std::string_view text) {
  unsigned byte = 0;
  if (!text.starts_with("\\u") || text.size() < 4) return 0;
  const auto read = std::from_chars(text.data() + 2, text.data() + 4, byte, 16);
  return read.ptr == text.data() + 4 ? byte : 0;
}

bool is_first_half(std::string_view text) { return (high_byte(text) & 0xfcu) == 0xd8; }
bool is_second_half(std::string_view text) { return (high_byte(text) & 0xfcu) == 0xdc; }

// Writes one.
class Writer {
 public:
  Writer(std::string_view text, std::string& out) : rest_(text), out_(out) {}

  JsonOddities write() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (in_text_) {
        write_of_text(c);
      } else if (is_digit(c) || c == '-') {
        write_number();
      } else {
        in_text_ = c == '"';
        odd_.opened += c == '[' || c == '{' ? 1 : 0;
        copy(1);
      }
    }
    return odd_;
  }

 private:
  void copy(std::size_t size) {
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(std::min(size, rest_.size()));
  }

  void write_number() {
    const std::string_view number = rest_.substr(0, rest_.find_first_not_of(kOfNumbers));
    const bool wide = is_wide_integer(number);
    out_ += in_few_digits(number);
    rest_.remove_prefix(number.size());
    if (!wide) return;
    out_ += "e0";
    odd_.wide_integers = true;
  }

  void write_of_text(char c) {
    if (c == '"') in_text_ = false;
    if (c != '\\') return copy(1);
    if (is_first_half(rest_) && is_second_half(rest_.substr(std::min(rest_.size(), kEscape)))) {
      return copy(2 * kEscape);
    }
    if (!is_second_half(rest_)) return copy(2);
    odd_.half_pairs = true;
    out_ += "\\u00";
    rest_.remove_prefix(4);  // Whether two more digits follow is for the parser to say.
  }

  static constexpr std::size_t kEscape = 6;

  std::string_view rest_;
  std::string& out_;
  bool in_text_ = false;
  JsonOddities odd_;
};

}  // namespace

bool has_many_slow_numbers(std::string_view text) {
  int slow = 0;
  std::size_t at = kDigitsReadAtOnce;
  while (at < text.size() && slow <= kFewSlowNumbers) {
    if (is_of_mantissa(text[at])) {
      std::size_t begin = at, end = at;
      while (begin > 0 && is_of_mantissa(text[begin - 1])) --begin;
      while (end < text.size() && is_of_mantissa(text[end])) ++end;
      const bool has_exponent = end < text.size() && (text[end] == 'e' || text[end] == 'E');
      slow += has_exponent && is_slow(text.substr(begin, end - begin));
      at = end;
    }
    at += kDigitsReadAtOnce + 1;
  }
  return slow > kFewSlowNumbers;
}

JsonOddities write_without_oddities(std::string_view text, std::string& out) {
  out.clear();
  return Writer(text, out).write();
}

}  // namespace einlass::app
