#include "adapters/metrics/snapshot.h"

#include <cstddef>
#include <functional>
#include <map>

#include "units/check.h"

namespace einlass::metrics {
namespace {

void add(Route& to, const Route& one) {
  CHECK(to.name == one.name);
  core::add(to.stats, one.stats);
  core::add(to.waiting, one.waiting);
  to.partitions_held += one.partitions_held;
}

void add(Store& to, const Store& one) {
  CHECK(to.name == one.name);
  to.granted += one.granted;
  to.denied += one.denied;
  to.errors += one.errors;
  to.timeouts += one.timeouts;
  core::add(to.call_duration, one.call_duration);
}

void add(OutagePolicy& to, const OutagePolicy& one) { to.in_force |= one.in_force; }

void add(Target& to, const Target& one) { to.breaker_open |= one.breaker_open; }

void add(Topic& to, const Topic& one) {
  to.skipped_by_retention += one.skipped_by_retention;
  to.skipped_by_recreation += one.skipped_by_recreation;
  to.skipped_by_reset += one.skipped_by_reset;
}

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& one) {
  CHECK(to.size() == one.size());
  for (std::size_t i = 0; i < to.size(); ++i) add(to[i], one[i]);
}

// Patterns may give each shard other topics.
void add_topics(std::vector<Topic>& to, const std::vector<Topic>& more) {
  std::map<std::string, std::size_t, std::less<>> places;
  for (const Topic& topic : to) places.emplace(topic.name, places.size());
  for (const Topic& topic : more) {
    if (const auto found = places.find(topic.name); found != places.end()) {
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
  to.partitions.insert(to.partitions.end(), one.partitions.begin(), one.partitions.end());
}

}  // namespace einlass::metrics
