#include "config/file/warnings.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "config/file/located.h"
#include "limits/permits/state.h"
#include "limits/windows/sliding_log.h"

namespace einlass::config {
namespace {

using Texts = std::vector<std::string>;

template <class Uses>
bool any_route(const Config& config, Uses uses) {
  return std::any_of(config.routes.begin(), config.routes.end(), uses);
}

bool has(const std::vector<std::size_t>& list, std::size_t one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

void warn_of_unused(const Config& config, Texts& texts) {
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const bool used = any_route(config, [&](const Route& route) {
      return has(route.limits, i) || has(route.shadow_limits, i);
    });
    if (used || config.limits[i].is_pace) continue;
    texts.push_back("limits." + config.limits[i].limit.name +
                    ": no route has it among its limits, so it limits nothing");
  }
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    if (any_route(config, [&](const Route& route) { return route.target == i; })) continue;
    texts.push_back("targets." + config.targets[i].name + ": no route delivers to it");
  }
}

// The first of its limits whose keys are not the partition's own; empty if none.
std::string keyed_limit(const Config& config, const Route& route) {
  for (const std::size_t index : route.limits) {
    const KeySource::Kind kind = config.limits[index].key.kind;
    const bool of_records = kind == KeySource::Kind::record_key ||
                            kind == KeySource::Kind::header || kind == KeySource::Kind::json;
    if (of_records) return config.limits[index].limit.name;
  }
  return "";
}

void warn_of_route(const Config& config, const Route& route, const std::string& path,
                   Texts& texts) {
  const bool has_limits = !route.limits.empty() || !route.shadow_limits.empty();
  if (!has_limits && !is_written(config, path + ".limits")) {
    texts.push_back(path + ": has no limits, so all of its records pass at once; write limits: " +
                    "[NAME], or limits: [] if that is meant");
  }
  if (route.dead_letter.empty()) {
    texts.push_back(path +
                    ": has no dead_letter, so one record that its target refuses is retried " +
                    "forever, and the records ordered behind it wait; write dead_letter: TOPIC");
  }
  const std::string keyed = keyed_limit(config, route);
  if (route.order == core::Order::partition && !keyed.empty()) {
    texts.push_back(path + ": with order: partition a key that is at its limit " + keyed +
                    " holds up all other keys of its partition; write order: key if records of " +
                    "different keys need no order");
  }
}

bool goes_ahead(const Limit& limit) {
  return limits::grants_ahead(limit.limit.parameters) && limit.horizon > Duration{};
}

void warn_of_idle_horizons(const Config& config, Texts& texts) {
  for (const Limit& limit : config.limits) {
    if (limit.is_pace || limit.horizon == Duration{}) continue;
    if (limits::grants_ahead(limit.limit.parameters)) continue;
    texts.push_back("limits." + limit.limit.name +
                    ".horizon: means nothing here, where nothing is granted ahead; leave it out");
  }
}

// Another limit keeps it, with an entry for each unit of cost.
void warn_of_kept_bursts(const Config& config, Texts& texts) {
  for (const Limit& limit : config.limits) {
    if (!limit.paced_by || !limit.limit.cost_from_record) continue;
    if (limit.burst.value <= limits::kMostLogCost) continue;
    texts.push_back("limits." + limit.limit.name + ".burst: a record that costs more than " +
                    std::to_string(limits::kMostLogCost) + " gets no permit under any burst; " +
                    "use token_bucket or gcra if there are such records");
  }
}

// Why the route asks for no permits of its limit ahead of time; empty if it does.
std::string asks_not_ahead(const Config& config, const Route& route, std::size_t limit) {
  for (const std::size_t i : route.limits) {
    if (!goes_ahead(config.limits[i])) {
      return "limits." + config.limits[i].limit.name + " grants nothing ahead";
    }
  }
  const Limit& asked = config.limits[limit];
  if (asked.key.kind == KeySource::Kind::none || route.limits.size() == 1) return "";
  return "it has several limits, and limits." + asked.limit.name + " has a key";
}

// Who asks ahead of time is always there before who does not.
void warn_of_horizons(const Config& config, Texts& texts) {
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    if (!goes_ahead(config.limits[i]) || config.limits[i].share) continue;
    // One gate alone lets its routes have their turns.
    if (config.limits[i].store == Store::memory && config.shards == 1) continue;
    std::string ahead;
    std::string behind;
    std::string why;
    for (std::size_t r = 0; r < config.routes.size(); ++r) {
      if (!has(config.routes[r].limits, i)) continue;
      const std::string path = "routes[" + std::to_string(r) + "]";
      const std::string reason = asks_not_ahead(config, config.routes[r], i);
      if (reason.empty()) {
        ahead = path;
      } else if (behind.empty()) {
        behind = path;
        why = reason;
      }
    }
    if (ahead.empty() || behind.empty()) continue;
    const std::string name = "limits." + config.limits[i].limit.name;
    texts.push_back(behind + ": shares " + name + " with " + ahead + ", which requests its " +
                    "permits ahead of time; this route cannot, because " + why + ", so while " +
                    "another gate has a backlog of " + ahead + " it gets hardly any; write " +
                    "horizon: 0 for " + name);
  }
}

