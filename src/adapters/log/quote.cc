#include "adapters/log/quote.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "units/utf8.h"

namespace einlass::log {
namespace {

constexpr std::string_view kCut = "...";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool plain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.:/@+,").find(static_cast<char>(c)) != std::string_view::npos;
}

std::string escape(unsigned code) {
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  std::array<char, 8> out{};
  std::snprintf(out.data(), out.size(), "\\u%04x", code & 0xFFFFu);
  return out.data();
}

// One character of the input as it stands between the quotes. Terminals obey U+0080 to U+009F too.
std::string shown(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) {
    const bool control = first < 0x20 || first == 0x7F || first == '"' || first == '\\';
    return control ? escape(first) : std::string(character);
  }
  const auto second = static_cast<unsigned char>(character[1]);
  if (character.size() == 2 && first == 0xC2 && second < 0xA0) return escape(second);
  return std::string(character);
}

}  // namespace

void append_value(std::string& line, std::string_view value, std::size_t most) {
  const bool bare = !value.empty() && value.size() <= most &&
                    std::all_of(value.begin(), value.end(),
                                [](char c) { return plain(static_cast<unsigned char>(c)); });
  if (bare) {
    line += value;
    return;
  }
  line += '"';
  const std::size_t end = line.size() + most - std::min(most, kCut.size() + 2);
  while (!value.empty()) {
    const std::size_t size = utf8_sequence(value);
    const std::string next = size > 0 ? shown(value.substr(0, size)) : std::string(kReplacement);
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
