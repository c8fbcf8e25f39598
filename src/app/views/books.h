// Where the records are that were received.
#pragma once

#include <cstdint>

#include "adapters/metrics/snapshot.h"
#include "app/shard/shard.h"
#include "config/model/config.h"
#include "core/contract/stats.h"

namespace einlass::app {

// One route's books, added up by whoever wants them in short.
struct Books {
  std::uint64_t received = 0, delivered = 0, dead_lettered = 0, returned = 0, filtered = 0,
                inside = 0;

  bool closed() const {
    return received == delivered + dead_lettered + returned + filtered + inside;
  }
};

Books books_of(const core::RouteStats& stats);
Books books_of(const Shard& shard, const config::Config& config);
Books books_of(const metrics::Snapshot& snapshot);

}  // namespace einlass::app
