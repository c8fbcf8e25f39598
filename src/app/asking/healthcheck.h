// What `einlass healthcheck` does: asks a running gate whether its loops turn, for a container's
// health check and for scripts, so that neither needs an HTTP client beside the gate.
#pragma once

#include "config/model/config.h"

namespace einlass::app {

// Asks /healthz of the gate that runs with this configuration on this machine, for at most 5 s.
// Returns kExitDone and prints the answer if it is well; else kExitFailed, and stderr says why.
int healthcheck(const config::Config& config);

}  // namespace einlass::app
