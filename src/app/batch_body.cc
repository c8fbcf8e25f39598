#include "app/batch_body.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstdint>

namespace einlass::app {
namespace {

constexpr std::uint32_t kNoValue = ~std::uint32_t{0};

// One value and nothing else. Without recursion, so that no depth can hurt; the reader takes a NUL
// for the end.
bool is_json(std::string_view text) {
  if (text.find('\0') != text.npos) return false;
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> nothing;
  rapidjson::MemoryStream stream(text.data(), text.size());
  constexpr unsigned kStrict =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  return static_cast<bool>(reader.Parse<kStrict>(stream, nothing));
}

}  // namespace

std::string BatchBody::add(std::optional<std::string_view> value) {
  switch (format_) {
    case config::BatchFormat::json:
      return add_json(value);
    case config::BatchFormat::lines:
      return add_line(value.value_or(std::string_view{}));
    case config::BatchFormat::length_prefixed:
      add_with_length(value);
      return {};
  }
  return {};
}

// What is not checked could end the list and begin another.
std::string BatchBody::add_json(std::optional<std::string_view> value) {
  if (value && !is_json(*value)) return "its value is not JSON, as a batch in JSON wants it";
  text_ += text_.empty() ? '[' : ',';
  text_ += value.value_or("null");
  return {};
}

std::string BatchBody::add_line(std::string_view value) {
  if (value.find('\n') != value.npos) return "its value has a line break, as no batch of lines may";
  text_ += value;
  text_ += '\n';
  return {};
}

void BatchBody::add_with_length(std::optional<std::string_view> value) {
  const std::uint32_t size = value ? static_cast<std::uint32_t>(value->size()) : kNoValue;
  for (int shift = 24; shift >= 0; shift -= 8) text_ += static_cast<char>(size >> shift & 0xff);
  text_ += value.value_or(std::string_view{});
}

std::string_view BatchBody::finish() {
  if (format_ == config::BatchFormat::json) text_ += ']';
  return text_;
}

}  // namespace einlass::app
