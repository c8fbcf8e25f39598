// `einlass replay`: a trace of asks through some of the configuration's limits, without a gate.
#pragma once

#include <string>
#include <vector>

#include "config/model/config.h"

namespace einlass::app {

struct ReplayOptions {
  std::vector<std::string> limits;  // Their names, in the order of blame.
  std::string trace;                // A file, or "-" for stdin.
  bool in_redis = false;
};

// Prints one answer a line and returns the exit code. Stops at the first wrong line of the trace,
// and at SIGINT or SIGTERM; what was asked before is answered.
int replay(const config::Config& config, const ReplayOptions& options);

}  // namespace einlass::app
