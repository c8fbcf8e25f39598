#include "text/ascii.h"

#include <algorithm>
#include <charconv>

namespace einlass {
namespace {

char digit(unsigned char half, char ten) {
  return static_cast<char>(half < 10 ? '0' + half : ten + half - 10);
}

bool in(std::string_view marks, char c) { return marks.find(c) != marks.npos; }

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || in("!#$%&'*+-.^_`|~", c);
  });
}

void append_hex(std::string& to, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    to += {digit(byte >> 4, 'a'), digit(byte & 15, 'a')};
  }
}

void append_escaped(std::string& to, std::string_view mark, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += mark;
  to += {digit(byte >> 4, 'A'), digit(byte & 15, 'A')};
}

void append_percent_encoded(std::string& to, std::string_view text, std::string_view also) {
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || in("-._~", c) || in(also, c)) {
      to += c;
    } else {
      append_escaped(to, "%", c);
    }
  }
}

std::optional<char> percent_byte(std::string_view text) {
  unsigned char byte = 0;
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  if (std::from_chars(&text[1], &text[1] + 2, byte, 16).ptr != &text[1] + 2) return std::nullopt;
  return static_cast<char>(byte);
}

std::string host_and_port(std::string_view host, std::uint16_t port) {
  const bool bare = host.find(':') != host.npos && !host.starts_with('[');
  std::string text(host);
  if (bare) text = "[" + text + "]";
  return text + ":" + std::to_string(port);
}

std::string_view without_brackets(std::string_view host) {
  const bool has = host.starts_with('[') && host.ends_with(']');
  return has ? host.substr(1, host.size() - 2) : host;
}

}  // namespace einlass
