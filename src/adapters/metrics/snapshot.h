// Everything that /metrics shows, as plain values. The composition root fills one for each scrape,
// adding up its shards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/stats.h"
#include "units/id.h"

namespace einlass::metrics {

// The most keys of a route, partitions, and topics that are named. The rest is `other`.
inline constexpr std::size_t kMostKeys = 10;
inline constexpr std::size_t kMostTopics = 1000;
inline constexpr std::size_t kMostPartitions = 1000;

// The records that wait under one key of the route's limits (or under several keys, joined).
struct WaitingKey {
  std::string key;
  std::uint64_t records = 0;
};

// A limit of a route that is asked about every attempt and that nobody obeys: what it has said.
struct ShadowLimit {
  std::string name;
  std::uint64_t admitted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t unanswered = 0;
};

// How a route's flows share: what its stats and its waiting records are counted by.
struct Share {
  std::string name;
  std::vector<std::string> levels;
  std::vector<std::string> flows;  // Those that have a name, in the order of the stats.
};

struct Route {
  std::string name;
  std::string target{};
  std::vector<std::string> limits;  // Names, in the order of the route's list, as in stats.limits.
  std::vector<ShadowLimit> shadow_limits{};  // In the order of the route's list.
  std::optional<Share> share{};
  core::RouteStats stats;
  core::Waiting waiting;
  core::Histogram delivery_delay{};  // From a record's timestamp to its delivery.
  std::uint64_t partitions_assigned = 0;
  std::uint64_t partitions_held = 0;  // Of these: not being read.
  // Records wait for somebody to act on the route's dead letter topic.
  bool dead_letters_unusable = false;
  // Over its partitions, as far as it is known: the sum, and the worst.
  std::optional<std::uint64_t> lag{};
  std::optional<double> lag_seconds{};
  std::vector<bool> keyed;       // By limit: whether it has a key.
  std::vector<WaitingKey> keys;  // Those with most records waiting, each once.
  std::uint64_t other_keys = 0;  // Records of all others.

