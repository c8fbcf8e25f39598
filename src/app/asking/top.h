// `einlass top`: what the running gate does, live in a terminal.
#pragma once

#include "config/model/config.h"

namespace einlass::app {

struct TopOptions {
  bool once = false;  // One picture, and away; also where stdout is no terminal.
};

// Shows a picture each second until SIGINT or SIGTERM, and goes on through a restart of the gate.
// Returns the exit code.
int top(const config::Config& config, const TopOptions& options);

}  // namespace einlass::app
