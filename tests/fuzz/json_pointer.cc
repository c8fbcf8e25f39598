// What a JSON pointer finds in a record's value, against another library's parser and its own
// look-up, which throws where ours finds nothing; and whether the value may stand in a list.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "app/json/json_reader.h"
#include "config/tables/record_sources.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;
using nlohmann::json;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// As a configuration names it. None where that would be refused.
std::optional<std::string> pointer_of(std::string_view text) {
  config::Scalar scalar;
  scalar.text = "json:" + std::string(text);
  const auto key = config::parse_key(scalar);
  if (config::refused(key)) return std::nullopt;
  return std::get<config::KeySource>(key).name;
}

// As a key is written. None if it is no key.
std::optional<std::string> library_finds(const std::string& pointer, const json& document) {
  try {
    const json& found = document.at(json::json_pointer(pointer));
    if (found.is_structured() || found.is_null()) return std::nullopt;
    return found.is_string() ? found.get<std::string>() : found.dump();
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void check_found(app::JsonReader& reader, const std::string& pointer, const json& document) {
  const app::JsonScalar found = reader.find(app::JsonPointer(pointer));
  const auto expected = library_finds(pointer, document);
  CHECK((found.kind != app::JsonScalar::Kind::none) == expected.has_value());
  CHECK(!expected || found.text == *expected);
}

}  // namespace

// The first line is the pointer, the rest the value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static app::JsonReader reader;  // What one value leaves behind is nothing to the next.
  std::string_view text = fuzz::text_of(data, size);
  const auto pointer = pointer_of(fuzz::take_line(text));
  if (!pointer) return 0;
  std::string padded(text);
  padded.append(app::JsonReader::kPadding, size % 2 == 0 ? '\0' : ']');
  const app::JsonForm form = reader.read(std::string_view(padded).substr(0, text.size()));
  const json document = json::parse(text, nullptr, false);
  CHECK(form.readable == !document.is_discarded());
  // The library takes a mark before, and a NUL for the end.
  const bool plain = !text.starts_with(kByteOrderMark) && text.find('\0') == text.npos;
  if (form.readable) CHECK(form.listable == plain);
  if (form.listable) CHECK(plain);
  if (form.readable) check_found(reader, *pointer, document);
  reader.forget();
  return 0;
}
