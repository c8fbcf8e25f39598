#include "app/setup/flow_names.h"

#include "config/model/patterns.h"
#include "core/contract/flow.h"

namespace einlass::app {

std::vector<std::string> named_flows(const config::Share& share) {
  std::vector<std::string> names;
  for (const auto& [name, weight] : share.weights) {
    if (config::is_pattern(name) || name == kOtherFlows || names.size() == core::kNamedFlows)
      continue;
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> level_names(const config::Share& share) {
  return share.levels ? share.levels->names : std::vector<std::string>{"all"};
}

}  // namespace einlass::app
