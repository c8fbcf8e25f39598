// Of Admission: records leave with permits, and permits go back.
#include <utility>

#include "core/admission/admission.h"

namespace einlass::core {

// The line's first permit, which it holds no longer.
HeldPermit Admission::take_permit(Line& line) {
  const HeldPermit held = line.permits.front();
  line.permits.pop_front();
  --queues_of(line).reserve(held.granted_ahead).permits;
  if (held.wanted.flow != kNoSlot) line.flows->promise_no_more(held.wanted.flow);
  return held;
}

void Admission::give_back(Line& line, Instant now, Commands& commands) {
  const HeldPermit front = take_permit(line);
  commands.push_back(Release{line.id, front.permit, now - front.due});
  queues_of(line).touched = true;
  for (LimitStats& limit : stats_[line.route.value].limits) ++limit.released;
}

// A line that has no permit any more for the place that it waits for leaves that queue. The target
// was too slow, and others have a second permit that keeps them there: so it asks at once for the
// one that it gave back, and then stands in front.
void Admission::give_back_useless(Line& line, Instant now, Commands& commands) {
  while (!line.permits.empty() && picker_.is_useless(line, now)) give_back(line, now, commands);
  if (line.waits != LineWaits::room || picker_.may_send(line, now)) return;
  wait_no_more(line);
  if (line.count() == 0) return;
  line.lapsed = true;
  line.had_turn = !retry_budget_.shut_out(line);
  ask_at_once(line, now);
}

void Admission::send_first(Line& line, Instant now, Commands& commands) {
  Record& record = records_[picker_.first_of(line)];
  list_of(line, record).erase(records_, record.id.slot);
  places_.take(line);
  ++line.in_flight;
  send(line, record, true, now, commands);
  // What is first now may be for a record that is gone.
  if (picker_.by_record(line)) give_back_useless(line, now, commands);
}

// What its flow is charged for, and counted under.
void Admission::count_by_flow(Line& line, Record& record) {
  if (!line.flows) return;
  const RouteOptions& route = route_of(line);
  const Permits cost = route.cost_varies ? record.cost : Permits{1};
  const std::size_t counter =
      std::size_t{record.flow.name} * route.share.levels + record.flow.level;
  stats_[line.route.value].share_permits[counter] += static_cast<std::uint64_t>(cost.value);
  if (record.flow_slot == kNoSlot) return;
  // A probe is nobody's turn: it is chosen otherwise, and there may have been many.
  breaker_of(line).closed() ? line.flows->take(records_, record, cost)
                            : line.flows->withdraw(records_, record);
}

// With the line's first permit. REQUIRES: the record is in no list of the line any more.
void Admission::send(Line& line, Record& record, bool leads, Instant now, Commands& commands) {
  RouteStats& stats = stats_[line.route.value];
  HeldPermit held;
  if (route_of(line).limit_count > 0) {
    held = take_permit(line);
    for (LimitStats& limit : stats.limits) ++limit.admissions;
    stats.stood_in += held.permit.stand_in;
    stats.admission_wait.observe(held.due - record.since);
  }
  if (line.denied == record.id) forget_denial(line);
  count_by_flow(line, record);
  line.lapsed = false;
  line.throughput.count(now);
  queues_of(line).throughput.count(now);
  queues_of(line).touched = true;  // Permits for others may be wanted, for so many leave.
  retry_budget_.sent(line, record.attempt.value > 0);
  keyless_limits_.started(line.route);
  delivery_.send(record, held.permit, held.due, leads, now, commands);
}

void Admission::send_all(Line& line, Instant now, Commands& commands) {
  if (goes_together(line)) return gather(line, now);
  TargetQueues& target = queues_of(line);
  while (picker_.may_send(line, now)) {
    // Others that wait for room were there first; the end of the event serves them all in turn.
    const bool may = places_.left(line, now) > 0;
    const bool others =
        !target.room.empty() || (!target.parked.empty() && places_.part_left(line) <= 0);
    if (others || !may || !breaker_of(line).closed()) {
      target.touched |= may;
      const auto what = places_.part_left(line) > 0 ? LineWaits::room : LineWaits::parked;
      return wait_for(line, what, kNoKeyless, std::exchange(line.lapsed, false));
    }
    send_first(line, now, commands);
  }
  if (line.waits == LineWaits::room || line.waits == LineWaits::parked) wait_no_more(line);
}

}  // namespace einlass::core
