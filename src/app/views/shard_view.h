// One shard as the admin pages show it: plain values of one instant, taken on the shard's own
// thread and handed to the thread that makes the pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/kafka/producing/dead_letters.h"
#include "adapters/kafka/source/source.h"
#include "adapters/metrics/snapshot.h"
#include "adapters/redis/client/store_options.h"
#include "app/shard/shard.h"
#include "app/views/waits_view.h"
#include "config/model/config.h"

namespace einlass::app {

struct ShardView {
  struct TargetView {
    TargetStatus status;
    Instant held_until;
    core::BreakerState breaker = core::BreakerState::closed;
    Instant breaker_until;  // While it is open.
  };

  int shard = 0;
  Instant now;
  metrics::Snapshot metrics;
  kafka::SourceStatus source;
  std::vector<std::uint64_t> finished_ahead;  // Of the source's partitions, in their order.
  kafka::DeadLettersStatus dead_letters;
  std::vector<TargetView> targets;          // By TargetId.
  std::optional<redis::StoreStatus> redis;  // None where no limit is kept there.
  std::vector<Trouble> troubles;
  std::size_t lines = 0;
  WaitsView waits;
};

// REQUIRES: called on the shard's thread, or when that has ended.
ShardView view_of(const Shard& shard);

}  // namespace einlass::app
