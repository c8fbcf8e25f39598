// What /v1/status and /readyz say, read off a shard.
#pragma once

#include <string>

#include "app/recent.h"
#include "app/shard.h"
#include "config/config.h"

namespace einlass::app {

// Why the gate cannot do its work now; empty if it can.
std::string why_not_ready(const Shard& shard, const config::Config& config);

// The whole state as JSON, for /v1/status.
std::string status_json(const Shard& shard, const config::Config& config, const Recent& recent);

// One route's books, added up by whoever wants them in short.
struct Books {
  std::uint64_t received = 0, delivered = 0, dead_lettered = 0, returned = 0, inside = 0;

  bool closed() const { return received == delivered + dead_lettered + returned + inside; }
};

Books books_of(const core::RouteStats& stats);
Books books_of(const Shard& shard, const config::Config& config);

}  // namespace einlass::app
