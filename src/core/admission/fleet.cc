// The eighth part of Admission: limits whose permits the flows of all gates share by weight.
//
// The line asks for flows, and each permit is one flow's: it goes to the first record of that flow,
// or back. What other gates are to have, and other lines of this one, the limiter knows: it holds
// up who is ahead, and says for whose sake.
#include <algorithm>
#include <bit>

#include "core/admission/admission.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// Lines that wait for a limit and are added up. There are more only where each has few records.
constexpr std::uint32_t kMostAddedUp = 1024;

// Before a line that other lines of its gate go before looks again, and one that other gates do.
constexpr Duration kLetOthersAsk = Duration::millis(5);
constexpr Duration kLookAgain = Duration::millis(20);

}  // namespace

// REQUIRES: the line's route has one.
SharedIndex Admission::fleet_limit_of(const Line& line) const {
  const auto place = std::countr_zero(route_of(line).fleet_limits);
  return shared_of_route_[line.route.value].by_index[static_cast<std::size_t>(place)];
}

// The flows of other lines that wait for the limit.
FleetFlows::Sums Admission::others_of(const Line& line) const {
  FleetFlows::Sums sums;
  const SharedIndex index = fleet_limit_of(line);
  const SharedLimit& limit = shared_limits_[index];
  limit.turns.each(lines_, kMostAddedUp, [&](const Line& other) {
    if (&other == &line || other.fleet() == nullptr || fleet_limit_of(other) != index) return;
    const FleetFlows& fleet = *other.fleet();
    const bool known = fleet.epoch() == limit.epoch;
    for (std::size_t level = 0; level < fleet.time().size(); ++level) {
      const std::int64_t weights = fleet.sums().weights[level];
      const auto begin =
          static_cast<std::uint64_t>(weights) * static_cast<std::uint64_t>(limit.time[level]);
      sums.weights[level] += weights;
      sums.served[level] += known ? fleet.sums().served[level] : begin;
      sums.records[level] += std::clamp<std::int64_t>(fleet.sums().records[level], 0, kMostPerAsk);
    }
  });
  return sums;
}

void Admission::ask_for_flows(Line& line, std::int64_t most) {
  SharedLimit& limit = shared_limits_[fleet_limit_of(line)];
  FleetFlows& fleet = *line.fleet();
  limit.time.resize(route_of(line).share.levels);
  fleet.told_elsewhere(limit.epoch, limit.time);
  line.asked_flows = &fleet.ask(most, std::max(most, line.wish), others_of(line));
  for (const std::uint32_t flow : fleet.asked()) line.flows->name(flow);
}

// What an answer says of the flows. REQUIRES: its permits are promised to theirs.
void Admission::take_flows(Line& line, const PermitsAnswered& event) {
  SharedLimit& limit = shared_limits_[fleet_limit_of(line)];
  line.fleet()->told(*event.flows);
  limit.epoch = event.flows->epoch;
  limit.time = event.flows->time;
}

void Admission::name_no_more(Line& line) {
  if (line.asked_flows == nullptr) return;
  for (const std::uint32_t flow : line.fleet()->asked()) line.flows->name_no_more(flow);
  line.asked_flows = nullptr;
}

// The limits had more for it, but others go first.
void Admission::wait_for_others(Line& line, SharedIndex shared, const PermitsAnswered& event,
                                Instant now) {
  CHECK(shared != kNoShared && event.retry);
  if (event.flows->held_up == HeldUp::by_own) {
    line.next_ask = event.due.empty() ? now + kLetOthersAsk : now;
    return;
  }
  const Duration ahead = std::min(event.ahead, kAheadOfFleet);
  const Duration wait = std::max(wait_ahead(ahead, now - line.asked_at),
                                 std::min(std::max(*event.retry, Duration::micros(1)), kLookAgain));
  ask_after(line, shared, wait, {}, now);
}

}  // namespace einlass::core
