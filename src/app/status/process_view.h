// What the pages show of the process, beside the views of its shards.
#pragma once

#include <string>
#include <vector>

#include "adapters/metrics/snapshot.h"
#include "app/permits/limit_values.h"
#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/status/troubles.h"
#include "app/steering/steering.h"
#include "units/time.h"

namespace einlass::app {

// REQUIRES: outlived by what it refers to.
struct ProcessView {
  metrics::Snapshot sum;  // Of its shards.
  const LimitValues& values;
  std::vector<std::string> silent;  // Of each shard why it does not answer, as far as known.
  std::vector<ShownTrouble> troubles;
  const ReloadState& reload;
  const Recent& recent;
  const Steering& steering;
  bool drains = false;
  Instant started;  // When this process began to count.
  Instant now;
};

}  // namespace einlass::app
