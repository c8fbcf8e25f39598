// `einlass quota`, `pause` and `resume`: asks the running gate to write into the fleet's table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/model/config.h"

namespace einlass::app {

struct QuotaOptions {
  std::string limit, key;           // `share:SHARE` instead of a limit: the key is a flow.
  std::vector<std::string> values;  // NAME=VALUE.
  std::string length, note;         // --for, --note; empty: none.
  bool json = false;
};

// Each prints what holds after it, or why nothing was changed, and returns the exit code.
int get_quota(const config::Config& config, const QuotaOptions& options);
int set_quota(const config::Config& config, const QuotaOptions& options);
int unset_quota(const config::Config& config, const QuotaOptions& options);
int list_quotas(const config::Config& config, const QuotaOptions& options);

// One of them, or a limit with a key.
struct PauseOptions {
  std::string route, target, topic, limit;
  std::optional<std::string> key;
  std::string length, note;
  bool list = false;
};
int pause(const config::Config& config, const PauseOptions& options);
int resume(const config::Config& config, const PauseOptions& options);

}  // namespace einlass::app