std::string of_share(const Config& config, const Route& route) {
  return route.share ? "is under share " + config.shares[*route.share].name : "has no share";
}

// With a share at the limit itself this is a mistake.
void warn_of_shares_that_differ(const Config& config, Texts& texts) {
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const Limit& limit = config.limits[i];
    if (limit.key.kind != KeySource::Kind::none || limit.share || limit.is_pace) continue;
    std::optional<std::size_t> first;
    for (std::size_t r = 0; r < config.routes.size(); ++r) {
      if (!has(config.routes[r].limits, i)) continue;
      if (!first) first = r;
      if (config.routes[r].share == config.routes[*first].share) continue;
      texts.push_back("routes[" + std::to_string(r) + "]: " + of_share(config, config.routes[r]) +
                      ", but routes[" + std::to_string(*first) + "], with which it has limits." +
                      limit.limit.name + " in common, " + of_share(config, config.routes[*first]) +
                      "; each divides only what comes to it, so no weight holds between the two; " +
                      "write the same share for both (with order: key or none)");
      break;
    }
  }
}

bool has_limits_in(const Config& config, Store store) {
  return std::ranges::any_of(config.limits,
                             [&](const Limit& limit) { return limit.store == store; });
}

void warn_of_redis(const Config& config, Texts& texts) {
  if (is_written(config, "redis")) return;
  const std::string text = "no server is written, so it is " +
                           to_text(HostPort{config.redis.host, config.redis.port}) +
                           "; write redis: {url: redis://HOST:PORT}";
  if (has_limits_in(config, Store::redis)) {
    texts.push_back("limits: some have store: redis, and " + text);
  } else if (config.quotas && config.quotas->redis) {
    texts.push_back("quotas.redis: " + text);
  }
}

// Who says that there are several gates, or has a Redis, means to share.
void warn_of_unshared(const Config& config, Texts& texts) {
  if (has_limits_in(config, Store::redis) || !has_limits_in(config, Store::memory)) return;
  const bool for_quotas = config.quotas && config.quotas->redis;
  const std::string option = config.instances > 1                         ? "instances"
                             : is_written(config, "redis") && !for_quotas ? "redis"
                                                                          : "";
  if (option.empty()) return;
  texts.push_back(option +
                  ": no limit has store: redis, so each gate has the whole of each limit; " +
                  "write store: redis at the limits that the gates are to share");
}

}  // namespace

std::vector<std::string> warnings(const Config& config, const std::string& file) {
  Texts texts;
  warn_of_redis(config, texts);
  warn_of_unshared(config, texts);
  warn_of_unused(config, texts);
  warn_of_idle_horizons(config, texts);
  warn_of_kept_bursts(config, texts);
  warn_of_horizons(config, texts);
  warn_of_shares_that_differ(config, texts);
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    warn_of_route(config, config.routes[i], "routes[" + std::to_string(i) + "]", texts);
  }
  for (std::string& text : texts) {
    const std::string line = located(config, file, text);
    text = line.substr(0, line.size() - text.size()) + "warning: " + text;
  }
  return texts;
}

}  // namespace einlass::config
