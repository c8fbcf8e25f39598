#include "app/snapshot.h"

#include <string>
#include <utility>

#include "adapters/kafka/mock_broker.h"
#include "app/stand_in.h"
#include "app/wiring.h"
#include "units/topic_pattern.h"

namespace einlass::app {
namespace {

// With series of their own, of one shard: whatever patterns bring, the page stays one that can be
// read. /v1/status has them all.
constexpr std::size_t kMostPartitions = 10'000;

core::RouteId route_id(std::size_t i) { return core::RouteId{static_cast<std::uint16_t>(i)}; }

std::string policy_name(config::OnOutage policy) {
  switch (policy) {
    case config::OnOutage::hold:
      return "hold";
    case config::OnOutage::pass:
      return "pass";
    case config::OnOutage::local_share:
      return "local_share";
  }
  return "";
}

metrics::Route route_metrics(const Shard& shard, const config::Config& config, std::size_t i,
                             const core::Waiting& waiting) {
  metrics::Route route;
  route.name = config.routes[i].name;
  for (const std::size_t limit : config.routes[i].limits) {
    route.limits.push_back(config.limits[limit].limit.name);
  }
  route.stats = shard.gate().stats(route_id(i));
  route.waiting = waiting;
  for (const core::Partition& partition : shard.gate().partitions()) {
    const bool counts = partition.phase == core::PartitionPhase::assigned && partition.held;
    if (counts && partition.route == route_id(i)) ++route.partitions_held;
  }
  return route;
}

void add_stores(const Shard& shard, const config::Config& config, metrics::Snapshot& snapshot) {
  if (uses_memory(config)) {
    const memory::StoreStatus status = shard.limiters().memory().status();
    snapshot.stores.push_back({"memory", status.granted, status.denied, 0, 0, {}});
  }
  if (const redis::Store* store = shard.limiters().redis()) {
    const redis::StoreStatus status = store->status();
    snapshot.stores.push_back({"redis", status.granted, status.denied, status.errors,
                               status.timeouts, shard.limiters().redis_calls()});
  }
}

// One limit that holds makes its whole route wait.
void add_outage_policies(const Shard& shard, const config::Config& config,
                         metrics::Snapshot& snapshot) {
  for (const config::Route& route : config.routes) {
    const bool stands_in = may_stand_in(config, route);
    for (const std::size_t i : route.limits) {
      const config::Limit& limit = config.limits[i];
      if (limit.store == config::Store::memory) continue;
      const config::OnOutage policy = stands_in ? limit.on_outage : config::OnOutage::hold;
      snapshot.outage_policies.push_back(
          {route.name, limit.limit.name, policy_name(policy), shard.limiters().redis_is_down()});
    }
  }
}

// Those that routes name, from the start, and those that patterns have brought.
void add_topics(const kafka::SourceStatus& source, const config::Config& config,
                metrics::Snapshot& snapshot) {
  auto skipped = source.offsets_skipped;
  const auto add = [&](const std::string& topic, const kafka::SkippedOffsets& offsets) {
    snapshot.topics.push_back({topic, offsets.retention, offsets.recreated, offsets.reset});
  };
  for (const config::Route& route : config.routes) {
    for (const std::string& topic : route.topics) {
      if (TopicPattern::is_one(topic)) continue;
      add(topic, skipped[topic]);
      skipped.erase(topic);
    }
  }
  for (const auto& [topic, offsets] : skipped) add(topic, offsets);
}

void add_partitions(const Shard& shard, const kafka::SourceStatus& source,
                    metrics::Snapshot& snapshot) {
  for (const kafka::SourceStatus::Partition& partition : source.partitions) {
    if (snapshot.partitions.size() == kMostPartitions) return;
    metrics::Partition shown{partition.topic, partition.number, std::nullopt, 0};
    if (partition.committed.value >= 0) shown.committed = partition.committed;
    if (const core::Partition* ledger = shard.gate().partition(partition.partition)) {
      shown.finished_ahead = ledger->ledger.finished_ahead();
    }
    snapshot.partitions.push_back(std::move(shown));
  }
}

}  // namespace

metrics::Snapshot snapshot(const Shard& shard, const config::Config& config) {
  metrics::Snapshot snapshot;
  snapshot.version = EINLASS_VERSION;
  snapshot.librdkafka_version = kafka::library_version();
  const std::vector<core::Waiting> waiting = shard.gate().waiting(shard.now());
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    snapshot.routes.push_back(route_metrics(shard, config, i, waiting[i]));
  }
  add_stores(shard, config, snapshot);
  add_outage_policies(shard, config, snapshot);
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    const core::TargetId id{static_cast<std::uint16_t>(i)};
    snapshot.targets.push_back({config.targets[i].name, !shard.gate().breaker(id).closed()});
  }
  const kafka::SourceStatus source = shard.source().status();
  add_topics(source, config, snapshot);
  add_partitions(shard, source, snapshot);
  return snapshot;
}

}  // namespace einlass::app
