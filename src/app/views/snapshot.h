// What /metrics shows of a shard.
#pragma once

#include "adapters/kafka/source/source.h"
#include "adapters/metrics/snapshot.h"
#include "app/shard/shard.h"
#include "config/model/config.h"

namespace einlass::app {

// `source`: the status of the shard's, as it is now.
// REQUIRES: called on the shard's thread, whose CPU time is part of it.
metrics::Snapshot snapshot(const Shard& shard, const kafka::SourceStatus& source,
                           const config::Config& config);

}  // namespace einlass::app
