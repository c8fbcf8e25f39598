// Writes a configuration back as YAML: defaults filled in, secrets as "***". What it prints for a
// file without secrets reads back to the same configuration.
#pragma once

#include <string>

#include "config/config.h"

namespace einlass::config {

std::string print_config(const Config& config);

}  // namespace einlass::config
