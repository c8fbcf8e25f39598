// The strict JSON reader of traces against a library that builds a tree: what it takes, the library
// takes as the same; what it refuses is none of the JSON that it promises to read.
#include "app/replay/json_scanner.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fuzz/source.h"
#include "units/check.h"

namespace {

using einlass::app::JsonScanner;
using nlohmann::json;

constexpr int kMostNested = 20;  // Of this reader, not of the scanner.
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// An object, a text or a whole number. Of a name that is there twice the last counts, as it does
// for the library.
json read(JsonScanner& scanner, int depth) {
  const char first = scanner.peek();
  std::string text;
  if (first == '"') {
    scanner.string(text, "a text");
    return text;
  }
  if (first != '{') return scanner.integer(kLeast, kMost);
  json object = json::object();
  if (depth == kMostNested) scanner.fail(scanner.column(), "too deep");
  if (!scanner.open_object("an object")) return object;
  for (bool is_first = true; scanner.name(text, is_first); is_first = false) {
    const std::string name = text;
    object[name] = read(scanner, depth + 1);
  }
  return object;
}

// Whether it is made of what the scanner reads.
bool readable(const json& value, int depth) {
  if (value.is_object()) {
    for (const json& member : value) {
      if (depth >= kMostNested || !readable(member, depth + 1)) return false;
    }
    return depth < kMostNested;
  }
  return value.is_string() || (value.is_number_unsigned()
                                   ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMost)
                                   : value.is_number_integer());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = einlass::fuzz::text_of(data, size);
  if (text.starts_with("\xEF\xBB\xBF")) return 0;  // The library skips it.
  JsonScanner scanner(text);
  const json value = read(scanner, 0);
  scanner.end();
  const json expected = json::parse(text, nullptr, false);
  if (!scanner.failed()) {
    CHECK(!expected.is_discarded() && value == expected);
    return 0;
  }
  const auto& mistake = scanner.mistake();
  CHECK(mistake.column >= 1 && mistake.column <= text.size() + 1);
  CHECK(!mistake.text.empty() && mistake.text.size() < 200);
  // A member that another of the same name hides may be anything; and for the library a zero byte
  // is the end.
  const bool sure = !expected.is_discarded() && text.find_first_of({"{\0", 2}) == text.npos;
  if (sure) CHECK(!readable(expected, 0));
  return 0;
}