  bool is_keyed(std::size_t limit) const { return limit < keyed.size() && keyed[limit]; }
  // Only then the keys above are shown.
  bool has_keys() const { return std::find(keyed.begin(), keyed.end(), true) != keyed.end(); }
};

// A limiter's store, "redis" or "memory", and its calls by their result.
struct Store {
  std::string name;
  std::uint64_t granted = 0;
  std::uint64_t denied = 0;
  std::uint64_t errors = 0;
  std::uint64_t timeouts = 0;
  core::Histogram call_duration;
  bool up = true;
  std::uint64_t nodes = 0;     // Servers in use, each connected once by each shard,
  std::uint64_t nodes_up = 0;  // and how many of these connections work.
};

// A limit as it is configured. What it allows is in permits: divided by what one attempt takes.
struct Limit {
  std::string name;
  std::string algorithm;
  std::string store;
  std::string key;  // As it is written; "none" for a limit without.
  bool shadow = false;
  std::optional<double> at_once;     // None where each record brings its cost.
  std::optional<double> per_second;  // None as above, and where it counts what is under way.
};

// A route's limit in a store that may not answer, and what holds for it then: "hold", "pass" or
// "local_share".
struct OutagePolicy {
  std::string route;
  std::string limit;
  std::string policy;
  bool in_force = false;
};

struct TargetValues {
  std::string name;
  bool breaker_open = false;    // Or probing, at some shard.
  double held_seconds = 0;      // For so long nothing is sent yet: a Retry-After or the breaker.
  std::uint64_t in_flight = 0;  // Attempts.
  std::uint64_t connections = 0;
  std::uint64_t most_in_flight = 0;
  bool unusable = false;  // It can take nothing before somebody acts.
  bool hosts_of_records = false;  // Records name the hosts: their troubles are their own.
};

// What a shard's consumer has seen of its group.
struct Consumer {
  bool joined = true;          // At every shard.
  bool brokers_down = false;   // At some shard: none can be reached.
  std::uint64_t assigned = 0;  // Partitions, ever.
  std::uint64_t revoked = 0;
  std::uint64_t lost = 0;
  std::uint64_t filled_by_flow = 0;
  std::uint64_t commits = 0;  // Acknowledged,
  std::uint64_t commits_failed = 0;
  std::uint64_t commits_fenced = 0;  // and refused, for the group no longer knows us.
};

// One shard's loop.
struct Loop {
  int shard = 0;
  core::Histogram turns;    // From waking up until all is performed.
  double busy_seconds = 0;  // CPU time of its thread.
};

// An assigned partition's ledger.
struct Partition {
  std::string topic;
  PartitionNumber number;
  std::optional<Offset> committed;  // None while the group has none: no series then.
  std::uint64_t finished_ahead = 0;
  std::optional<std::uint64_t> lag;  // Offsets from there to the log's end; none while unknown.
  double oldest_seconds = 0;         // Since the oldest unfinished record was taken in; 0: none.
  // The age of the record to commit next, by its timestamp; 0: there is none. None while unknown.
  std::optional<double> lag_seconds{};
  std::optional<Offset> log_start{};  // The first offset that Kafka still has; as above.
};

// A topic that some route reads, and its offsets that were never read.
struct Topic {
  std::string name;
  std::uint64_t skipped_by_retention = 0;
  std::uint64_t skipped_by_recreation = 0;  // The topic was deleted and made again.
  std::uint64_t skipped_by_reset = 0;       // Passed over, for kafka.auto_offset_reset is latest.
  std::string route{};
  // For how long Kafka keeps its records; none: for ever, or nobody says.
  std::optional<double> retention_seconds{};
};

// Of the records that are traced.
struct Spans {
  std::uint64_t exported = 0;
  std::uint64_t dropped = 0;  // For good.
};

// Of the configuration's file.
struct Reloads {
  bool last_successful = true;      // Also true where there was none.
  double last_success_seconds = 0;  // Since 1970: when the running configuration was read.
  std::uint64_t applied = 0;
  std::uint64_t wrong = 0;  // The file has mistakes.
  std::uint64_t needs_restart = 0;
};

// What is wrong now, for as long as it lasts.
struct Trouble {
  std::string what;
  std::string name;                      // Which one, where there are several; else empty.
  std::string severity;                  // "bad" or "warning".
  double since_seconds = 0;              // Since 1970.
  std::optional<std::uint64_t> waiting;  // Records; none where that cannot be said.
};

// Of the fleet's table of quotas and pauses, as this gate has read it.
struct Steering {
  struct Paused {
    std::string_view what;   // "route", "target", "topic", "limit".
    std::string name;        // Of a limit's key: LIMIT/KEY.
    std::string who, why;    // Empty: not said.
    double end_seconds = 0;  // Since 1970; 0: not by itself.
  };
  bool has_table = false;
  std::uint64_t quotas = 0, refused = 0;
  double stale_seconds = 0;
  std::vector<Paused> paused;
};

struct Snapshot {
  std::string version;
  std::string librdkafka_version;
  Reloads reloads;
  std::vector<Route> routes;
  std::vector<Store> stores;
  std::vector<OutagePolicy> outage_policies;
  std::vector<Limit> limits;
  std::vector<TargetValues> targets;
  Consumer consumer;
  std::vector<Loop> loops;
  Spans spans;
  std::uint64_t shards = 0;            // That there are,
  std::uint64_t shards_answering = 0;  // and of which this is new.
  std::vector<Topic> topics;
  std::vector<Partition> partitions;
  std::vector<Trouble> troubles;  // Of the whole gate; so is this.
  Steering steering;
};

// Adds another shard's snapshot: numbers add up, partitions and loops stand side by side, the worst
// state counts for all. REQUIRES: both are of the same configuration.
void add(Snapshot& to, const Snapshot& one);

// A share over all routes that have it.
struct ShareSum {
  Share share;
  std::vector<std::string> routes;
  // By flow, of which the last are all others, and by level.
  std::vector<std::vector<std::uint64_t>> permits;
  std::vector<std::uint64_t> waiting;  // By level.

  std::string flow_name(std::size_t flow) const {
    return flow < share.flows.size() ? share.flows[flow] : "other";
  }
};
std::vector<ShareSum> sum_shares(const Snapshot& snapshot);

}  // namespace einlass::metrics
