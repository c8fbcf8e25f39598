#include "app/status.h"

#include <nlohmann/json.hpp>

#include "adapters/kafka/mock_broker.h"
#include "app/wiring.h"
#include "units/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

std::string severity_name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

core::RouteId route_id(std::size_t i) { return core::RouteId{static_cast<std::uint16_t>(i)}; }

Json books_json(const Books& books) {
  return {{"received", books.received},
          {"delivered", books.delivered},
          {"dead_lettered", books.dead_lettered},
          {"returned", books.returned},
          {"inside", books.inside}};
}

Json routes_json(const Shard& shard, const config::Config& config) {
  Json routes = Json::array();
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    Json route{{"name", config.routes[i].name}};
    route.update(books_json(books_of(shard.gate().stats(route_id(i)))));
    const core::Waiting waiting = shard.gate().waiting(route_id(i), shard.now());
    route["waiting"] = {{"limit", waiting.limit},   {"target", waiting.target},
                        {"retry", waiting.retry},   {"order", waiting.order},
                        {"outage", waiting.outage}, {"in_flight", waiting.in_flight}};
    routes.push_back(std::move(route));
  }
  return routes;
}

Json targets_json(const Shard& shard, const config::Config& config) {
  Json targets = Json::array();
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    const http::TargetStatus status = shard.target(i).status();
    const Instant held = shard.gate().held_until(core::TargetId{static_cast<std::uint16_t>(i)});
    Json target{{"name", config.targets[i].name},
                {"in_flight", status.in_flight},
                {"connections", status.connections}};
    target["held_until"] = held > shard.now() ? Json(held.us) : Json(nullptr);
    target["trouble"] = valid_utf8(status.trouble);
    targets.push_back(std::move(target));
  }
  return targets;
}

Json stores_json(const Shard& shard, const config::Config& config) {
  Json stores = Json::array();
  if (uses_memory(config)) {
    stores.push_back({{"name", "memory"}, {"up", true}, {"trouble", ""}});
  }
  if (const redis::Store* store = shard.limiters().redis()) {
    const redis::StoreStatus status = store->status();
    stores.push_back(
        {{"name", "redis"}, {"up", status.up}, {"trouble", valid_utf8(status.trouble)}});
  }
  return stores;
}

// What the gate knows of a partition that the source lists; null once the gate is through with it.
const core::Partition* ledger_of(const Shard& shard, core::PartitionId id) {
  const auto& partitions = shard.gate().partitions();
  if (id.value >= partitions.size()) return nullptr;
  const core::Partition& partition = partitions[id.value];
  return partition.phase == core::PartitionPhase::absent ? nullptr : &partition;
}

Json kafka_json(const Shard& shard) {
  const kafka::SourceStatus status = shard.source().status();
  Json partitions = Json::array();
  for (const kafka::SourceStatus::Partition& partition : status.partitions) {
    const core::Partition* ledger = ledger_of(shard, partition.partition);
    partitions.push_back({{"topic", valid_utf8(partition.topic)},
                          {"partition", partition.number.value},
                          {"held", partition.held},
                          {"revoking", partition.revoking},
                          {"committed", partition.committed.value},
                          {"finished_ahead", ledger ? ledger->ledger.finished_ahead() : 0}});
  }
  return {{"trouble", valid_utf8(status.trouble)}, {"partitions", std::move(partitions)}};
}

Json recent_json(const Recent& recent) {
  Json entries = Json::array();
  for (const Recent::Entry& entry : recent.entries()) {
    entries.push_back({{"at", entry.at.us},
                       {"severity", severity_name(entry.notice.severity)},
                       {"what", valid_utf8(entry.notice.what)},
                       {"detail", valid_utf8(entry.notice.detail)}});
  }
  return entries;
}

metrics::Route route_metrics(const Shard& shard, const config::Config& config, std::size_t i) {
  metrics::Route route;
  route.name = config.routes[i].name;
  for (const std::size_t limit : config.routes[i].limits) {
    route.limits.push_back(config.limits[limit].limit.name);
  }
  route.stats = shard.gate().stats(route_id(i));
  route.waiting = shard.gate().waiting(route_id(i), shard.now());
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

}  // namespace

Books books_of(const core::RouteStats& stats) {
  Books books{stats.received, stats.delivered, 0, stats.returned, stats.inside};
  for (const std::uint64_t dead : stats.dead_lettered) books.dead_lettered += dead;
  return books;
}

Books books_of(const Shard& shard, const config::Config& config) {
  Books sum;
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    const Books books = books_of(shard.gate().stats(route_id(i)));
    sum.received += books.received;
    sum.delivered += books.delivered;
    sum.dead_lettered += books.dead_lettered;
    sum.returned += books.returned;
    sum.inside += books.inside;
  }
  return sum;
}

std::string why_not_ready(const Shard& shard) {
  const kafka::SourceStatus source = shard.source().status();
  if (source.brokers_down) return "no Kafka broker can be reached: " + source.trouble;
  if (!source.joined) {
    return source.trouble.empty() ? "not yet in the consumer group" : source.trouble;
  }
  if (const redis::Store* store = shard.limiters().redis()) {
    const redis::StoreStatus status = store->status();
    if (!status.up) return "the limiter does not answer: " + status.trouble;
  }
  return "";
}

std::string status_json(const Shard& shard, const config::Config& config, const Recent& recent) {
  const std::string why = why_not_ready(shard);
  const Books books = books_of(shard, config);
  Json status{{"instance", config.instance}, {"version", EINLASS_VERSION}};
  status["ready"] = why.empty();
  status["why_not_ready"] = valid_utf8(why);
  status["books"] = books_json(books);
  status["books"]["closed"] = books.closed();
  status["routes"] = routes_json(shard, config);
  status["targets"] = targets_json(shard, config);
  status["stores"] = stores_json(shard, config);
  status["kafka"] = kafka_json(shard);
  status["lines"] = shard.limiters().lines();
  status["recent"] = recent_json(recent);
  return status.dump(2) + "\n";
}

metrics::Snapshot snapshot(const Shard& shard, const config::Config& config) {
  metrics::Snapshot snapshot;
  snapshot.version = EINLASS_VERSION;
  snapshot.librdkafka_version = kafka::library_version();
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    snapshot.routes.push_back(route_metrics(shard, config, i));
  }
  add_stores(shard, config, snapshot);
  const kafka::SourceStatus source = shard.source().status();
  for (const config::Route& route : config.routes) {
    for (const std::string& topic : route.topics) {
      const auto skipped = source.offsets_skipped.find(topic);
      snapshot.topics.push_back(
          {topic, skipped == source.offsets_skipped.end() ? 0 : skipped->second, 0});
    }
  }
  for (const kafka::SourceStatus::Partition& partition : source.partitions) {
    metrics::Partition shown{partition.topic, partition.number, std::nullopt, 0};
    if (partition.committed.value >= 0) shown.committed = partition.committed;
    if (const core::Partition* ledger = ledger_of(shard, partition.partition)) {
      shown.finished_ahead = ledger->ledger.finished_ahead();
    }
    snapshot.partitions.push_back(std::move(shown));
  }
  return snapshot;
}

}  // namespace einlass::app
