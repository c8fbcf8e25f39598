// The names that a route's share has in metrics and on pages, as the gate counts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/config.h"

namespace einlass::app {

// The flows that are counted by name, in the order of core::FlowMark::name: those that the
// configuration names without a pattern, at most core::kNamedFlows. All others count together,
// under `other`.
std::vector<std::string> named_flows(const config::Share& share);
inline constexpr std::string_view kOtherFlows = "other";

// The levels by name, as many as the gate knows: `all` where the share has none.
std::vector<std::string> level_names(const config::Share& share);

}  // namespace einlass::app
