// `einlass check --connect`: tries everything that the configuration names.
#pragma once

#include "config/config.h"

namespace einlass::app {

// Prints a line for Kafka, for Redis and for each target, and returns the exit code: 0 if all of
// them answered. Sends no record and joins no group.
int check_connections(const config::Config& config);

}  // namespace einlass::app
