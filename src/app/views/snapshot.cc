#include "app/views/snapshot.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/kafka/client/library_version.h"
#include "app/setup/flow_names.h"
#include "app/setup/wiring.h"
#include "app/views/allowed.h"
#include "app/views/waiting_keys.h"
#include "config/limits/parameters.h"
#include "config/tables/record_sources.h"
#include "units/topic_pattern.h"

namespace einlass::app {
namespace {

core::RouteId route_id(std::size_t i) { return core::RouteId{static_cast<std::uint16_t>(i)}; }

double seconds(Duration duration) { return static_cast<double>(duration.us) / 1e6; }

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
  route.target = config.targets[config.routes[i].target].name;
  for (const std::size_t limit : config.routes[i].limits) {
    route.limits.push_back(config.limits[limit].limit.name);
  }
  const std::vector<ShadowCounts> shadows = shard.shadows().counts(route_id(i));
  for (std::size_t index = 0; index < shadows.size(); ++index) {
    const std::size_t limit = config.routes[i].shadow_limits[index];
    route.shadow_limits.push_back({config.limits[limit].limit.name, shadows[index].admitted,
                                   shadows[index].rejected, shadows[index].unanswered});
  }
  if (config.routes[i].share) {
    const config::Share& share = config.shares[*config.routes[i].share];
    route.share = {share.name, level_names(share), named_flows(share)};
  }
  route.stats = shard.gate().stats(route_id(i));
  route.waiting = waiting;
  route.delivery_delay = shard.delays().of(route_id(i));
  for (const std::size_t limit : config.routes[i].limits) {
    route.keyed.push_back(config.limits[limit].key.kind != config::KeySource::Kind::none);
  }
  for (const core::Partition& partition : shard.gate().partitions()) {
    if (partition.phase != core::PartitionPhase::assigned) continue;
    if (partition.route != route_id(i)) continue;
    ++route.partitions_assigned;
    if (partition.held) ++route.partitions_held;
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
                               status.timeouts, shard.limiters().redis_calls(), status.up,
                               status.nodes, status.nodes_up});
  }
}

// One limit that holds makes its whole route wait.
void add_outage_policies(const Shard& shard, const config::Config& config,
                         metrics::Snapshot& snapshot) {
  const redis::Store* store = shard.limiters().redis();
  const bool in_force = store != nullptr && !store->status().up;
  for (const config::Route& route : config.routes) {
    const bool stands_in = may_stand_in(config, route);
    for (const std::size_t i : route.limits) {
      const config::Limit& limit = config.limits[i];
      if (limit.store == config::Store::memory) continue;
      const config::OnOutage policy = stands_in ? limit.on_outage : config::OnOutage::hold;
      snapshot.outage_policies.push_back(
          {route.name, limit.limit.name, policy_name(policy), in_force});
    }
  }
}

// The routes of the topics of which partitions are here now.
std::map<std::string_view, std::string> routes_by_topic(const Shard& shard,
                                                        const kafka::SourceStatus& source,
                                                        const config::Config& config) {
  std::map<std::string_view, std::string> routes;
  for (const kafka::SourceStatus::Partition& partition : source.partitions) {
    const core::Partition* known = shard.gate().partition(partition.partition);
    if (known == nullptr) continue;
    routes.try_emplace(partition.topic, config.routes[known->route.value].name);
  }
  return routes;
}

// Those that routes name, from the start, and those that patterns have brought: of which partitions
// are here, and last, for they may be gone for ever, those of which offsets were passed over.
void add_topics(const Shard& shard, const kafka::SourceStatus& source, const config::Config& config,
                metrics::Snapshot& snapshot) {
  auto skipped = source.offsets_skipped;
  for (const auto& partition : source.partitions) skipped.try_emplace(partition.topic);
  const auto add = [&](const std::string& topic, const std::string& route,
                       const kafka::SkippedOffsets& offsets) {
    metrics::Topic shown{topic, offsets.retention, offsets.recreated, offsets.reset, route, {}};
    const auto kept = source.retention.find(topic);
    if (kept != source.retention.end()) shown.retention_seconds = seconds(kept->second);
    snapshot.topics.push_back(std::move(shown));
  };
  for (const config::Route& route : config.routes) {
    for (const std::string& topic : route.topics) {
      if (TopicPattern::is_one(topic)) continue;
      add(topic, route.name, skipped[topic]);
      skipped.erase(topic);
    }
  }
  const auto routes = routes_by_topic(shard, source, config);
  for (const auto& [topic, offsets] : skipped) {
    if (const auto found = routes.find(topic); found != routes.end())
      add(topic, found->second, offsets);
  }
  for (const auto& [topic, offsets] : skipped) {
    if (!routes.contains(topic)) add(topic, "", offsets);
  }
}

metrics::Limit limit_metrics(const config::Limit& limit, const limits::Parameters& in_force) {
  metrics::Limit shown;
  shown.name = limit.limit.name;
  shown.algorithm = config::algorithm_name(limit.limit.parameters);
  shown.store = limit.store == config::Store::redis ? "redis" : "memory";
  shown.key = config::to_text(limit.key);
  shown.shadow = limit.shadow;
  if (const auto allowed = records_allowed_by(limit, in_force)) {
    shown.at_once = allowed->at_once;
    shown.per_second = allowed->per_second;
  }
  return shown;
}

