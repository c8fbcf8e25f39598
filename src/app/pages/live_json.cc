#include "app/pages/live_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/pages/status.h"
#include "app/pages/status_parts.h"
#include "app/views/allowed.h"
#include "units/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

struct Used {
  std::uint64_t admitted = 0, rejected = 0;
};

Used used_of(const metrics::Snapshot& sum, const std::string& limit) {
  Used used;
  for (const metrics::Route& route : sum.routes) {
    for (std::size_t i = 0; i < route.limits.size(); ++i) {
      if (route.limits[i] != limit) continue;
      used.admitted += route.stats.limits[i].admissions;
      used.rejected += route.stats.limits[i].rejections;
    }
    for (const metrics::ShadowLimit& shadow : route.shadow_limits) {
      if (shadow.name != limit) continue;
      used.admitted += shadow.admitted;
      used.rejected += shadow.rejected;
    }
  }
  return used;
}

Json limits_json(const metrics::Snapshot& sum, const config::Config& config) {
  Json limits = Json::array();
  for (const config::Limit& limit : config.limits) {
    // In the long run, or at once where it counts what is under way.
    const Allowed allowed = allowed_by(limit.limit.parameters);
    const Used used = used_of(sum, limit.limit.name);
    Json json{{"name", limit.limit.name},
              {"store", limit.store == config::Store::redis ? "redis" : "memory"},
              {"shadow", limit.shadow},
              {"keyed", limit.key.kind != config::KeySource::Kind::none}};
    json["per_second"] = allowed.per_second ? Json(*allowed.per_second) : Json(nullptr);
    json["at_once"] =
        allowed.per_second ? Json(nullptr) : Json(static_cast<std::int64_t>(allowed.at_once));
    json["admitted"] = used.admitted;
    json["rejected"] = used.rejected;
    limits.push_back(std::move(json));
  }
  return limits;
}

Json waits_json(const metrics::Snapshot& sum) {
  core::Histogram all;
  for (const metrics::Route& route : sum.routes) core::add(all, route.stats.admission_wait);
  return {{"bounds", core::Histogram::kBounds}, {"counts", all.counts}};
}

Json oldest_json(const WaitingRecord& record, const config::Config& config, Instant now) {
  const core::Standing& standing = record.standing;
  return {{"offset", record.offset.value},
          {"waits_for", reason_name(standing.waits)},
          {"until", standing.until ? Json(standing.until->us) : Json(nullptr)},
          {"says", valid_utf8(waits_in_words(record, config, now))}};
}

struct ShownPartition {
  const WaitsView::Partition* partition;
  int shard;
};

Json partition_json(const ShownPartition& shown, const config::Config& config, Instant now) {
  const WaitsView::Partition& partition = *shown.partition;
  Json json{{"topic", valid_utf8(partition.topic)},
            {"partition", partition.number.value},
            {"shard", shown.shard},
            {"inside", partition.inside},
            {"held", partition.held},
            {"revoking", partition.revoking},
            {"stuck", valid_utf8(partition.stuck)},
            {"committed", partition.committed.value},
            {"finished_ahead", partition.finished_ahead}};
  json["oldest"] = partition.oldest ? oldest_json(*partition.oldest, config, now) : Json(nullptr);
  return json;
}

Json partitions_json(const Views& views, const config::Config& config, Instant now) {
  std::vector<ShownPartition> all;
  for (const ShardView& view : known(views)) {
    for (const auto& partition : view.waits.partitions) all.push_back({&partition, view.shard});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return comes_before(*a.partition, *b.partition);
  });
  all.resize(std::min(all.size(), kMostPartitionsShown));
  Json partitions = Json::array();
  for (const auto& one : all) partitions.push_back(partition_json(one, config, now));
  return partitions;
}

}  // namespace

std::string live_json(const Views& views, const config::Config& config,
                      const std::vector<std::string>& silent, const Recent& recent, Instant started,
                      Instant now) {
  const metrics::Snapshot sum = sum_of(views);
  Json live{{"at", now.us}, {"started_at", started.us}};
  live.update(state_json(views, config));
  live["shards"] = shards_json(views, silent);
  live["books"] = books_json(sum);
  live["routes"] = routes_json(sum);
  live["limits"] = limits_json(sum, config);
  live["waits"] = waits_json(sum);
  live["lines"] = lines_json(views, config);
  live["lines_total"] = lines_of(views);
  live["partitions"] = partitions_json(views, config, now);
  std::size_t partitions = 0;
  for (const ShardView& view : known(views)) partitions += view.source.partitions.size();
  live["partitions_total"] = partitions;
  live["targets"] = targets_json(views, config);
  live["stores"] = stores_json(views, config);
  live["kafka_trouble"] = kafka_trouble(views);
  live["dead_letters"] = dead_letters_json(views);
  live["recent"] = recent_json(recent);
  return live.dump();
}

}  // namespace einlass::app
