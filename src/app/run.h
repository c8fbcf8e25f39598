// `einlass run`: the gate until SIGTERM or SIGINT.
#pragma once

#include "config/config.h"

namespace einlass::app {

// Runs until a signal comes and everything is drained. Returns the process's exit code: 0 drained,
// 1 failed, 78 what librdkafka or OpenSSL do not take (the
// reason is on stderr). A second signal leaves at once.
int run(const config::Config& config);

}  // namespace einlass::app
