#include "app/status/status.h"

#include <algorithm>
#include <optional>

#include "app/setup/wiring.h"
#include "app/status/process_view.h"
#include "app/status/status_json.h"
#include "app/status/steering_json.h"
#include "app/status/waits_json.h"
#include "config/options/route_topics.h"

namespace einlass::app {
namespace {

bool some_wait_for_redis(const config::Config& config) {
  return std::ranges::any_of(
      config.routes, [&](const config::Route& route) { return waits_for_redis(config, route); });
}

// A topic without which some route has nothing to do.
std::string missing_topic(const ShardView& view, const config::Config& config) {
  for (const std::string& topic : view.source.missing_topics) {
    const int reader = config::reader_of(config.routes, topic);
    if (reader < 0) continue;
    return "the topic " + topic + " of route " +
           config.routes[static_cast<std::size_t>(reader)].name +
           " is not there; create it, or correct the route's topics";
  }
  return "";
}

std::string why_not_ready(const ShardView& view, const config::Config& config) {
  if (view.source.brokers_down) return "no Kafka broker can be reached: " + view.source.trouble;
  if (!view.source.joined) {
    return view.source.trouble.empty() ? "not yet in the consumer group" : view.source.trouble;
  }
  for (const kafka::SourceStatus::Partition& partition : view.source.partitions) {
    if (!partition.stuck.empty()) return partition.stuck;
  }
  if (std::string why = missing_topic(view, config); !why.empty()) return why;
  if (view.redis && some_wait_for_redis(config) && !view.redis->up) {
    return "the limiter grants nothing: " + view.redis->trouble;
  }
  if (view.redis && !view.redis->closed.empty()) return view.redis->closed;
  for (std::size_t i = 0; i < view.targets.size(); ++i) {
    const std::string& why = view.targets[i].status.unusable;
    if (!why.empty()) return "target " + config.targets[i].name + ": " + why;
  }
  return view.dead_letters.unusable;
}

}  // namespace

std::string warning_when_ready(const Views& views, const config::Config& config) {
  for (const ShardView& view : known(views)) {
    for (const config::Route& route : config.routes) {
      if (!view.source.missing_topics.contains(route.dead_letter)) continue;
      return "the dead letter topic " + route.dead_letter + " of route " + route.name +
             " is not there; create it: a record that needs it will wait, and so will those "
             "ordered behind it";
    }
  }
  return "";
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

std::string why_not_ready(const Views& views, const config::Config& config,
                          const Steering& steering) {
  const std::string why = why_not_steered(steering);
  return why.empty() ? why_not_ready(views, config) : why;
}

std::string status_json(const Views& views, const config::Config& config,
                        const ProcessView& process) {
  const metrics::Snapshot& sum = process.sum;
  Json status{{"at", process.now.us}, {"started_at", process.started.us}};
  status.update(state_json(views, config, process));
  status["troubles"] = troubles_json(process.troubles);
  status["shards"] = shards_json(views, process.silent);
  status["books"] = books_json(sum);
  status["routes"] = routes_json(sum, config);
  status["limits"] = limits_json(sum, config, process.values);
  status["shares"] = shares_json(sum, config, process.steering);
  status["targets"] = targets_json(views, config);
  status["stores"] = stores_json(views, config);
  status["kafka"] = kafka_json(views);
  status["dead_letters"] = dead_letters_json(views);
  status["quotas"] = steering_json(process.steering, Steering::kMostNamed);
  status["lines"] = lines_of(views);
  status["longest_lines"] = lines_json(views, config);
  status["reload"] = reload_json(process.reload);
  status["recent"] = recent_json(process.recent);
  return status.dump(2) + "\n";
}

}  // namespace einlass::app
