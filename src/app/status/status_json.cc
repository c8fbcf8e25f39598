#include "app/status/status_json.h"

#include <algorithm>
#include <optional>

#include "app/setup/wiring.h"
#include "app/status/process_view.h"
#include "app/views/books.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

std::string severity_name(Severity severity) {
  switch (severity) {
    case Severity::debug:
      return "debug";
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
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
    const ShardView::TargetView& at = view.targets[target];
    if (at.breaker == core::BreakerState::closed) continue;
    if (state != core::BreakerState::open) state = at.breaker;
    if (at.breaker == core::BreakerState::open) {
      until = std::max(until.value_or(Instant{}), at.breaker_until);
    }
  }
  return {{"state", kStates[static_cast<std::size_t>(state)]},
          {"until", until ? Json(until->us) : Json(nullptr)}};
}

Json one_book(const Books& books) {
  return {{"received", books.received},           {"delivered", books.delivered},
          {"dead_lettered", books.dead_lettered}, {"returned", books.returned},
          {"filtered", books.filtered},           {"inside", books.inside}};
}

// Of a flow that the file names: what is set while the gate runs goes before that.
std::uint16_t weight_of(const config::Share& share, const std::string& flow,
                        const Steering& steering) {
  if (const auto set = steering.weight(share.name, flow)) return *set;
  const auto written =
      std::ranges::find(share.weights, flow, [](const auto& w) { return w.first; });
  return written == share.weights.end() ? share.default_weight : written->second;
}

Json causes_json(const core::CauseCounts& causes) {
  Json json = Json::object();
  for (std::size_t i = 0; i < core::kCauseNames.size(); ++i) {
    json[std::string(core::kCauseNames[i])] = causes.counts[i];
  }
  return json;
}

