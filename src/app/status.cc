#include "app/status.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

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

std::string shard_name(std::size_t i) { return "shard " + std::to_string(i); }

std::string does_not_answer(std::size_t shard, const std::string& why) {
  return why.empty() ? shard_name(shard) + " does not answer" : why;
}

// Those of which anything is known.
std::vector<std::reference_wrapper<const ShardView>> known(const Views& views) {
  std::vector<std::reference_wrapper<const ShardView>> known;
  for (const std::optional<ShardView>& view : views.shards) {
    if (view) known.push_back(*view);
  }
  return known;
}

void add(Books& sum, const Books& books) {
  sum.received += books.received;
  sum.delivered += books.delivered;
  sum.dead_lettered += books.dead_lettered;
  sum.returned += books.returned;
  sum.inside += books.inside;
}

Json books_json(const Books& books) {
  return {{"received", books.received},
          {"delivered", books.delivered},
          {"dead_lettered", books.dead_lettered},
          {"returned", books.returned},
          {"inside", books.inside}};
}

Json routes_json(const metrics::Snapshot& sum) {
  Json routes = Json::array();
  for (const metrics::Route& it : sum.routes) {
    Json route{{"name", it.name}};
    route.update(books_json(books_of(it.stats)));
    // Dearer than their limits could ever pay: they wait for another configuration.
    route["never"] = it.stats.never;
    const core::Waiting& waiting = it.waiting;
    route["waiting"] = {{"limit", waiting.limit},   {"target", waiting.target},
                        {"retry", waiting.retry},   {"order", waiting.order},
                        {"outage", waiting.outage}, {"in_flight", waiting.in_flight}};
    routes.push_back(std::move(route));
  }
  return routes;
}

// Of several troubles the first shard's.
void keep_first(std::string& trouble, const std::string& another) {
  if (trouble.empty()) trouble = another;
}

// Each shard has a breaker of its own: shows the one that lets least through.
Json breaker_json(const Views& views, std::size_t target) {
  static constexpr std::string_view kStates[] = {"closed", "open", "probing"};
  auto state = core::BreakerState::closed;
  std::optional<Instant> until;
  for (const ShardView& view : known(views)) {
    const ShardView::Target& at = view.targets[target];
    if (at.breaker == core::BreakerState::closed) continue;
    if (state != core::BreakerState::open) state = at.breaker;
    if (at.breaker == core::BreakerState::open) {
      until = std::max(until.value_or(Instant{}), at.breaker_until);
    }
  }
  return {{"state", kStates[static_cast<std::size_t>(state)]},
          {"until", until ? Json(until->us) : Json(nullptr)}};
}

Json targets_json(const Views& views, const config::Config& config) {
  Json targets = Json::array();
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    TargetStatus sum;
    std::optional<Instant> held;
    for (const ShardView& view : known(views)) {
      const ShardView::Target& target = view.targets[i];
      sum.in_flight += target.status.in_flight;
      sum.connections += target.status.connections;
      keep_first(sum.trouble, target.status.trouble);
      keep_first(sum.unusable, target.status.unusable);
      keep_first(sum.warning, target.status.warning);
      if (target.held_until > view.now)
        held = std::max(held.value_or(Instant{}), target.held_until);
    }
    Json target{{"name", config.targets[i].name},
                {"in_flight", sum.in_flight},
                {"connections", sum.connections}};
    target["held_until"] = held ? Json(held->us) : Json(nullptr);
    target["breaker"] = breaker_json(views, i);
    target["trouble"] = valid_utf8(sum.trouble);
    target["unusable"] = valid_utf8(sum.unusable);
    target["warning"] = valid_utf8(sum.warning);
    targets.push_back(std::move(target));
  }
  return targets;
}

Json stores_json(const Views& views, const config::Config& config) {
  Json stores = Json::array();
  if (uses_memory(config)) {
    stores.push_back({{"name", "memory"}, {"up", true}, {"trouble", ""}});
  }
  bool up = true;
  std::string trouble;
  for (const ShardView& view : known(views)) {
    if (!view.redis) continue;
    up &= view.redis->up;
    keep_first(trouble, view.redis->trouble);
  }
  if (uses_redis(config)) {
    stores.push_back({{"name", "redis"}, {"up", up}, {"trouble", valid_utf8(trouble)}});
  }
  return stores;
}

Json kafka_json(const Views& views) {
  std::string trouble;
  Json partitions = Json::array();
  for (const ShardView& view : known(views)) {
    keep_first(trouble, view.source.trouble);
    for (std::size_t i = 0; i < view.source.partitions.size(); ++i) {
      const kafka::SourceStatus::Partition& partition = view.source.partitions[i];
      partitions.push_back({{"topic", valid_utf8(partition.topic)},
                            {"partition", partition.number.value},
                            {"shard", view.shard},
                            {"held", partition.held},
                            {"revoking", partition.revoking},
                            {"waiting", partition.waiting},
                            {"stuck", valid_utf8(partition.stuck)},
                            {"committed", partition.committed.value},
                            {"finished_ahead", view.finished_ahead[i]}});
    }
  }
  return {{"trouble", valid_utf8(trouble)}, {"partitions", std::move(partitions)}};
}

