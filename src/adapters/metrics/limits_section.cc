#include <cstdint>
#include <string>
#include <vector>

#include "adapters/metrics/sections.h"

namespace einlass::metrics {
namespace {

void add_stores(Families& page, const std::vector<Store>& stores) {
  page.counter("einlass_limiter_calls_total", "Calls to a limiter's store, by their result.");
  for (const Store& store : stores) {
    page.add({{"store", store.name}, {"result", "granted"}}, store.granted);
    page.add({{"store", store.name}, {"result", "denied"}}, store.denied);
    page.add({{"store", store.name}, {"result", "error"}}, store.errors);
    page.add({{"store", store.name}, {"result", "timeout"}}, store.timeouts);
  }
  page.histogram(
      "einlass_limiter_call_duration_seconds",
      "Time from a call to a limiter's store to its answer. What is asked of memory is no call, "
      "and is not measured.");
  for (const Store& store : stores) page.add({{"store", store.name}}, store.call_duration);
}

void add_store_states(Families& page, const std::vector<Store>& stores) {
  page.gauge("einlass_store_up",
             "1 while the limiter's store answers every shard, and not with errors alone.");
  for (const Store& store : stores) page.add({{"store", store.name}}, std::uint64_t{store.up});
  page.gauge("einlass_store_connections",
             "Connections to the store's servers, one from each shard to each: those that work "
             "(up) and those that do not (down). The store memory has none.");
  for (const Store& store : stores) {
    page.add({{"store", store.name}, {"state", "up"}}, store.nodes_up);
    page.add({{"store", store.name}, {"state", "down"}}, store.nodes - store.nodes_up);
  }
}

void add_outage_policies(Families& page, const std::vector<OutagePolicy>& policies) {
  page.gauge(
      "einlass_outage_policy_in_force",
      "1 while the limit's store does not answer, or with errors alone: then records wait (hold), "
      "pass without a permit (pass), or this gate keeps to its own part of the limit "
      "(local_share).");
  for (const OutagePolicy& it : policies) {
    page.add({{"route", it.route}, {"limit", it.limit}, {"policy", it.policy}},
             std::uint64_t{it.in_force});
  }
}

void add_configured(Families& page, const std::vector<Limit>& limits) {
  page.gauge("einlass_limit_info",
             "Always 1; what the limit is stands in its labels. key is none for a limit that all "
             "records share; else each key has as much as the limit allows. shadow is true for one "
             "that nobody obeys.");
  for (const Limit& it : limits) {
    page.add({{"limit", it.name},
              {"algorithm", it.algorithm},
              {"store", it.store},
              {"key", it.key},
              {"shadow", it.shadow ? "true" : "false"}},
             1.0);
  }
  page.gauge(
      "einlass_limit_allowed_permits",
      "The most permits that the limit grants at once: its limit, burst or capacity, divided "
      "by what an attempt takes. Missing where each record brings its cost.");
  for (const Limit& it : limits) {
    if (it.at_once) page.add({{"limit", it.name}}, *it.at_once);
  }
  page.gauge("einlass_limit_allowed_permits_per_second",
             "The permits that the limit grants in a second in the long run, to the whole fleet if "
             "it is kept in Redis. Missing where each record brings its cost, and for a limit of "
             "attempts under way.");
  for (const Limit& it : limits) {
    if (it.per_second) page.add({{"limit", it.name}}, *it.per_second);
  }
}

}  // namespace

void add_limits(Families& page, const Snapshot& snapshot) {
  add_configured(page, snapshot.limits);
  add_stores(page, snapshot.stores);
  add_store_states(page, snapshot.stores);
  add_outage_policies(page, snapshot.outage_policies);
}

}  // namespace einlass::metrics
