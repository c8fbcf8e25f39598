// `einlass check`: what reading the configuration alone cannot tell.
#pragma once

#include <string>

#include "config/model/config.h"

namespace einlass::app {

// With --connect: prints a line for the certificate of the admin pages, for Kafka, for each dead
// letter topic, for Redis and for each target, and returns the exit code: 0 if all is well and all
// of them answered. Sends no record and joins no group.
int check_connections(const config::Config& config);

}  // namespace einlass::app
