// One picture of `einlass top`: what /v1/status says, as lines for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/asking/terminal.h"

namespace einlass::app {

struct TopLook {
  std::string status;  // What /v1/status answered.
  double seconds = 0;  // On a clock that never goes back.
};

// At most size.rows lines, none wider than size.columns, each ended by a line end. Rates are since
// `before`. `now_us` is the time of day, for what is said to end at an instant. Throws
// nlohmann::json::exception if the answer is no gate's.
std::string top_picture(const TopLook& now, const std::optional<TopLook>& before,
                        std::int64_t now_us, TerminalSize size, bool colours);

}  // namespace einlass::app
