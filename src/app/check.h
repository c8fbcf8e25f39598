// `einlass check`: what reading the configuration alone cannot tell.
#pragma once

#include <string>

#include "config/model/config.h"

namespace einlass::app {

// With --connect: prints a line for each of these that there is: the certificate of the admin
// pages, Kafka, each dead letter topic, Redis, the table of quotas and pauses, each target and who
// has the tokens for it, the collector of spans. Returns the exit code: 0 if all is well and all of
// them answered. Sends no record and joins no group.
int check_connections(const config::Config& config);

}  // namespace einlass::app
