// The parts of /v1/status and of an event of /v1/events that say who waits for which limit.
#pragma once

#include <cstddef>

#include "app/permits/limit_values.h"
#include "app/status/status_json.h"

namespace einlass::app {

// Each limit: what it allows now, and by its schedule how long; what this gate has used of it, and
// how many records and keys wait.
Json limits_json(const metrics::Snapshot& sum, const config::Config& config,
                 const LimitValues& values);

Json lines_json(const Views& views, const config::Config& config);  // The longest, of all shards.
std::size_t lines_of(const Views& views);                           // How many there are.

}  // namespace einlass::app
