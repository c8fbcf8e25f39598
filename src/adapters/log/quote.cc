#include "adapters/log/quote.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/shown.h"
#include "text/utf8.h"

namespace einlass::log {
namespace {

constexpr std::string_view kCut = "...";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool plain(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("-_.:/@+,").find(c) != std::string_view::npos;
}

// One character of the input as it stands between the quotes.
std::string quoted(std::string_view character) {
  if (character == "\"" || character == "\\") return "\\" + std::string(character);
  return shown_character(character);
}

}  // namespace

void append_value(std::string& line, std::string_view value, std::size_t most) {
  const bool bare =
      !value.empty() && value.size() <= most && std::all_of(value.begin(), value.end(), plain);
  if (bare) {
    line += value;
    return;
  }
  append_json(line, value, most);
}

void append_json(std::string& line, std::string_view value, std::size_t most) {
  line += '"';
  const std::size_t end = line.size() + most - std::min(most, kCut.size() + 2);
  while (!value.empty()) {
    const std::size_t size = utf8_sequence(value);
    const std::string next = size > 0 ? quoted(value.substr(0, size)) : std::string(kReplacement);
    if (line.size() + next.size() > end) {
      line += kCut;
      break;
    }
    line += next;
    value.remove_prefix(size > 0 ? size : 1);
  }
  line += '"';
}

}  // namespace einlass::log
