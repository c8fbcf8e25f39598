#include <cstdint>

#include "adapters/metrics/sections.h"

namespace einlass::metrics {

void add_targets(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_target_breaker_open",
             "1 while the target's circuit breaker is open after too many consecutive failures, or "
             "probes it with one attempt at a time. If records name the hosts, each host has a "
             "breaker instead.");
  for (const TargetValues& target : snapshot.targets) {
    page.add({{"target", target.name}}, std::uint64_t{target.breaker_open});
  }
  page.gauge("einlass_target_held_seconds",
             "How much longer nothing is sent to the target, because it asked for a pause "
             "(Retry-After) or its breaker is open; 0 if it is not paused.");
  for (const TargetValues& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.held_seconds);
  }
  page.gauge("einlass_target_unusable",
             "1 while nothing can be delivered to the target until you act; /readyz says why.");
  for (const TargetValues& target : snapshot.targets) {
    page.add({{"target", target.name}}, std::uint64_t{target.unusable});
  }
  page.gauge("einlass_dead_letters_unusable",
             "1 while records wait for the route's dead letter topic, which does not exist or may "
             "not be written; /readyz says why. Routes of one topic show it together.");
  for (const Route& route : snapshot.routes) {
    page.add({{"route", route.name}}, std::uint64_t{route.dead_letters_unusable});
  }
  page.gauge("einlass_target_info",
             "Always 1; hosts is of_records where the records name the hosts, else configured.");
  for (const TargetValues& target : snapshot.targets) {
    page.add(
        {{"target", target.name}, {"hosts", target.hosts_of_records ? "of_records" : "configured"}},
        std::uint64_t{1});
  }
  page.gauge("einlass_target_in_flight", "Attempts in flight at the target.");
  for (const TargetValues& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.in_flight);
  }
  page.gauge("einlass_target_max_in_flight", "The most attempts that may be in flight at once.");
  for (const TargetValues& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.most_in_flight);
  }
  page.gauge("einlass_target_connections", "Open connections to the target.");
  for (const TargetValues& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.connections);
  }
}

}  // namespace einlass::metrics
