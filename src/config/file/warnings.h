// What is allowed in a configuration, and seldom meant.
#pragma once

#include <string>
#include <vector>

#include "config/model/config.h"

namespace einlass::config {

// One line for each, as "gate.yaml:14:3: warning: routes[0]: ..."; empty if there is nothing to
// say. `file` is where the configuration was read.
std::vector<std::string> warnings(const Config& config, const std::string& file);

}  // namespace einlass::config
