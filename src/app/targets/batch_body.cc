#include "app/targets/batch_body.h"

#include <cstdint>

namespace einlass::app {
namespace {

constexpr std::uint32_t kNoValue = ~std::uint32_t{0};

}  // namespace

std::string BatchBody::add(const StoredRecord& record) {
  switch (format_) {
    case config::BatchFormat::json:
      return add_json(record);
    case config::BatchFormat::lines:
      return add_line(record.value().value_or(std::string_view{}));
    case config::BatchFormat::length_prefixed:
      add_with_length(record.value());
      return {};
  }
  return {};
}

// What is not checked could end the list and begin another.
std::string BatchBody::add_json(const StoredRecord& record) {
  const auto value = record.value();
  if (value && !record.listable()) return "its value is not JSON, as a batch in JSON wants it";
  text_ += text_.empty() ? '[' : ',';
  text_ += value.value_or("null");
  return {};
}

// Many readers of lines end one at a CR too.
std::string BatchBody::add_line(std::string_view value) {
  if (value.find_first_of("\r\n") != value.npos)
    return "its value has a line break, as no batch of lines may";
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
