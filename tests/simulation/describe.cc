// What a seed stands for, in one line for people.
#include <array>
#include <sstream>

#include "draw.h"

namespace einlass::simulation {

std::string describe(const Settings& settings) {
  std::ostringstream out;
  out << "seed " << settings.seed << ": " << settings.instances << " gates, "
      << settings.partitions.size() << " partitions of <= " << settings.records << " records, in "
      << settings.chaos.us / 1000 << " ms;";
  for (const LimitSettings& limit : settings.limits) {
    out << (limit.held ? " held " : limit.log ? " log " : " bucket ") << limit.limit;
    if (limit.varies) out << " at varying costs";
    if (limit.log) out << " in " << limit.window.us << " us";
    if (!limit.log) out << " and " << limit.permits << "/" << limit.micros << " us";
    out << (limit.keyed ? " per key;" : ";");
  }
  constexpr std::array<std::string_view, 3> kOrders = {"partition", "key", "none"};
  for (const RouteSettings& route : settings.routes) {
    const core::RouteOptions& options = route.options;
    out << " route by " << kOrders[static_cast<std::size_t>(options.order)] << ", limits {";
    for (const std::size_t limit : route.limits) out << " " << limit;
    out << " } horizon " << options.horizon.us << " use_within " << options.use_within.us
        << " slot " << options.slot.us << " attempts " << options.attempts
        << (options.dead_letter ? " dead letter" : "") << " inside " << options.inside_records
        << " in flight " << settings.gate.targets[options.target.value].max_in_flight;
    const core::BatchOptions& batch = settings.gate.targets[options.target.value].batch;
    if (batch.records > 1) {
      out << " together " << batch.records << " or " << batch.bytes.value << " B and "
          << batch.names.value << " B of names within " << batch.linger.us << " us";
      if (settings.gate.targets[options.target.value].transactional) out << " in a transaction";
    }
    out << ";";
  }
  if (settings.at_full_speed) out << " at full speed;";
  out << " faults:";
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (settings.rate[i] > 0)
      out << " " << name_of(static_cast<Fault>(i)) << "=" << settings.rate[i];
  }
  return out.str();
}

}  // namespace einlass::simulation
