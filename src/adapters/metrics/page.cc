#include "adapters/metrics/page.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "adapters/metrics/families.h"
#include "adapters/metrics/process.h"
#include "core/command.h"

namespace einlass::metrics {
namespace {

using Routes = std::vector<Route>;

// In the order of core::DeadLetterReason.
constexpr std::array kDeadLetterReasons = {"refused", "attempts", "never", "bad_key"};
static_assert(kDeadLetterReasons.size() ==
              std::tuple_size_v<decltype(core::RouteStats::dead_lettered)>);
static_assert(static_cast<int>(core::DeadLetterReason::refused) == 0);
static_assert(static_cast<int>(core::DeadLetterReason::attempts) == 1);
static_assert(static_cast<int>(core::DeadLetterReason::never) == 2);
static_assert(static_cast<int>(core::DeadLetterReason::bad_key) == 3);

void add_route_number(Families& page, const Routes& routes,
                      std::uint64_t core::RouteStats::*field) {
  for (const Route& route : routes) page.add({{"route", route.name}}, route.stats.*field);
}

void add_records(Families& page, const Routes& routes) {
  page.counter("einlass_records_received_total", "Records taken in from Kafka.");
  add_route_number(page, routes, &core::RouteStats::received);
  page.counter("einlass_records_delivered_total", "Records that the target accepted.");
  add_route_number(page, routes, &core::RouteStats::delivered);
  page.counter("einlass_records_dead_lettered_total",
               "Records that the dead letter topic acknowledged, by why they went there.");
  for (const Route& route : routes) {
    for (std::size_t i = 0; i < kDeadLetterReasons.size(); ++i) {
      page.add({{"route", route.name}, {"reason", kDeadLetterReasons[i]}},
               route.stats.dead_lettered[i]);
    }
  }
  page.counter("einlass_records_returned_total",
               "Records given back to Kafka unfinished: their partition was revoked, or the gate "
               "stopped. Whoever reads the partition next reads them again.");
  add_route_number(page, routes, &core::RouteStats::returned);
  page.counter("einlass_records_finished_before_total",
               "Records read again after a restart or a rebalance, but known to be finished from "
               "the last commit: passed over, and not counted as received.");
  add_route_number(page, routes, &core::RouteStats::finished_before);
  page.gauge("einlass_records_inside",
             "Records inside the gate now, counted on their own: the books close when this is "
             "received - delivered - dead lettered - returned.");
  add_route_number(page, routes, &core::RouteStats::inside);
}

void add_waiting(Families& page, const Routes& routes) {
  page.gauge("einlass_waiting_records",
             "Records inside the gate by what they wait for: a permit (limit), room at the target "
             "(target), their next attempt (retry), the record before them (order), a limiter that "
             "does not answer (outage), the end of their attempt (in_flight).");
  for (const Route& route : routes) {
    const core::Waiting& waiting = route.waiting;
    page.add({{"route", route.name}, {"reason", "limit"}}, waiting.limit);
    page.add({{"route", route.name}, {"reason", "target"}}, waiting.target);
    page.add({{"route", route.name}, {"reason", "retry"}}, waiting.retry);
    page.add({{"route", route.name}, {"reason", "order"}}, waiting.order);
    page.add({{"route", route.name}, {"reason", "outage"}}, waiting.outage);
    page.add({{"route", route.name}, {"reason", "in_flight"}}, waiting.in_flight);
  }
  page.gauge("einlass_partitions_held",
             "Assigned partitions that are not being read because the gate is full or waits.");
  for (const Route& route : routes) page.add({{"route", route.name}}, route.partitions_held);
}

void add_limit_number(Families& page, const Routes& routes,
                      std::uint64_t core::LimitStats::*field) {
  for (const Route& route : routes) {
    const std::size_t known = std::min(route.limits.size(), route.stats.limits.size());
    for (std::size_t i = 0; i < route.limits.size(); ++i) {
      page.add({{"route", route.name}, {"limit", route.limits[i]}},
               i < known ? route.stats.limits[i].*field : 0);
    }
  }
}

void add_admission(Families& page, const Routes& routes) {
  page.counter("einlass_admissions_total", "Permits that were granted and used.");
  add_limit_number(page, routes, &core::LimitStats::admissions);
  page.counter("einlass_stand_in_admissions_total",
               "Permits used that no limiter granted: its store did not answer, and the route's "
               "limits say pass or local_share then.");
  add_route_number(page, routes, &core::RouteStats::stood_in);
  page.counter("einlass_rejections_total",
               "Asks that were denied, by the limit that was the reason.");
  add_limit_number(page, routes, &core::LimitStats::rejections);
  page.counter("einlass_permits_released_total",
               "Permits that were granted, not used in time, and given back.");
  add_limit_number(page, routes, &core::LimitStats::released);
  page.histogram("einlass_admission_wait_seconds",
                 "Time from a record's being ready to leave to its permit's coming due.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}}, route.stats.admission_wait);
  }
}

void add_attempts(Families& page, const Routes& routes) {
  page.counter("einlass_attempts_total",
               "Tries to deliver, by how they ended: accepted, retry (to be tried again) or "
               "refused.");
  for (const Route& route : routes) {
    const core::RouteStats& stats = route.stats;
    page.add({{"route", route.name}, {"outcome", "accepted"}}, stats.attempts_accepted);
    page.add({{"route", route.name}, {"outcome", "retry"}}, stats.attempts_retry);
    page.add({{"route", route.name}, {"outcome", "refused"}}, stats.attempts_refused);
  }
  page.histogram("einlass_attempt_duration_seconds",
                 "Time from sending a request to its answer, or to giving it up.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}}, route.stats.attempt_duration);
  }
}

void add_stores(Families& page, const std::vector<Store>& stores) {
  page.counter("einlass_limiter_calls_total", "Calls to a limiter's store, by their result.");
  for (const Store& store : stores) {
    page.add({{"store", store.name}, {"result", "granted"}}, store.granted);
    page.add({{"store", store.name}, {"result", "denied"}}, store.denied);
    page.add({{"store", store.name}, {"result", "error"}}, store.errors);
    page.add({{"store", store.name}, {"result", "timeout"}}, store.timeouts);
  }
  page.histogram("einlass_limiter_call_duration_seconds",
                 "Time from a call to a limiter's store to its answer.");
  for (const Store& store : stores) page.add({{"store", store.name}}, store.call_duration);
}

void add_outage_policies(Families& page, const std::vector<OutagePolicy>& policies) {
  page.gauge("einlass_outage_policy_in_force",
             "1 while the limit's store does not answer: then records wait (hold), pass without a "
             "permit (pass), or this gate keeps to its own part of the limit (local_share).");
  for (const OutagePolicy& it : policies) {
    page.add({{"route", it.route}, {"limit", it.limit}, {"policy", it.policy}},
             std::uint64_t{it.in_force});
  }
}

void add_targets(Families& page, const std::vector<Target>& targets) {
  page.gauge("einlass_target_breaker_open",
             "1 while the target is left alone after too many failures in a row, or probed by one "
             "attempt at a time.");
  for (const Target& target : targets) {
    page.add({{"target", target.name}}, std::uint64_t{target.breaker_open});
  }
}

void add_ledger(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_committed_offset",
             "The offset to read next, as Kafka last acknowledged it. Missing before the first "
             "commit of an assignment.");
  for (const Partition& partition : snapshot.partitions) {
    if (!partition.committed) continue;
    page.add({{"topic", partition.topic}, {"partition", std::to_string(partition.number.value)}},
             static_cast<double>(partition.committed->value));
  }
  page.gauge("einlass_finished_ahead_records",
             "Records that are finished but stand behind one that is not, so that they cannot be "
             "committed yet.");
  for (const Partition& partition : snapshot.partitions) {
    page.add({{"topic", partition.topic}, {"partition", std::to_string(partition.number.value)}},
             partition.finished_ahead);
  }
  page.counter("einlass_offsets_skipped_total",
               "Offsets that were never read: Kafka had deleted them by age or size (retention), "
               "also in a topic that was made again (recreated), or auto_offset_reset is latest "
               "(reset).");
  for (const Topic& topic : snapshot.topics) {
    page.add({{"topic", topic.name}, {"reason", "retention"}}, topic.skipped_by_retention);
    page.add({{"topic", topic.name}, {"reason", "recreated"}}, topic.skipped_by_recreation);
    page.add({{"topic", topic.name}, {"reason", "reset"}}, topic.skipped_by_reset);
  }
}

void add_program(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_build_info", "Always 1; which program this is stands in its labels.");
  page.add({{"version", snapshot.version}, {"librdkafka", snapshot.librdkafka_version}}, 1.0);
  page.gauge("einlass_config_last_reload_successful",
             "1 if what runs is what the configuration's file said the last time it was read; 0 "
             "if it had mistakes then, or changes that need a restart.");
  page.add({}, snapshot.reloads.last_successful ? 1.0 : 0.0);
  page.gauge("einlass_config_last_reload_success_timestamp_seconds",
             "When the running configuration was read, in seconds since 1970.");
  page.add({}, snapshot.reloads.last_success_seconds);
  page.counter("einlass_config_reloads_total",
               "Times that the configuration's file was read anew, by what came of it: applied, "
               "wrong (it has mistakes) or needs_restart; then nothing was changed.");
  page.add({{"result", "applied"}}, snapshot.reloads.applied);
  page.add({{"result", "wrong"}}, snapshot.reloads.wrong);
  page.add({{"result", "needs_restart"}}, snapshot.reloads.needs_restart);
}

void add_process(Families& page) {
  const std::optional<Process> process = read_process();
  if (!process) return;
  page.counter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.");
  page.add({}, process->cpu_seconds);
  page.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.");
  page.add({}, process->start_time);
  page.gauge("process_resident_memory_bytes", "Resident memory.");
  page.add({}, process->resident_bytes);
  page.gauge("process_virtual_memory_bytes", "Virtual memory.");
  page.add({}, process->virtual_bytes);
  page.gauge("process_open_fds", "Open file descriptors.");
  page.add({}, process->open_files);
  page.gauge("process_max_fds", "Most file descriptors that may be open.");
  page.add({}, process->max_files);
}

}  // namespace

std::string render(const Snapshot& snapshot) {
  Families page;
  add_records(page, snapshot.routes);
  add_waiting(page, snapshot.routes);
  add_admission(page, snapshot.routes);
  add_attempts(page, snapshot.routes);
  add_stores(page, snapshot.stores);
  add_outage_policies(page, snapshot.outage_policies);
  add_targets(page, snapshot.targets);
  add_ledger(page, snapshot);
  add_program(page, snapshot);
  add_process(page);
  return page.text();
}

}  // namespace einlass::metrics
