#include "app/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/stand_in.h"
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
    // Dearer than their limits could ever pay: they wait for another configuration.
    route["never"] = shard.gate().stats(route_id(i)).never;
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

Json kafka_json(const Shard& shard) {
  const kafka::SourceStatus status = shard.source().status();
  Json partitions = Json::array();
  for (const kafka::SourceStatus::Partition& partition : status.partitions) {
    const core::Partition* ledger = shard.gate().partition(partition.partition);
    partitions.push_back({{"topic", valid_utf8(partition.topic)},
                          {"partition", partition.number.value},
                          {"held", partition.held},
                          {"revoking", partition.revoking},
                          {"waiting", partition.waiting},
                          {"stuck", valid_utf8(partition.stuck)},
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

// Whether some route waits while Redis does not answer.
bool waits_for_redis(const config::Config& config) {
  return std::any_of(config.routes.begin(), config.routes.end(), [&](const config::Route& route) {
    return !route.limits.empty() && config.limits[route.limits[0]].store == config::Store::redis &&
           !may_stand_in(config, route);
  });
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

std::string why_not_ready(const Shard& shard, const config::Config& config) {
  const kafka::SourceStatus source = shard.source().status();
  if (source.brokers_down) return "no Kafka broker can be reached: " + source.trouble;
  if (!source.joined) {
    return source.trouble.empty() ? "not yet in the consumer group" : source.trouble;
  }
  for (const kafka::SourceStatus::Partition& partition : source.partitions) {
    if (!partition.stuck.empty()) return partition.stuck;
  }
  const redis::Store* store = shard.limiters().redis();
  if (store != nullptr && waits_for_redis(config)) {
    const redis::StoreStatus status = store->status();
    if (!status.up) return "the limiter does not answer: " + status.trouble;
  }
  return "";
}

std::string status_json(const Shard& shard, const config::Config& config, const Recent& recent) {
  const std::string why = why_not_ready(shard, config);
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

}  // namespace einlass::app
