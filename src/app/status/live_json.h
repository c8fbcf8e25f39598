// One event of /v1/events: as /v1/status, but only so much of tenants and partitions as fits on a
// page, and with what is counted over time.
#pragma once

#include <string>

#include "app/status/status.h"

namespace einlass::app {

// On one line.
std::string live_json(const Views& views, const config::Config& config, const ProcessView& process);

}  // namespace einlass::app
