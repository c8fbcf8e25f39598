#include "app/extract.h"

#include <strings.h>

#include <functional>
#include <nlohmann/json.hpp>

namespace einlass::app {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view json_key(const std::string& pointer, std::string_view value,
                          std::string& scratch) {
  const auto document = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
  const nlohmann::json::json_pointer at(pointer);
  if (document.is_discarded() || !document.contains(at)) return {};
  const nlohmann::json& found = document[at];
  // Bytes that are not UTF-8 are no JSON, but a lenient parser must not make dump() throw.
  scratch = found.is_string()
                ? found.get<std::string>()
                : found.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return scratch;
}

}  // namespace

std::optional<std::string_view> header_value(const kafka::Message& message,
                                             std::string_view name) {
  for (const kafka::Header& header : message.headers) {
    if (same_name(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::string_view bucket_key(const config::KeySource& source, const kafka::Message& message,
                            std::string& scratch) {
  using Kind = config::KeySource::Kind;
  switch (source.kind) {
    case Kind::none: return {};
    case Kind::record_key: return message.key.value_or(std::string_view{});
    case Kind::topic: return message.topic;
    case Kind::partition:
      scratch.assign(message.topic).append("-").append(std::to_string(message.number.value));
      return scratch;
    case Kind::header: return header_value(message, source.name).value_or(std::string_view{});
    case Kind::json:
      return message.value ? json_key(source.name, *message.value, scratch) : std::string_view{};
  }
  return {};
}

std::optional<core::LaneKey> lane_key(const kafka::Message& message) {
  if (!message.key) return std::nullopt;
  return core::LaneKey{std::hash<std::string_view>{}(*message.key)};
}

}  // namespace einlass::app
