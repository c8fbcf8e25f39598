// What /v1/status, /readyz and the books at the end say, read off the views of the shards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/service/shards.h"
#include "config/config.h"

namespace einlass::app {

// Why the gate cannot do its work now; empty if it can.
std::string why_not_ready(const Views& views, const config::Config& config);

// The sum of all shards for /metrics.
metrics::Snapshot sum_of(const Views& views);

// The whole state as JSON, for /v1/status. `silent` says of each shard why it does not answer, as
// far as that is known; empty where it does.
std::string status_json(const Views& views, const config::Config& config,
                        const std::vector<std::string>& silent, const ReloadState& reload,
                        const Recent& recent);

// One route's books, added up by whoever wants them in short.
struct Books {
  std::uint64_t received = 0, delivered = 0, dead_lettered = 0, returned = 0, inside = 0;

  bool closed() const { return received == delivered + dead_lettered + returned + inside; }
};

Books books_of(const core::RouteStats& stats);
Books books_of(const Shard& shard, const config::Config& config);
Books books_of(const metrics::Snapshot& snapshot);

}  // namespace einlass::app
