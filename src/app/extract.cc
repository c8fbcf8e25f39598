#include "app/extract.h"

#include <strings.h>

#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>

namespace einlass::app {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// One step of a JSON pointer (RFC 6901), with its escapes undone.
std::string next_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::string_view raw = pointer.substr(0, pointer.find('/'));
  pointer.remove_prefix(raw.size());
  std::string token;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool escape = raw[i] == '~' && i + 1 < raw.size();
    token += escape ? (raw[++i] == '0' ? '~' : '/') : raw[i];
  }
  return token;
}

// What the pointer leads to; null if it leads nowhere. (The library's own look-up throws for some
// pointers into arrays.)
const nlohmann::json* find(const nlohmann::json& document, std::string_view pointer) {
  const nlohmann::json* at = &document;
  while (!pointer.empty()) {
    const std::string token = next_token(pointer);
    if (at->is_object()) {
      const auto member = at->find(token);
      if (member == at->end()) return nullptr;
      at = &*member;
    } else if (at->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool whole = error == std::errc() && end == token.data() + token.size();
      if (!whole || index >= at->size()) return nullptr;
      at = &(*at)[index];
    } else {
      return nullptr;
    }
  }
  return at;
}

// A text, a number or a truth as text; nothing else is a key.
std::string_view json_key(const std::string& pointer, std::string_view value,
                          std::string& scratch) {
  const auto document = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return {};
  const nlohmann::json* found = find(document, pointer);
  if (found == nullptr || found->is_structured() || found->is_null()) return {};
  scratch = found->is_string() ? found->get<std::string>() : found->dump();
  return scratch;
}

}  // namespace

std::optional<std::string_view> header_value(const kafka::Message& message, std::string_view name) {
  for (const kafka::Header& header : message.headers) {
    if (same_name(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::string_view bucket_key(const config::KeySource& source, const kafka::Message& message,
                            std::string& scratch) {
  using Kind = config::KeySource::Kind;
  switch (source.kind) {
    case Kind::none:
      return {};
    case Kind::record_key:
      return message.key.value_or(std::string_view{});
    case Kind::topic:
      return message.topic;
    case Kind::partition:
      scratch.assign(message.topic).append("-").append(std::to_string(message.number.value));
      return scratch;
    case Kind::header:
      return header_value(message, source.name).value_or(std::string_view{});
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