// What stands elsewhere of a shard that does not answer is what it was when it last did.
Json shards_json(const Views& views, const std::vector<std::string>& silent) {
  Json shards = Json::array();
  for (std::size_t i = 0; i < views.shards.size(); ++i) {
    Json shard{{"shard", i}, {"answers", static_cast<bool>(views.answered[i])}};
    shard["trouble"] = views.answered[i] ? "" : does_not_answer(i, silent[i]);
    shard["partitions"] = views.shards[i] ? views.shards[i]->source.partitions.size() : 0;
    shards.push_back(std::move(shard));
  }
  return shards;
}

Json dead_letters_json(const Views& views) {
  kafka::DeadLettersStatus sum;
  for (const ShardView& view : known(views)) {
    sum.open += view.dead_letters.open;
    keep_first(sum.trouble, view.dead_letters.trouble);
  }
  return {{"open", sum.open}, {"trouble", valid_utf8(sum.trouble)}};
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

Json reload_json(const ReloadState& reload) {
  return {{"at", reload.at ? Json(reload.at->us) : Json(nullptr)},
          {"successful", reload.successful},
          {"said", valid_utf8(reload.said)}};
}

// Whether some route waits while Redis does not answer.
bool waits_for_redis(const config::Config& config) {
  return std::any_of(config.routes.begin(), config.routes.end(), [&](const config::Route& route) {
    return !route.limits.empty() && config.limits[route.limits[0]].store == config::Store::redis &&
           !may_stand_in(config, route);
  });
}

std::string why_not_ready(const ShardView& view, const config::Config& config) {
  if (view.source.brokers_down) return "no Kafka broker can be reached: " + view.source.trouble;
  if (!view.source.joined) {
    return view.source.trouble.empty() ? "not yet in the consumer group" : view.source.trouble;
  }
  for (const kafka::SourceStatus::Partition& partition : view.source.partitions) {
    if (!partition.stuck.empty()) return partition.stuck;
  }
  if (view.redis && waits_for_redis(config) && !view.redis->up) {
    return "the limiter does not answer: " + view.redis->trouble;
  }
  for (std::size_t i = 0; i < view.targets.size(); ++i) {
    const std::string& why = view.targets[i].status.unusable;
    if (!why.empty()) return "target " + config.targets[i].name + ": " + why;
  }
  return "";
}

}  // namespace

Books books_of(const core::RouteStats& stats) {
  Books books{stats.received, stats.delivered, 0, stats.returned, stats.inside};
  for (const std::uint64_t dead : stats.dead_lettered) books.dead_lettered += dead;
  return books;
}

Books books_of(const Shard& shard, const config::Config& config) {
  Books sum;
  for (std::uint16_t i = 0; i < config.routes.size(); ++i) {
    add(sum, books_of(shard.gate().stats(core::RouteId{i})));
  }
  return sum;
}

Books books_of(const metrics::Snapshot& snapshot) {
  Books sum;
  for (const metrics::Route& route : snapshot.routes) add(sum, books_of(route.stats));
  return sum;
}

metrics::Snapshot sum_of(const Views& views) {
  std::optional<metrics::Snapshot> sum;
  for (const ShardView& view : known(views)) {
    if (sum) {
      metrics::add(*sum, view.metrics);
    } else {
      sum = view.metrics;
    }
  }
  return sum.value_or(metrics::Snapshot{});
}

std::string why_not_ready(const Views& views, const config::Config& config) {
  const bool several = views.shards.size() > 1;
  for (std::size_t i = 0; i < views.shards.size(); ++i) {
    if (!views.answered[i]) return does_not_answer(i, "");
    const std::string why = why_not_ready(*views.shards[i], config);
    if (!why.empty()) return several ? shard_name(i) + ": " + why : why;
  }
  return "";
}

std::string status_json(const Views& views, const config::Config& config,
                        const std::vector<std::string>& silent, const ReloadState& reload,
                        const Recent& recent) {
  const std::string why = why_not_ready(views, config);
  const metrics::Snapshot sum = sum_of(views);
  const Books books = books_of(sum);
  Json status{{"instance", config.instance}, {"version", EINLASS_VERSION}};
  status["ready"] = why.empty();
  status["why_not_ready"] = valid_utf8(why);
  status["shards"] = shards_json(views, silent);
  status["books"] = books_json(books);
  status["books"]["closed"] = books.closed();
  status["routes"] = routes_json(sum);
  status["targets"] = targets_json(views, config);
  status["stores"] = stores_json(views, config);
  status["kafka"] = kafka_json(views);
  status["dead_letters"] = dead_letters_json(views);
  std::size_t lines = 0;
  for (const ShardView& view : known(views)) lines += view.lines;
  status["lines"] = lines;
  status["reload"] = reload_json(reload);
  status["recent"] = recent_json(recent);
  return status.dump(2) + "\n";
}

}  // namespace einlass::app
