// Everything that /metrics shows, as plain values. The composition root fills one for each scrape,
// adding up its shards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stats.h"
#include "units/id.h"

namespace einlass::metrics {

struct Route {
  std::string name;
  std::vector<std::string> limits;  // Names, in the order of the route's list, as in stats.limits.
  core::RouteStats stats;
  core::Waiting waiting;
  std::uint64_t partitions_held = 0;  // Assigned, and not being read.
};

// A limiter's store, "redis" or "memory", and its calls by their result.
struct Store {
  std::string name;
  std::uint64_t granted = 0;
  std::uint64_t denied = 0;
  std::uint64_t errors = 0;
  std::uint64_t timeouts = 0;
  core::Histogram call_duration;
};

// A route's limit in a store that may not answer, and what holds for it then: "hold", "pass" or
// "local_share".
struct OutagePolicy {
  std::string route;
  std::string limit;
  std::string policy;
  bool in_force = false;
};

struct Target {
  std::string name;
  bool breaker_open = false;  // Or probing, at some shard.
};

// An assigned partition's ledger.
struct Partition {
  std::string topic;
  PartitionNumber number;
  std::optional<Offset> committed;  // None before the first acknowledged commit: no series then.
  std::uint64_t finished_ahead = 0;
};

// A topic that some route reads, and its offsets that were never read.
struct Topic {
  std::string name;
  std::uint64_t skipped_by_retention = 0;
  std::uint64_t skipped_by_recreation = 0;  // The topic was deleted and made again.
  std::uint64_t skipped_by_reset = 0;       // Passed over, for kafka.auto_offset_reset is latest.
};

// Of the configuration's file.
struct Reloads {
  bool last_successful = true;      // Also true where there was none.
  double last_success_seconds = 0;  // Since 1970: when the running configuration was read.
  std::uint64_t applied = 0;
  std::uint64_t wrong = 0;  // The file has mistakes.
  std::uint64_t needs_restart = 0;
};

struct Snapshot {
  std::string version;
  std::string librdkafka_version;
  Reloads reloads;
  std::vector<Route> routes;
  std::vector<Store> stores;
  std::vector<OutagePolicy> outage_policies;
  std::vector<Target> targets;
  std::vector<Topic> topics;
  std::vector<Partition> partitions;
};

// Adds another shard's snapshot: numbers add up, partitions stand side by side, and a policy is in
// force if it is anywhere. REQUIRES: both are of the same configuration.
void add(Snapshot& to, const Snapshot& one);

}  // namespace einlass::metrics
