// A snapshot that has one of everything, so that every metric is on its page.
#pragma once

#include "adapters/metrics/snapshot.h"

namespace einlass::metrics {

inline Snapshot full_snapshot() {
  Snapshot snapshot;
  snapshot.version = "0.1.0";
  snapshot.librdkafka_version = "2.0.2";
  snapshot.routes = {{.name = "results",
                      .target = "billing",
                      .limits = {"callbacks"},
                      .shadow_limits = {{.name = "tried"}},
                      .share = Share{"tenants", {"urgent", "bulk"}, {"acme"}},
                      .stats = {},
                      .waiting = {},
                      .keyed = {true},
                      .keys = {{"acme", 7}}}};
  snapshot.routes[0].stats.limits.resize(1);
  snapshot.routes[0].stats.share_permits.resize(2 * (core::kNamedFlows + 1));
  snapshot.stores = {{.name = "redis", .call_duration = {}, .nodes = 3, .nodes_up = 2}};
  snapshot.outage_policies = {{"results", "callbacks", "hold", false}};
  snapshot.limits = {{"callbacks", "sliding_log", "redis", "header:tenant", false, 100.0, 50.0}};
  snapshot.targets = {{.name = "billing"}};
  snapshot.steering = {
      true,
      3,
      1,
      0.5,
      {{"route", "results", "anna", "upgrade", 1.8e9}, {"limit", "per_tenant/acme", "", "", 0}}};
  snapshot.troubles = {{"target", "billing", "bad", 1.8e9, 7}};
  snapshot.loops = {{.shard = 0, .turns = {}, .busy_seconds = 1.5}};
  snapshot.shards = snapshot.shards_answering = 1;
  snapshot.topics = {{.name = "results", .route = "results", .retention_seconds = 604'800.0}};
  snapshot.partitions = {{.topic = "results",
                          .number = {3},
                          .committed = Offset{0},
                          .lag = 5,
                          .oldest_seconds = 2.5,
                          .lag_seconds = 90.5,
                          .log_start = Offset{0}}};
  snapshot.routes[0].lag = 5;
  snapshot.routes[0].lag_seconds = 90.5;
  return snapshot;
}

}  // namespace einlass::metrics
