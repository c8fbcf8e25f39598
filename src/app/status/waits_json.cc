#include "app/status/waits_json.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/status/schedule_json.h"
#include "app/status/why_text.h"
#include "app/views/allowed.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

struct Used {
  std::uint64_t admitted = 0, rejected = 0;
  std::uint64_t waiting = 0;         // Records,
  std::uint64_t keys = 0, full = 0;  // and keys, of which so many wait.
};

Used used_of(const metrics::Snapshot& sum, const std::string& limit) {
  Used used;
  for (const metrics::Route& route : sum.routes) {
    for (std::size_t i = 0; i < route.limits.size(); ++i) {
      if (route.limits[i] != limit) continue;
      used.admitted += route.stats.limits[i].admissions;
      used.rejected += route.stats.limits[i].rejections;
      used.waiting += route.waiting.for_limit[i];
      used.keys += route.waiting.lines;
      used.full += route.waiting.lines_for_limit[i];
    }
    for (const metrics::ShadowLimit& shadow : route.shadow_limits) {
      if (shadow.name != limit) continue;
      used.admitted += shadow.admitted;
      used.rejected += shadow.rejected;
    }
  }
  return used;
}

// By the names of the limits that have one. What keeps a limit's burst has the key of that limit.
Json keys_json(const config::Config& config, const config::Route& route,
               const std::vector<std::string>& keys) {
  Json json = Json::object();
  for (std::size_t i = 0; i < keys.size() && i < route.limits.size(); ++i) {
    const config::Limit& limit = config.limits[route.limits[i]];
    if (limit.key.kind == config::KeySource::Kind::none || limit.is_pace) continue;
    json[limit.limit.name] = valid_utf8(keys[i]);
  }
  return json;
}

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json line_json(const WaitsView::Line& line, const config::Config& config) {
  const core::LineStanding& standing = line.standing;
  const config::Route& route = config.routes[standing.route.value];
  Json json{{"route", route.name},
            {"keys", keys_json(config, route, line.keys)},
            {"waiting", standing.waiting},
            {"in_flight", standing.in_flight},
            {"waits_for", reason_name(standing.waits)}};
  const config::Limit* limit =
      standing.limit ? &config.limits[route.limits[standing.limit->value]] : nullptr;
  json["limit"] = limit ? Json(limit->limit.name) : Json(nullptr);
  json["per_second"] = number_or_null(line.allowed ? line.allowed->per_second : std::nullopt);
  json["until"] = standing.until ? Json(standing.until->us) : Json(nullptr);
  json["behind"] = line.behind.empty() ? Json(nullptr) : keys_json(config, route, line.behind);
  json["oldest"] = line.oldest ? Json(line.oldest->us) : Json(nullptr);
  // If nothing comes and nobody else has a part.
  json["drain_seconds"] = line.behind.empty()
                              ? number_or_null(drain_seconds(standing.waiting, line.allowed))
                              : Json(nullptr);
  return json;
}

}  // namespace

Json limits_json(const metrics::Snapshot& sum, const config::Config& config,
                 const LimitValues& values) {
  Json limits = Json::array();
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const config::Limit& limit = config.limits[i];
    const std::optional<LimitValues::Scheduled> now = values.scheduled(i);
    const bool own = !now || !now->value;
    const auto allowed =
        records_allowed_by(limit, own ? limit.limit.parameters : now->value->parameters);
    const Used used = used_of(sum, limit.limit.name);
    const bool keyed = limit.key.kind != config::KeySource::Kind::none;
    Json json{{"name", limit.limit.name},
              {"store", limit.store == config::Store::redis ? "redis" : "memory"},
              {"shadow", limit.shadow},
              {"keyed", keyed}};
    // In the long run, or at once where it counts what is under way.
    json["per_second"] = number_or_null(allowed ? allowed->per_second : std::nullopt);
    json["at_once"] = allowed && !allowed->per_second
                          ? Json(static_cast<std::int64_t>(allowed->at_once))
                          : Json(nullptr);
    json["schedule"] = schedule_json(now);
    json["admitted"] = used.admitted;
    json["rejected"] = used.rejected;
    json["waiting"] = used.waiting;
    json["keys"] = keyed ? Json(used.keys) : Json(nullptr);
    json["keys_full"] = keyed ? Json(used.full) : Json(nullptr);
    limits.push_back(std::move(json));
  }
  return limits;
}

Json lines_json(const Views& views, const config::Config& config) {
  std::vector<const WaitsView::Line*> all;
  for (const ShardView& view : known(views)) {
    for (const WaitsView::Line& line : view.waits.lines) all.push_back(&line);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return a->standing.waiting > b->standing.waiting;
  });
  all.resize(std::min(all.size(), kMostLinesShown));
  Json lines = Json::array();
  for (const WaitsView::Line* line : all) lines.push_back(line_json(*line, config));
  return lines;
}

std::size_t lines_of(const Views& views) {
  std::size_t lines = 0;
  for (const ShardView& view : known(views)) lines += view.lines;
  return lines;
}

}  // namespace einlass::app
