#include "config/text/plain_text.h"

#include <cstdint>
#include <cstdio>

#include "text/utf8.h"

namespace einlass::config {
namespace {

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0) == 0x80;
}

bool is_control(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
}

std::string as_number(char c) {
  char number[8];
  std::snprintf(number, sizeof number, "0x%02x", static_cast<std::uint8_t>(c));
  return number;
}

}  // namespace

std::optional<SyntaxMistake> find_bad_character(std::string_view text) {
  Position position{1, 1};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence(text.substr(at));
    if (length == 0) {
      return SyntaxMistake{position, "byte " + as_number(text[at]) + " is not UTF-8"};
    }
    if (is_control(text[at])) {
      return SyntaxMistake{position,
                           "control character " + as_number(text[at]) + "; YAML does not allow it"};
    }
    position.column += static_cast<int>(length);
    if (text[at] == '\n') position = {position.line + 1, 1};
    at += length;
  }
  return std::nullopt;
}

bool is_unclosed_quote(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return false;
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text[at] == quote) {
      const bool doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
      if (!doubled) return false;
      ++at;
    }
  }
  return true;
}

std::string clipped(std::string_view text, std::size_t most) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (result.size() >= most && !is_continuation(text, at)) return result + "...";
    result += is_control(text[at]) || text[at] == '\n' || text[at] == '\r' ? ' ' : text[at];
  }
  return result;
}

}  // namespace einlass::config
