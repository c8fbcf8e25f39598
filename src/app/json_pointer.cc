#include "app/json_pointer.h"

#include <charconv>
#include <string>
#include <system_error>

namespace einlass::app {
namespace {

// One step of a pointer, with its escapes undone.
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

}  // namespace

// The library's own look-up throws for some pointers into arrays.
const nlohmann::json* JsonValue::find(std::string_view pointer) {
  if (!text_) return nullptr;
  if (!document_) document_ = nlohmann::json::parse(*text_, nullptr, /*allow_exceptions=*/false);
  if (document_->is_discarded()) return nullptr;
  const nlohmann::json* at = &*document_;
  while (!pointer.empty()) {
    const std::string token = next_token(pointer);
    if (at->is_object()) {
      const auto member = at->find(token);
      if (member == at->end()) return nullptr;
      at = &*member;
    } else if (at->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool odd_zero = token.size() > 1 && token.front() == '0';
      const bool whole = error == std::errc() && end == token.data() + token.size() && !odd_zero;
      if (!whole || index >= at->size()) return nullptr;
      at = &(*at)[index];
    } else {
      return nullptr;
    }
  }
  return at;
}

}  // namespace einlass::app
