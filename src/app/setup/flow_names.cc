#include "app/setup/flow_names.h"

#include "core/flow.h"

namespace einlass::app {

bool is_flow_pattern(std::string_view name) { return name.ends_with('*'); }

std::vector<std::string> named_flows(const config::Share& share) {
  std::vector<std::string> names;
  for (const auto& [name, weight] : share.weights) {
    if (is_flow_pattern(name) || name == kOtherFlows || names.size() == core::kNamedFlows) continue;
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> level_names(const config::Share& share) {
  return share.levels ? share.levels->names : std::vector<std::string>{"all"};
}

}  // namespace einlass::app
