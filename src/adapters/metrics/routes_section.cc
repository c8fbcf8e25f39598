#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

#include "adapters/metrics/sections.h"
#include "core/contract/command.h"
#include "text/utf8.h"

namespace einlass::metrics {
namespace {

using Routes = std::vector<Route>;

constexpr std::string_view kOtherKeys = "other";

// In the order of core::DeadLetterReason.
constexpr std::array kDeadLetterReasons = {"refused", "attempts",  "never",
                                           "bad_key", "too_large", "expired"};
static_assert(kDeadLetterReasons.size() ==
              std::tuple_size_v<decltype(core::RouteStats::dead_lettered)>);
static_assert(static_cast<int>(core::DeadLetterReason::refused) == 0);
static_assert(static_cast<int>(core::DeadLetterReason::attempts) == 1);
static_assert(static_cast<int>(core::DeadLetterReason::never) == 2);
static_assert(static_cast<int>(core::DeadLetterReason::bad_key) == 3);
static_assert(static_cast<int>(core::DeadLetterReason::too_large) == 4);
static_assert(static_cast<int>(core::DeadLetterReason::expired) == 5);

void add_route_number(Families& page, const Routes& routes,
                      std::uint64_t core::RouteStats::*field) {
  for (const Route& route : routes) page.add({{"route", route.name}}, route.stats.*field);
}

void add_records(Families& page, const Routes& routes) {
  page.counter("einlass_records_received_total", "Records read from Kafka.");
  add_route_number(page, routes, &core::RouteStats::received);
  page.counter("einlass_records_delivered_total", "Records accepted by the target.");
  add_route_number(page, routes, &core::RouteStats::delivered);
  page.counter("einlass_records_dead_lettered_total",
               "Records acknowledged by the dead letter topic, by reason.");
  for (const Route& route : routes) {
    for (std::size_t i = 0; i < kDeadLetterReasons.size(); ++i) {
      page.add({{"route", route.name}, {"reason", kDeadLetterReasons[i]}},
               route.stats.dead_lettered[i]);
    }
  }
  page.counter("einlass_records_returned_total",
               "Records given back to Kafka unfinished, because their partition was revoked or the "
               "gate stopped. The next reader of the partition reads them again.");
  add_route_number(page, routes, &core::RouteStats::returned);
  page.counter("einlass_records_filtered_total",
               "Records that the route's filter leaves out: finished without a permit and without "
               "an attempt.");
  add_route_number(page, routes, &core::RouteStats::filtered);
  page.counter("einlass_records_finished_before_total",
               "Records read again after a restart or a rebalance that the last commit says are "
               "finished: skipped, and not counted as received.");
  add_route_number(page, routes, &core::RouteStats::finished_before);
  page.gauge("einlass_records_inside",
             "Records in the gate now, counted separately: always received - delivered - dead "
             "lettered - returned - filtered.");
  add_route_number(page, routes, &core::RouteStats::inside);
}

void add_by_cause(Families& page, const Routes& routes, core::CauseCounts core::Waiting::*counts) {
  for (const Route& route : routes) {
    for (std::size_t i = 0; i < core::kCauseNames.size(); ++i) {
      page.add({{"route", route.name}, {"reason", core::kCauseNames[i]}},
               (route.waiting.*counts).counts[i]);
    }
  }
}

void add_waiting(Families& page, const Routes& routes) {
  page.gauge(
      "einlass_waiting_records",
      "Records in the gate by what they wait for. A record behind others of its lane counts "
      "under what the first of them waits for: a permit (limit), a slot at the target or the "
      "end of its pause (target), the next attempt (retry), a limiter that does not answer "
      "or answers with errors (outage), somebody who has paused it (paused), its own time "
      "(not_before). order: the first is in flight, so that only the order holds the rest up; "
      "in_flight: the record itself is.");
  add_by_cause(page, routes, &core::Waiting::records);
  page.gauge("einlass_waiting_behind_records",
             "Of einlass_waiting_records, those that are not the first of their lane.");
  add_by_cause(page, routes, &core::Waiting::behind);
  page.gauge("einlass_route_info", "Always 1; the labels name the target of each route.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}, {"target", route.target}}, std::uint64_t{1});
  }
  page.gauge("einlass_partitions_assigned",
             "Partitions of the route that are assigned to this gate.");
  for (const Route& route : routes) page.add({{"route", route.name}}, route.partitions_assigned);
  page.gauge("einlass_partitions_held",
             "Assigned partitions that are paused because the gate is full or waits.");
  for (const Route& route : routes) page.add({{"route", route.name}}, route.partitions_held);
  page.gauge(
      "einlass_never_records",
      "Records in the gate that cost more than their limits can ever grant: they wait until the "
      "configuration changes.");
  add_route_number(page, routes, &core::RouteStats::never);
}

// Calls `add` with each limit of each route, and its index in the route's list.
template <class Add>
void for_each_limit(const Routes& routes, const Add& add) {
  for (const Route& route : routes) {
    for (std::size_t i = 0; i < route.limits.size(); ++i) add(route, i);
  }
}

void add_waiting_for_limits(Families& page, const Routes& routes) {
  page.gauge(
      "einlass_waiting_for_limit_records",
      "Records that wait for a permit, by the limit that denied it. The sum may be less than "
      "einlass_waiting_records with reason limit: not every request has been answered.");
  for_each_limit(routes, [&](const Route& route, std::size_t i) {
    page.add({{"route", route.name}, {"limit", route.limits[i]}}, route.waiting.for_limit[i]);
  });
  page.gauge(
      "einlass_limit_active_keys",
      "Keys of the limit that have records in the gate (combinations of keys, if the route "
      "has several limits with a key). A key with records in several shards counts in each.");
  for_each_limit(routes, [&](const Route& route, std::size_t i) {
    if (!route.is_keyed(i)) return;
    page.add({{"route", route.name}, {"limit", route.limits[i]}}, route.waiting.lines);
  });
  page.gauge("einlass_limit_full_keys",
             "Of einlass_limit_active_keys, those that are at their limit: their records wait for "
             "it.");
  for_each_limit(routes, [&](const Route& route, std::size_t i) {
    if (!route.is_keyed(i)) return;
    page.add({{"route", route.name}, {"limit", route.limits[i]}}, route.waiting.lines_for_limit[i]);
  });
}

void add_limit_number(Families& page, const Routes& routes,
                      std::uint64_t core::LimitStats::*field) {
  for_each_limit(routes, [&](const Route& route, std::size_t i) {
    const std::vector<core::LimitStats>& stats = route.stats.limits;
    page.add({{"route", route.name}, {"limit", route.limits[i]}},
             i < stats.size() ? stats[i].*field : 0);
  });
}

void add_admission(Families& page, const Routes& routes) {
  page.counter("einlass_admissions_total", "Permits granted and used.");
  add_limit_number(page, routes, &core::LimitStats::admissions);
  page.counter("einlass_stand_in_admissions_total",
               "Permits used that no limiter granted, because its store did not answer and the "
               "route's limits say pass or local_share.");
  add_route_number(page, routes, &core::RouteStats::stood_in);
  page.counter("einlass_rejections_total",
               "Requests to the limiter that were denied, by the limit that was the reason.");
  add_limit_number(page, routes, &core::LimitStats::rejections);
  page.counter("einlass_permits_released_total",
               "Permits granted, not used in time, and given back.");
  add_limit_number(page, routes, &core::LimitStats::released);
  page.histogram("einlass_admission_wait_seconds",
                 "How long records waited for a permit: from when they were ready to leave until "
                 "the permit was due.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}}, route.stats.admission_wait, Families::Bounds::fine);
  }
  page.histogram(
      "einlass_permit_lateness_seconds",
      "Delay from when a permit was due until it was used: up to the 2 ms in which permits are "
      "used together, then waiting for a slot at the target, or for the event loop.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}}, route.stats.permit_lateness, Families::Bounds::fine);
  }
}

void add_shadow_number(Families& page, const Routes& routes, std::uint64_t ShadowLimit::*field) {
  for (const Route& route : routes) {
    for (const ShadowLimit& it : route.shadow_limits) {
      page.add({{"route", route.name}, {"limit", it.name}}, it.*field);
    }
  }
}

void add_shadows(Families& page, const Routes& routes) {
  page.counter("einlass_shadow_admissions_total",
               "Attempts that a limit with shadow: true would have admitted at once.");
  add_shadow_number(page, routes, &ShadowLimit::admitted);
  page.counter("einlass_shadow_rejections_total",
               "Attempts that a limit with shadow: true would have delayed.");
  add_shadow_number(page, routes, &ShadowLimit::rejected);
  page.counter("einlass_shadow_unanswered_total",
               "Attempts for which a limit with shadow: true could not be evaluated in time.");
  add_shadow_number(page, routes, &ShadowLimit::unanswered);
}

void add_attempts(Families& page, const Routes& routes) {
  page.counter(
      "einlass_attempts_total",
      "Attempts to deliver, by outcome: accepted, retry or refused. One of which nothing was "
      "sent, as to a host whose circuit breaker is open, is none.");
  for (const Route& route : routes) {
    const core::RouteStats& stats = route.stats;
    page.add({{"route", route.name}, {"outcome", "accepted"}}, stats.attempts_accepted);
    page.add({{"route", route.name}, {"outcome", "retry"}}, stats.attempts_retry);
    page.add({{"route", route.name}, {"outcome", "refused"}}, stats.attempts_refused);
  }
  page.histogram("einlass_attempt_duration_seconds",
                 "Time from sending a request to its response, or to giving up.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}}, route.stats.attempt_duration);
  }
}

void add_lateness(Families& page, const Routes& routes) {
  page.histogram("einlass_delivery_delay_seconds",
                 "End-to-end delay: from a record's timestamp in Kafka until the target accepted "
                 "it. Up to a week.");
  for (const Route& route : routes) {
    page.add({{"route", route.name}}, route.delivery_delay, Families::Bounds::days);
  }
  page.gauge("einlass_route_lag_records",
             "einlass_lag_records of the route's partitions that are read; not of one of which it "
             "is not known where to begin.");
  for (const Route& route : routes) {
    if (route.lag) page.add({{"route", route.name}}, *route.lag);
  }
  page.gauge("einlass_route_lag_seconds",
             "The largest einlass_lag_seconds of the route's partitions.");
  for (const Route& route : routes) {
    if (route.lag_seconds) page.add({{"route", route.name}}, *route.lag_seconds);
  }
}

// Two keys that looked the same would be one series twice, and so would a key that is called as the
// rest is: it is written as no other is.
std::string label_of(std::string_view key) {
  return key == kOtherKeys ? "\\x6Fther" : escaped_utf8(key);
}

void add_keys(Families& page, const Routes& routes) {
  page.gauge("einlass_waiting_key_records",
             "Waiting records by the keys of their limits (joined if there are several): the ten "
             "keys of each route with the most, and the rest as other. Missing for a route whose "
             "limits have no key.");
  for (const Route& route : routes) {
    if (!route.has_keys()) continue;
    for (const WaitingKey& it : route.keys) {
      page.add({{"route", route.name}, {"key", label_of(it.key)}}, it.records);
    }
    page.add({{"route", route.name}, {"key", kOtherKeys}}, route.other_keys);
  }
}

}  // namespace

void add_routes(Families& page, const Snapshot& snapshot) {
  const Routes& routes = snapshot.routes;
  add_records(page, routes);
  add_waiting(page, routes);
  add_waiting_for_limits(page, routes);
  add_keys(page, routes);
  add_admission(page, routes);
  add_shadows(page, routes);
  add_attempts(page, routes);
  add_lateness(page, routes);
}

}  // namespace einlass::metrics
