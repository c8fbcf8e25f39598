// Whatever bytes come into a log line or onto a page from outside: the line stays one line, within
// its bound, valid UTF-8, and a reader of key=value gets the text back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/log/quote.h"
#include "fuzz/source.h"
#include "text/utf8.h"
#include "units/check.h"

namespace {

using namespace einlass;

constexpr std::size_t kLeastRoom = 8;

// The code points of well-formed UTF-8 by the table of RFC 3629, or 0 with how many bytes to skip.
bool well_formed(std::string_view text) {
  std::size_t i = 0;
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  while (i < text.size()) {
    const unsigned first = byte(i);
    const std::size_t more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (first >= 0x80 && (first < 0xC0 || first > 0xF7)) return false;
    std::uint32_t code = more == 0 ? first : first & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xC0u) != 0x80u) return false;
      code = code << 6 | (byte(i + k) & 0x3Fu);
    }
    static constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (code < kLeast[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    i += 1 + more;
  }
  return true;
}

// What a reader of the log makes of a value.
std::string read_back(std::string_view shown) {
  if (!shown.starts_with('"')) return std::string(shown);
  CHECK(shown.size() >= 2 && shown.ends_with('"'));
  shown = shown.substr(1, shown.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    CHECK(shown[i] != '"');
    if (shown[i] != '\\') {
      text += shown[i];
      continue;
    }
    const char mark = shown.at(++i);
    if (mark == 'u') {
      const auto code = std::strtoul(std::string(shown.substr(i + 1, 4)).c_str(), nullptr, 16);
      CHECK(code < 0xA0);
      if (code >= 0x80) text += '\xC2';
      text += static_cast<char>(code);
      i += 4;
    } else {
      text += mark == 'n' ? '\n' : mark == 'r' ? '\r' : mark == 't' ? '\t' : mark;
    }
  }
  return text;
}

void check_shown(std::string_view text, std::size_t most) {
  const std::string before = "key=";
  std::string line = before;
  log::append_value(line, text, most);
  const std::string_view shown = std::string_view(line).substr(before.size());
  CHECK(shown.size() <= most && well_formed(shown));
  CHECK(std::none_of(shown.begin(), shown.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
  std::string back = read_back(shown);
  const std::string whole = valid_utf8(text);
  if (back == whole) return;
  CHECK(back.ends_with("...") && shown.size() + 12 > most);
  back.resize(back.size() - 3);
  CHECK(whole.starts_with(back));
}

}  // namespace

// The first byte says how much room there is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Source source(data, size);
  const std::size_t most = kLeastRoom + source.byte();
  const std::string_view text = source.rest();
  const std::string valid = valid_utf8(text);
  CHECK(well_formed(valid) && valid_utf8(valid) == valid);
  CHECK(well_formed(text) == (valid == text));
  check_shown(text, most);
  return 0;
}
