#include <cstdint>
#include <vector>

#include "adapters/metrics/sections.h"

namespace einlass::metrics {
namespace {

void add_stores(Families& page, const std::vector<Store>& stores) {
  page.counter("einlass_limiter_calls_total", "Calls to a limiter's store, by result.");
  for (const Store& store : stores) {
    page.add({{"store", store.name}, {"result", "granted"}}, store.granted);
    page.add({{"store", store.name}, {"result", "denied"}}, store.denied);
    page.add({{"store", store.name}, {"result", "error"}}, store.errors);
    page.add({{"store", store.name}, {"result", "timeout"}}, store.timeouts);
  }
  page.histogram(
      "einlass_limiter_call_duration_seconds",
      "Time from a call to a limiter's store to its reply. Limits in memory make no calls and are "
      "not measured.");
  for (const Store& store : stores) page.add({{"store", store.name}}, store.call_duration);
}

void add_store_states(Families& page, const std::vector<Store>& stores) {
  page.gauge("einlass_store_up",
             "1 while the limiter's store answers every shard, and not only with errors.");
  for (const Store& store : stores) page.add({{"store", store.name}}, std::uint64_t{store.up});
  page.gauge("einlass_store_connections",
             "Connections to the store's servers, one from each shard to each server: healthy (up) "
             "or not (down). The store memory has none.");
  for (const Store& store : stores) {
    page.add({{"store", store.name}, {"state", "up"}}, store.nodes_up);
    page.add({{"store", store.name}, {"state", "down"}}, store.nodes - store.nodes_up);
  }
}

void add_outage_policies(Families& page, const std::vector<OutagePolicy>& policies) {
  page.gauge(
      "einlass_outage_policy_in_force",
      "1 while the limit's store does not answer, or only with errors: records then wait (hold), "
      "pass without a permit (pass), or use this gate's share of the limit (local_share).");
  for (const OutagePolicy& it : policies) {
    page.add({{"route", it.route}, {"limit", it.limit}, {"policy", it.policy}},
             std::uint64_t{it.in_force});
  }
}

void add_configured(Families& page, const std::vector<Limit>& limits) {
  page.gauge("einlass_limit_info",
             "Always 1; the labels describe the limit. key is none for a limit that all records "
             "share; otherwise each key has as much as the limit allows. shadow is true for one "
             "that is not enforced.");
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
      "The most permits that the limit grants at once: its limit, burst or capacity, divided by "
      "the cost of an attempt. Missing if the cost comes from the record.");
  for (const Limit& it : limits) {
    if (it.at_once) page.add({{"limit", it.name}}, *it.at_once);
  }
  page.gauge("einlass_limit_allowed_permits_per_second",
             "Permits that the limit grants per second in the long run, to the whole fleet if it "
             "is in Redis. Missing if the cost comes from the record, and for a concurrency "
             "limit.");
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
