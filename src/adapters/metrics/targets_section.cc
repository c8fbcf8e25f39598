#include <cstdint>

#include "adapters/metrics/sections.h"

namespace einlass::metrics {

void add_targets(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_target_breaker_open",
             "1 while the target is left alone after too many failures in a row, or probed by one "
             "attempt at a time. Where records name the hosts each host has a breaker instead.");
  for (const Target& target : snapshot.targets) {
    page.add({{"target", target.name}}, std::uint64_t{target.breaker_open});
  }
  page.gauge("einlass_target_held_seconds",
             "For how long nothing is sent to the target yet, because it asked for a pause "
             "(Retry-After) or its breaker is open; 0 if it is not held.");
  for (const Target& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.held_seconds);
  }
  page.gauge("einlass_target_unusable",
             "1 while the target can take nothing before somebody acts; /readyz says why.");
  for (const Target& target : snapshot.targets) {
    page.add({{"target", target.name}}, std::uint64_t{target.unusable});
  }
  page.gauge("einlass_dead_letters_unusable",
             "1 while records wait for their dead letter topic, which is not there or may not be "
             "written; /readyz says why.");
  page.add({}, std::uint64_t{snapshot.dead_letters_unusable});
  page.gauge("einlass_target_in_flight", "Attempts under way at the target.");
  for (const Target& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.in_flight);
  }
  page.gauge("einlass_target_max_in_flight", "The most attempts that may be under way at once.");
  for (const Target& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.most_in_flight);
  }
  page.gauge("einlass_target_connections", "Open connections to the target.");
  for (const Target& target : snapshot.targets) {
    page.add({{"target", target.name}}, target.connections);
  }
}

}  // namespace einlass::metrics
