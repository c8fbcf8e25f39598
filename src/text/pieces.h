// A text that is taken off from its front, piece by piece.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "text/ascii.h"

namespace einlass {

// Once something is missing everything else is too, so that it is enough to ask at the end.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool done() const { return good_ && rest_.empty(); }
  bool next_is(std::string_view any_of) const {
    return good_ && !rest_.empty() && any_of.find(rest_.front()) != std::string_view::npos;
  }

  char letter(std::string_view any_of) {
    if (!(good_ = next_is(any_of))) return '\0';
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    return letter;
  }

  // The digits that stand there: so many, or any number of them.
  std::string_view digits(std::size_t wanted = 0) {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count]) && (wanted == 0 || count < wanted)) {
      ++count;
    }
    good_ = good_ && count > 0 && (wanted == 0 || count == wanted);
    if (!good_) return "";
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }

  std::int64_t number(std::size_t wanted = 0) {
    const std::string_view text = digits(wanted);
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    good_ = good_ && read.ec == std::errc();
    return good_ ? value : 0;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace einlass
