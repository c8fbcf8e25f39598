// One event of /v1/events: as /v1/status, but only so much of tenants and partitions as fits on a
// page, and with what is counted over time.
#pragma once

#include <string>
#include <vector>

#include "app/pages/status.h"
#include "app/permits/limit_values.h"
#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/service/shards.h"
#include "config/config.h"

namespace einlass::app {

// On one line. `started` is when this process began to count.
std::string live_json(const Views& views, const config::Config& config, const LimitValues& values,
                      const std::vector<std::string>& silent, const ReloadState& reload,
                      const Recent& recent, const Steering& steering, Instant started, Instant now);

}  // namespace einlass::app