metrics::TargetValues target_metrics(const Shard& shard, const config::Config& config,
                                     std::size_t i) {
  const core::TargetId id{static_cast<std::uint16_t>(i)};
  const TargetStatus status = shard.target_status(i);
  const Duration held = std::max(shard.gate().held_until(id) - shard.now(), Duration{});
  metrics::TargetValues shown;
  shown.name = config.targets[i].name;
  shown.breaker_open = !shard.gate().breaker(id).closed();
  shown.held_seconds = seconds(held);
  shown.in_flight = status.in_flight;
  shown.connections = status.connections;
  shown.most_in_flight = config.targets[i].max_in_flight();
  shown.unusable = !status.unusable.empty();
  shown.hosts_of_records = config.targets[i].records_name_hosts();
  return shown;
}

metrics::Consumer consumer_metrics(const ShardCounts& counts, const kafka::SourceStatus& source) {
  return {.joined = source.joined,
          .brokers_down = source.brokers_down,
          .assigned = counts.assigned,
          .revoked = counts.revoked,
          .lost = source.lost,
          .filled_by_flow = counts.filled_by_flow,
          .commits = counts.committed,
          .commits_failed = counts.failed,
          .commits_fenced = counts.fenced};
}

metrics::Partition partition_metrics(const Shard& shard,
                                     const kafka::SourceStatus::Partition& partition) {
  metrics::Partition shown;
  shown.topic = partition.topic;
  shown.number = partition.number;
  shown.lag = partition.lag;
  shown.log_start = partition.log_start;
  if (partition.committed.value >= 0) shown.committed = partition.committed;
  const core::Partition* known = shard.gate().partition(partition.partition);
  if (known != nullptr) shown.finished_ahead = known->ledger.finished_ahead();
  const auto age = [&](Instant since) { return std::max(0.0, seconds(shard.now() - since)); };
  if (const StoredRecord* oldest = oldest_inside(shard, partition.partition)) {
    shown.oldest_seconds = age(oldest->arrived);
    shown.lag_seconds = age(oldest->written());
  } else if (shown.lag == 0u) {
    shown.lag_seconds = 0;
  } else if (const auto after =
                 shard.unread_ages().written_after(partition.topic, partition.number)) {
    shown.lag_seconds = age(*after);
  }
  return shown;
}

void add_partitions(const Shard& shard, const kafka::SourceStatus& source,
                    metrics::Snapshot& snapshot) {
  for (const kafka::SourceStatus::Partition& partition : source.partitions) {
    const metrics::Partition& shown =
        snapshot.partitions.emplace_back(partition_metrics(shard, partition));
    const core::Partition* known = shard.gate().partition(partition.partition);
    if (known == nullptr) continue;
    metrics::Route& route = snapshot.routes[known->route.value];
    if (shown.lag) route.lag = route.lag.value_or(0) + *shown.lag;
    route.lag_seconds = std::max(route.lag_seconds, shown.lag_seconds);
  }
}

// CPU time of the thread that calls.
double thread_seconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

}  // namespace

metrics::Snapshot snapshot(const Shard& shard, const kafka::SourceStatus& source,
                           const config::Config& config) {
  metrics::Snapshot snapshot;
  snapshot.version = EINLASS_VERSION;
  snapshot.librdkafka_version = kafka::library_version();
  const std::vector<core::Waiting> waiting = shard.gate().waiting(shard.now());
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    snapshot.routes.push_back(route_metrics(shard, config, i, waiting[i]));
  }
  add_waiting_keys(shard.gate(), shard.limiters(), config, snapshot.routes);
  add_stores(shard, config, snapshot);
  add_outage_policies(shard, config, snapshot);
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const config::Limit& limit = config.limits[i];
    const auto now = shard.limiters().scheduled(i);
    const bool own = !now || !now->value;
    snapshot.limits.push_back(
        limit_metrics(limit, own ? limit.limit.parameters : now->value->parameters));
  }
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    snapshot.targets.push_back(target_metrics(shard, config, i));
  }
  if (shard.dead_letters() != nullptr) {
    const auto unusable = shard.dead_letters()->status().unusable_topics;
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
      snapshot.routes[i].dead_letters_unusable = unusable.contains(config.routes[i].dead_letter);
    }
  }
  snapshot.consumer = consumer_metrics(shard.counts(), source);
  // Before its first turn it has no thread, and whoever looks is another.
  const bool has_turned =
      std::ranges::any_of(shard.counts().turns.counts, [](std::uint64_t n) { return n > 0; });
  const double busy_seconds = has_turned ? thread_seconds() : 0;
  snapshot.loops.push_back({shard.number().value, shard.counts().turns, busy_seconds});
  snapshot.spans = {shard.spans().exported, shard.spans().dropped};
  add_topics(shard, source, config, snapshot);
  add_partitions(shard, source, snapshot);
  return snapshot;
}

}  // namespace einlass::app
