#include "adapters/http/target/secret_mask.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "text/ascii.h"
#include "text/json_escape.h"
#include "text/number.h"

namespace einlass::http {
namespace {

// How a server wrote one character: what it stands for, and how much of the text it takes.
struct Written {
  std::string character;
  std::size_t size = 0;
};

std::string utf8(std::uint32_t code) {
  const auto tail = [code](unsigned shift) {
    return static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18 & 7)), tail(12), tail(6), tail(0)};
}

std::optional<Written> in_json(std::string_view text) {
  if (const auto escape = json_escape(text)) return Written{utf8(escape->character), escape->size};
  if (text.size() < 2 || std::string_view("\"\\/'").find(text[1]) == text.npos) return {};
  return Written{std::string(1, text[1]), 2};
}

std::optional<Written> in_html(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kNames[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  constexpr std::size_t kLongest = 10;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (end == text.npos) return {};
  std::string_view name = text.substr(1, end - 1);
  for (const auto& [known, character] : kNames) {
    if (name == known) return Written{std::string(1, character), end + 1};
  }
  if (!name.starts_with('#')) return {};
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  const auto code = whole_number<std::uint32_t>(name.substr(hex ? 1 : 0), hex ? 16 : 10);
  if (!code) return {};
  return Written{utf8(*code), end + 1};
}

// What stands at the start of the text, if that is no plain character.
std::optional<Written> escape_in(std::string_view text) {
  switch (text.front()) {
    case '\\':
      return in_json(text);
    case '&':
      return in_html(text);
    case '%':
      if (const auto byte = percent_byte(text)) return Written{std::string(1, *byte), 3};
      return {};
    case '+':  // A blank in a query, and a query's + is read as one.
      return Written{" ", 1};
    case ' ':
      return Written{"+", 1};
    default:
      return {};
  }
}

// For a whole text. Whoever gives us a long secret, as a token server does, can give one that the
// answer of a target begins with everywhere, and in very many ways.
constexpr std::size_t kMostSteps = 1 << 16;

// How much of the text the secret takes that it begins with; 0 if it does not. A \ may be itself or
// begin an escape, so all ways to read it are gone side by side, those that are behind first.
std::size_t length_of(std::string_view secret, std::string_view text, std::size_t& steps) {
  std::set<std::pair<std::size_t, std::size_t>> ways = {{0, 0}};  // Through the secret, the text.
  std::size_t longest = 0;
  while (!ways.empty() && steps > 0) {
    --steps;
    const auto [known, read] = ways.extract(ways.begin()).value();
    if (known == secret.size()) longest = std::max(longest, read);
    if (known == secret.size() || read == text.size()) continue;
    if (text[read] == secret[known]) ways.emplace(known + 1, read + 1);
    const auto written = escape_in(text.substr(read));
    if (written && secret.substr(known).starts_with(written->character)) {
      ways.emplace(known + written->character.size(), read + written->size);
    }
  }
  return longest;
}

bool may_begin(std::string_view secret, char c) {
  return c == secret.front() || std::string_view("\\&%+ ").find(c) != std::string_view::npos;
}

}  // namespace

SecretMask::SecretMask(std::vector<std::string> secrets) : secrets_{std::move(secrets)} {
  std::erase_if(secrets_, [](const std::string& one) { return one.size() < kShortest; });
}

std::string SecretMask::hidden(std::string_view text, std::size_t most) const {
  std::string out;
  std::size_t steps = kMostSteps;
  while (!text.empty() && out.size() < most) {
    std::size_t longest = 0;
    for (const std::string& secret : secrets_) {
      if (!may_begin(secret, text.front())) continue;
      longest = std::max(longest, length_of(secret, text, steps));
    }
    if (steps == 0) return out + "***";  // What was not looked through is not shown.
    out += longest > 0 ? std::string_view("***") : text.substr(0, 1);
    text.remove_prefix(std::max<std::size_t>(1, longest));
  }
  return out;
}

}  // namespace einlass::http
