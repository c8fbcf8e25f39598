#include "text/shown.h"

#include <array>
#include <cstddef>
#include <cstdio>

#include "text/utf8.h"

namespace einlass {
namespace {

std::string escape(unsigned code) {
  switch (code) {
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

}  // namespace

std::string shown_character(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x20 || first == 0x7F) return escape(first);
  const auto second = static_cast<unsigned char>(character.size() == 2 ? character[1] : 0);
  if (first == 0xC2 && second < 0xA0) return escape(second);
  return std::string(character);
}

std::string shown(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = utf8_sequence(text);
    out += size > 0 ? shown_character(text.substr(0, size)) : "\xEF\xBF\xBD";
    text.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

std::string shown_lines(std::string_view text) {
  std::string out;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    out += shown(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return out + shown(text);
}

}  // namespace einlass
