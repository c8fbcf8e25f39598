// Writes a configuration back as YAML: defaults filled in, secrets as "***". What it prints for a
// file without secrets reads back to the same configuration.
#pragma once

#include <string>
#include <vector>

#include "config/model/config.h"

namespace einlass::config {

std::string print_config(const Config& config);

// One line of it.
struct WrittenOption {
  std::vector<std::string> path;  // The names on the way to it; an item of a list has its name.
  std::string shown;
  std::string value;     // With what `shown` hides.
  bool is_live = false;  // It may change while the gate runs.
};
std::vector<WrittenOption> written_options(const Config& config);

}  // namespace einlass::config
