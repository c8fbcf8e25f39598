// What /metrics shows of a shard.
#pragma once

#include "adapters/metrics/snapshot.h"
#include "app/shard/shard.h"
#include "config/model/config.h"

namespace einlass::app {

// REQUIRES: called on the shard's thread, whose CPU time is part of it.
metrics::Snapshot snapshot(const Shard& shard, const config::Config& config);

}  // namespace einlass::app
