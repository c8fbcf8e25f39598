// What a limit's schedule says of now, as the pages show it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "app/permits/limit_values.h"

namespace einlass::app {

// The span, null between two; and until when, null where it is for ever. Null if there is none.
inline nlohmann::ordered_json schedule_json(const std::optional<LimitValues::Scheduled>& now) {
  if (!now) return nullptr;
  nlohmann::ordered_json json{{"span", nullptr}, {"until", nullptr}};
  if (!now->span.empty()) json["span"] = now->span;
  if (now->until != kNever) json["until"] = now->until.us;
  return json;
}

}  // namespace einlass::app
