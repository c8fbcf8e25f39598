#include "app/views/shard_view.h"

#include "app/views/snapshot.h"

namespace einlass::app {

ShardView view_of(const Shard& shard) {
  ShardView view;
  view.shard = shard.number().value;
  view.now = shard.now();
  view.source = shard.source().status();
  for (kafka::SourceStatus::Partition& partition : view.source.partitions) {
    partition.revoking = is_leaving(shard.gate(), partition);
  }
  view.metrics = snapshot(shard, view.source, shard.config());
  for (const kafka::SourceStatus::Partition& partition : view.source.partitions) {
    const core::Partition* known = shard.gate().partition(partition.partition);
    view.finished_ahead.push_back(known ? known->ledger.finished_ahead() : 0);
  }
  if (shard.dead_letters() != nullptr) view.dead_letters = shard.dead_letters()->status();
  for (std::uint16_t i = 0; i < shard.config().targets.size(); ++i) {
    const core::Breaker& breaker = shard.gate().breaker(core::TargetId{i});
    view.targets.push_back({shard.target_status(i), shard.gate().held_until(core::TargetId{i}),
                            breaker.state(view.now), breaker.open_until()});
  }
  if (const redis::Store* store = shard.limiters().redis()) view.redis = store->status();
  view.troubles = shard.troubles();
  view.lines = shard.limiters().lines();
  view.waits = waits_of(shard, view.source);
  return view;
}

}  // namespace einlass::app
