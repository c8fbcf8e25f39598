// One picture of `einlass top`: what /v1/status says, as lines for a terminal.
#pragma once

#include <optional>
#include <string>

#include "app/asking/terminal.h"

namespace einlass::app {

// At most size.rows lines, none wider than size.columns, each ended by a line end. Both are what
// /v1/status answered; rates are since `before`. Throws nlohmann::json::exception if the answer is
// no gate's.
std::string top_picture(const std::string& now, const std::optional<std::string>& before,
                        TerminalSize size, bool colours);

}  // namespace einlass::app
