// What a JSON pointer finds in a record's value, against the library's own look-up, which throws
// where ours finds nothing.
#include "app/json_pointer.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "config/record_sources.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;
using nlohmann::json;

// As a configuration names it. None where that would be refused.
std::optional<std::string> pointer_of(std::string_view text) {
  config::Scalar scalar;
  scalar.text = "json:" + std::string(text);
  const auto key = config::parse_key(scalar);
  if (config::refused(key)) return std::nullopt;
  return std::get<config::KeySource>(key).name;
}

std::optional<json> library_finds(std::string_view pointer, std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  try {
    return document.at(json::json_pointer(std::string(pointer)));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

// The first line is the pointer, the rest the value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  const auto pointer = pointer_of(fuzz::take_line(text));
  if (!pointer) return 0;
  app::JsonValue value(text);
  const json* found = value.find(*pointer);
  const auto expected = library_finds(*pointer, text);
  CHECK((found != nullptr) == expected.has_value());
  CHECK(!expected || *found == *expected);
  CHECK(value.find(*pointer) == found);  // Parsed once.
  CHECK(app::JsonValue(std::nullopt).find(*pointer) == nullptr);
  return 0;
}
