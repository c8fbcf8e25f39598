#include "app/status/live_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/status/process_view.h"
#include "app/status/status.h"
#include "app/status/status_json.h"
#include "app/status/steering_json.h"
#include "app/status/waits_json.h"
#include "app/status/why_text.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const core::Histogram& histogram) {
  return {{"bounds", core::Histogram::kBounds}, {"counts", histogram.counts}};
}

Json delays_json(const metrics::Snapshot& sum) {
  core::Histogram all;
  for (const metrics::Route& route : sum.routes) core::add(all, route.delivery_delay);
  return counts_json(all);
}

Json waits_json(const metrics::Snapshot& sum) {
  core::Histogram all;
  for (const metrics::Route& route : sum.routes) core::add(all, route.stats.admission_wait);
  return counts_json(all);
}

Json oldest_json(const WaitingRecord& record, const config::Config& config, Instant now) {
  const core::Standing& standing = record.standing;
  return {{"offset", record.offset.value},
          {"written", record.written.us},
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
            {"route", partition.route},
            {"held", partition.held},
            {"paused", partition.paused},
            {"revoking", partition.revoking},
            {"waiting", partition.waiting},
            {"stuck", valid_utf8(partition.stuck)},
            {"committed", partition.committed.value},
            {"finished_ahead", partition.finished_ahead}};
  json["lag"] = partition.lag ? Json(*partition.lag) : Json(nullptr);
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
                      const ProcessView& process) {
  const metrics::Snapshot& sum = process.sum;
  Json live{{"at", process.now.us}, {"started_at", process.started.us}};
  live.update(state_json(views, config, process));
  live["troubles"] = troubles_json(process.troubles);
  live["books"] = books_json(sum);
  live["routes"] = routes_json(sum, config);
  live["shares"] = shares_json(sum, config, process.steering);
  live["limits"] = limits_json(sum, config, process.values);
  live["quotas"] = steering_json(process.steering, kMostPausesShown);
  live["waits"] = waits_json(sum);
  live["delays"] = delays_json(sum);
  live["lines"] = lines_json(views, config);
  live["lines_total"] = lines_of(views);
  live["partitions"] = partitions_json(views, config, process.now);
  std::size_t partitions = 0;
  for (const ShardView& view : known(views)) partitions += view.source.partitions.size();
  live["partitions_total"] = partitions;
  live["targets"] = targets_json(views, config);
  live["stores"] = stores_json(views, config);
  live["kafka_trouble"] = kafka_trouble(views);
  live["configured_at"] = process.reload.succeeded_at.us;
  live["recent"] = recent_json(process.recent);
  return live.dump();
}

}  // namespace einlass::app
