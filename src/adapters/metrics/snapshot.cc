#include "adapters/metrics/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

#include "units/check.h"

namespace einlass::metrics {
namespace {

// A key that is among the first of one shard only counts as one of the others at the other.
void add_keys(Route& to, const Route& one) {
  std::map<std::string, std::uint64_t> sum;
  for (const WaitingKey& it : to.keys) sum[it.key] += it.records;
  for (const WaitingKey& it : one.keys) sum[it.key] += it.records;
  to.keys.clear();
  for (const auto& [key, records] : sum) to.keys.push_back({key, records});
  std::stable_sort(to.keys.begin(), to.keys.end(),
                   [](const WaitingKey& a, const WaitingKey& b) { return a.records > b.records; });
  to.other_keys += one.other_keys;
  for (; to.keys.size() > kMostKeys; to.keys.pop_back()) to.other_keys += to.keys.back().records;
}

void add(Route& to, const Route& one) {
  CHECK(to.name == one.name);
  core::add(to.stats, one.stats);
  core::add(to.waiting, one.waiting);
  core::add(to.delivery_delay, one.delivery_delay);
  if (one.lag) to.lag = to.lag.value_or(0) + *one.lag;
  to.lag_seconds = std::max(to.lag_seconds, one.lag_seconds);
  to.partitions_assigned += one.partitions_assigned;
  to.partitions_held += one.partitions_held;
  to.dead_letters_unusable |= one.dead_letters_unusable;
  CHECK(to.shadow_limits.size() == one.shadow_limits.size());
  for (std::size_t i = 0; i < to.shadow_limits.size(); ++i) {
    to.shadow_limits[i].admitted += one.shadow_limits[i].admitted;
    to.shadow_limits[i].rejected += one.shadow_limits[i].rejected;
    to.shadow_limits[i].unanswered += one.shadow_limits[i].unanswered;
  }
  add_keys(to, one);
}

void add(Store& to, const Store& one) {
  CHECK(to.name == one.name);
  to.granted += one.granted;
  to.denied += one.denied;
  to.errors += one.errors;
  to.timeouts += one.timeouts;
  core::add(to.call_duration, one.call_duration);
  to.up &= one.up;
  to.nodes += one.nodes;
  to.nodes_up += one.nodes_up;
}

void add(OutagePolicy& to, const OutagePolicy& one) { to.in_force |= one.in_force; }

void add(TargetValues& to, const TargetValues& one) {
  to.breaker_open |= one.breaker_open;
  to.held_seconds = std::max(to.held_seconds, one.held_seconds);
  to.in_flight += one.in_flight;
  to.connections += one.connections;
  to.unusable |= one.unusable;
}

void add(Consumer& to, const Consumer& one) {
  to.joined &= one.joined;
  to.brokers_down |= one.brokers_down;
  to.assigned += one.assigned;
  to.revoked += one.revoked;
  to.lost += one.lost;
  to.filled_by_flow += one.filled_by_flow;
  to.commits += one.commits;
  to.commits_failed += one.commits_failed;
  to.commits_fenced += one.commits_fenced;
}

void add(Topic& to, const Topic& one) {
  to.skipped_by_retention += one.skipped_by_retention;
  to.skipped_by_recreation += one.skipped_by_recreation;
  to.skipped_by_reset += one.skipped_by_reset;
  if (to.route.empty()) to.route = one.route;
  if (one.retention_seconds) to.retention_seconds = one.retention_seconds;
}

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& one) {
  CHECK(to.size() == one.size());
  for (std::size_t i = 0; i < to.size(); ++i) add(to[i], one[i]);
}

// Patterns may give each shard other topics.
void add_topics(std::vector<Topic>& to, const std::vector<Topic>& more) {
  std::map<std::string, std::size_t, std::less<>> indexes;
  for (const Topic& topic : to) indexes.emplace(topic.name, indexes.size());
  for (const Topic& topic : more) {
    if (const auto found = indexes.find(topic.name); found != indexes.end()) {
      add(to[found->second], topic);
    } else {
      to.push_back(topic);
    }
  }
}

}  // namespace

void add(Snapshot& to, const Snapshot& one) {
  add_each(to.routes, one.routes);
  add_each(to.stores, one.stores);
  add_each(to.outage_policies, one.outage_policies);
  add_each(to.targets, one.targets);
  add_topics(to.topics, one.topics);
  add(to.consumer, one.consumer);
  to.spans.exported += one.spans.exported;
  to.spans.dropped += one.spans.dropped;
  to.loops.insert(to.loops.end(), one.loops.begin(), one.loops.end());
  to.partitions.insert(to.partitions.end(), one.partitions.begin(), one.partitions.end());
}

namespace {

ShareSum& sum_of(std::vector<ShareSum>& sums, const Share& share) {
  for (ShareSum& sum : sums) {
    if (sum.share.name == share.name) return sum;
  }
  ShareSum& sum = sums.emplace_back();
  sum.share = share;
  sum.waiting.resize(share.levels.size());
  sum.permits.assign(share.flows.size() + 1, sum.waiting);
  return sum;
}

}  // namespace

std::vector<ShareSum> sum_shares(const Snapshot& snapshot) {
  std::vector<ShareSum> sums;
  for (const Route& route : snapshot.routes) {
    if (!route.share) continue;
    ShareSum& sum = sum_of(sums, *route.share);
    sum.routes.push_back(route.name);
    const std::size_t levels = sum.waiting.size();
    const auto& counted = route.stats.share_permits;
    for (std::size_t i = 0; levels > 0 && i < counted.size(); ++i) {
      const std::size_t flow = i / levels < core::kNamedFlows ? i / levels : sum.permits.size() - 1;
      if (flow < sum.permits.size()) sum.permits[flow][i % levels] += counted[i];
    }
    for (std::size_t i = 0; i < levels; ++i) sum.waiting[i] += route.waiting.by_level[i];
  }
  return sums;
}

}  // namespace einlass::metrics
