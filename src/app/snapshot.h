// What /metrics shows of a shard.
#pragma once

#include "adapters/metrics/snapshot.h"
#include "app/shard.h"
#include "config/config.h"

namespace einlass::app {

metrics::Snapshot snapshot(const Shard& shard, const config::Config& config);

}  // namespace einlass::app
