#include "app/targets/batch_body.h"

#include <cstdint>

namespace einlass::app {
namespace {

constexpr std::uint32_t kNoValue = ~std::uint32_t{0};

}  // namespace

// What is not checked could end the list and begin another. Many readers of lines end one at a CR
// too.
std::string_view BatchBody::unfit(config::BatchFormat format, const StoredRecord& record) {
  const auto value = record.value();
  if (!value) return {};
  if (format == config::BatchFormat::json && !record.listable()) {
    return "its value is not JSON, as a batch in JSON wants it";
  }
  if (format == config::BatchFormat::lines &&
      (value->find('\n') != value->npos || value->find('\r') != value->npos)) {
    return "its value has a line break, as no batch of lines may";
  }
  return {};
}

std::string_view BatchBody::add(const StoredRecord& record) {
  if (const std::string_view why = unfit(format_, record); !why.empty()) return why;
  switch (format_) {
    case config::BatchFormat::json:
      add_json(record.value());
      break;
    case config::BatchFormat::lines:
      add_line(record.value().value_or(std::string_view{}));
      break;
    case config::BatchFormat::length_prefixed:
      add_with_length(record.value());
      break;
  }
  return {};
}

void BatchBody::add_json(std::optional<std::string_view> value) {
  text_ += text_.empty() ? '[' : ',';
  text_ += value.value_or("null");
}

void BatchBody::add_line(std::string_view value) {
  text_ += value;
  text_ += '\n';
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