// How many records wait for each of its limits, and of one with keys how many keys are at it.
Json route_limits_json(const metrics::Route& route) {
  Json limits = Json::array();
  for (std::size_t i = 0; i < route.limits.size(); ++i) {
    Json limit{{"name", route.limits[i]}, {"waiting", route.waiting.for_limit[i]}};
    if (route.is_keyed(i)) {
      limit["keys"] = route.waiting.lines;
      limit["keys_full"] = route.waiting.lines_for_limit[i];
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace

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

Json books_json(const metrics::Snapshot& sum) {
  const Books books = books_of(sum);
  Json json = one_book(books);
  json["closed"] = books.closed();
  return json;
}

Json routes_json(const metrics::Snapshot& sum, const config::Config& config) {
  Json routes = Json::array();
  for (std::size_t i = 0; i < sum.routes.size(); ++i) {
    const metrics::Route& it = sum.routes[i];
    Json route{{"name", it.name}, {"target", config.targets[config.routes[i].target].name}};
    route.update(one_book(books_of(it.stats)));
    // Dearer than their limits could ever pay: they wait for another configuration.
    route["never"] = it.stats.never;
    route["lag"] = it.lag ? Json(*it.lag) : Json(nullptr);
    route["lag_seconds"] = it.lag_seconds ? Json(*it.lag_seconds) : Json(nullptr);
    route["partitions"] = it.partitions_assigned;
    route["partitions_held"] = it.partitions_held;
    route["waiting"] = causes_json(it.waiting.records);
    route["behind"] = causes_json(it.waiting.behind);
    route["limits"] = route_limits_json(it);
    Json shadows = Json::array();
    for (const metrics::ShadowLimit& shadow : it.shadow_limits) {
      shadows.push_back({{"limit", shadow.name},
                         {"admitted", shadow.admitted},
                         {"rejected", shadow.rejected},
                         {"unanswered", shadow.unanswered}});
    }
    route["shadow_limits"] = std::move(shadows);
    routes.push_back(std::move(route));
  }
  return routes;
}

// By weight, what the flows that have a name used; and by level what waits.
Json shares_json(const metrics::Snapshot& sum, const config::Config& config,
                 const Steering& steering) {
  Json shares = Json::array();
  for (const metrics::ShareSum& it : metrics::sum_shares(sum)) {
    const auto& written = *std::ranges::find(config.shares, it.share.name, &config::Share::name);
    Json levels = Json::array();
    for (std::size_t i = 0; i < it.share.levels.size(); ++i) {
      levels.push_back({{"name", it.share.levels[i]}, {"waiting", it.waiting[i]}});
    }
    Json flows = Json::array();
    for (std::size_t i = 0; i < it.permits.size(); ++i) {
      const std::string name = it.flow_name(i);
      Json permits = Json::object();
      for (std::size_t l = 0; l < it.permits[i].size(); ++l) {
        permits[it.share.levels[l]] = it.permits[i][l];
      }
      Json flow{{"name", name}};
      const bool named = i < it.share.flows.size();
      flow["weight"] = named ? Json(weight_of(written, name, steering)) : Json(nullptr);
      flow["permits"] = std::move(permits);
      flows.push_back(std::move(flow));
    }
    const auto index = static_cast<std::size_t>(&written - config.shares.data());
    Json limits = Json::array();  // That the flows of all gates divide.
    for (const config::Limit& limit : config.limits) {
      if (limit.share == index) limits.push_back(limit.limit.name);
    }
    shares.push_back({{"name", it.share.name},
                      {"routes", it.routes},
                      {"limits", std::move(limits)},
                      {"levels", std::move(levels)},
                      {"flows", std::move(flows)}});
  }
  return shares;
}

Json targets_json(const Views& views, const config::Config& config) {
  Json targets = Json::array();
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    TargetStatus sum;
    std::optional<Instant> held;
    for (const ShardView& view : known(views)) {
      const ShardView::TargetView& target = view.targets[i];
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
                {"max_in_flight", config.targets[i].max_in_flight()},
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
    stores.push_back({{"name", "memory"}, {"up", true}, {"trouble", ""}, {"closed", ""}});
  }
  bool up = true;
  std::string trouble, closed;
  for (const ShardView& view : known(views)) {
    if (!view.redis) continue;
    up &= view.redis->up;
    keep_first(trouble, view.redis->trouble);
    keep_first(closed, view.redis->closed);
  }
  if (uses_redis(config)) {
    stores.push_back({{"name", "redis"},
                      {"up", up},
                      {"trouble", valid_utf8(trouble)},
                      {"closed", valid_utf8(closed)}});
  }
  return stores;
}

std::string kafka_trouble(const Views& views) {
  std::string trouble;
  for (const ShardView& view : known(views)) keep_first(trouble, view.source.trouble);
  return valid_utf8(trouble);
}

Json kafka_json(const Views& views) {
  Json partitions = Json::array();
  for (const ShardView& view : known(views)) {
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
                            {"finished_ahead", view.finished_ahead[i]},
                            {"lag", partition.lag ? Json(*partition.lag) : Json(nullptr)}});
    }
  }
  return {{"trouble", kafka_trouble(views)}, {"partitions", std::move(partitions)}};
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
    keep_first(sum.unusable, view.dead_letters.unusable);
  }
  return {{"open", sum.open},
          {"trouble", valid_utf8(sum.trouble)},
          {"unusable", valid_utf8(sum.unusable)}};
}

Json recent_json(const Recent& recent) {
  Json entries = Json::array();
  for (const Recent::Entry& entry : recent.entries()) {
    const std::string& example = entry.notice.example;
    const std::string as = example.empty() ? "" : "; the last was " + example;
    entries.push_back({{"at", entry.at.us},
                       {"severity", severity_name(entry.notice.severity)},
                       {"what", valid_utf8(entry.notice.what)},
                       {"detail", valid_utf8(entry.notice.detail + as)}});
  }
  return entries;
}

Json reload_json(const ReloadState& reload) {
  return {{"at", reload.at ? Json(reload.at->us) : Json(nullptr)},
          {"successful", reload.successful},
          {"said", valid_utf8(reload.said)}};
}

Json state_json(const Views& views, const config::Config& config, const ProcessView& process) {
  const std::string why =
      process.drains ? std::string(kDrains) : why_not_ready(views, config, process.steering);
  return {{"instance", config.instance},
          {"version", EINLASS_VERSION},
          {"ready", why.empty()},
          {"why_not_ready", valid_utf8(why)}};
}

}  // namespace einlass::app
