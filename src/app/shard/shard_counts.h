// What a shard counts for the metrics beside what its gate counts: its turns, and what its consumer
// was told.
#pragma once

#include <cstdint>

#include "adapters/kafka/client/group_offsets.h"
#include "core/contract/event.h"
#include "core/contract/stats.h"

namespace einlass::app {

struct ShardCounts {
  core::Histogram turns;  // How long each took, from waking up until all was performed.
  // Partitions.
  std::uint64_t assigned = 0;
  std::uint64_t revoked = 0;
  std::uint64_t filled_by_flow = 0;  // Read no further, and told.
  // Commits by their result, those in a target's transactions too.
  std::uint64_t committed = 0;
  std::uint64_t failed = 0;
  std::uint64_t fenced = 0;

  // Takes note of what the gate is about to handle.
  void note(const core::Event& event);
  // Of offsets that were part of it.
  void note(kafka::TransactionEnd end);
};

}  // namespace einlass::app
