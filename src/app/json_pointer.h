// What a JSON pointer (RFC 6901) finds in a record's value, which is parsed at most once.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace einlass::app {

class JsonValue {
 public:
  // `text` must outlive it; none for a record without a value.
  explicit JsonValue(std::optional<std::string_view> text) : text_(text) {}

  // Null if the pointer leads nowhere or the text is no JSON. REQUIRES: `pointer` is one.
  const nlohmann::json* find(std::string_view pointer);

 private:
  std::optional<std::string_view> text_;
  std::optional<nlohmann::json> document_;
};

}  // namespace einlass::app
