// The seventh part of Admission: which record leaves with which permit, and which permits go back.
#include <utility>

#include "core/admission/admission.h"

namespace einlass::core {

// The line's first permit, which it holds no longer.
HeldPermit Admission::take_permit(Line& line) {
  const HeldPermit held = line.permits.front();
  line.permits.pop_front();
  --queues_of(line).reserve(held.ahead).permits;
  if (held.wanted.flow != kNoSlot) line.flows->promise_no_more(held.wanted.flow);
  return held;
}

void Admission::give_back(Line& line, Instant now, Commands& commands) {
  const HeldPermit front = take_permit(line);
  commands.push_back(Release{LineId{index_of(line)}, front.permit, now - front.due});
  queues_of(line).touched = true;
  for (LimitStats& limit : stats_[line.route.value].limits) ++limit.released;
}

// Nobody is left to use the first permit, its time is over, or it is for another cost than that of
// the records whose turn it may be.
bool Admission::is_useless(const Line& line, Instant now) const {
  const HeldPermit& first = line.permits.front();
  if (line.total == 0 || first.due + route_of(line).use_within < now) return true;
  return line.count() > 0 && fits_none(line);
}

// Whether not each permit of the line is for each of its records.
bool Admission::by_record(const Line& line) const {
  return route_of(line).cost_varies || line.fleet() != nullptr;
}

// The first permit is for none of the records whose turn it may be.
bool Admission::fits_none(const Line& line) const {
  return by_record(line) && fitting(line) == kNoSlot;
}

// Of the line's records but the retries that stand apart: whose turn it is; kNoSlot if none is
// ready.
Slot Admission::fresh_of(const Line& line) {
  return line.flows ? line.flows->front() : line.ready.front();
}

// Whose turn it is; kNoSlot if no record is ready.
Slot Admission::next_of(const Line& line) const {
  Slot next = fresh_of(line);
  if (!line.retries.empty() && (next == kNoSlot || retry_goes_first(line))) {
    next = line.retries.front();
  }
  const bool probes = !breaker_of(line).closed() && line.count() > 1;
  return probes ? for_probe(line, next) : next;
}

// Whether the record is one of the line's that could leave.
bool Admission::is_ready(const Line& line, RecordId id) const {
  const Record* record = records_.in(id.slot);
  return record != nullptr && record->id == id && record->state == RecordState::ready &&
         record->line.value == index_of(line);
}

// The record that the first permit is for: the next one; but where costs differ the one that it was
// asked for with, so that those behind it find theirs, or one in its place; and where it is a
// flow's, the first of that. kNoSlot if there is none. REQUIRES: there is a permit, and a record.
Slot Admission::fitting(const Line& line) const {
  const Slot next = next_of(line);
  if (!by_record(line)) return next;
  const HeldPermit& first = line.permits.front();
  const Wanted& wanted = first.wanted;
  const Slot meant = is_ready(line, wanted.record) ? wanted.record.slot : kNoSlot;
  // A stand-in's permit is for no flow, and goes to whose turn it is.
  const Slot of_no_flow = line.fleet() != nullptr ? kNoSlot : line.ready.front();
  const Slot alike = wanted.retry             ? line.retries.front()
                     : wanted.flow == kNoSlot ? of_no_flow
                                              : line.flows->front_of(wanted.flow);
  // A probe may be for another record than the one that comes first.
  const Slot probe = breaker_of(line).closed() ? kNoSlot : next;
  const bool of_flow = line.fleet() != nullptr && wanted.flow != kNoSlot;
  for (const Slot slot : {probe, meant, alike, of_flow ? kNoSlot : next}) {
    if (slot != kNoSlot && records_[slot].cost == first.permit.cost) return slot;
  }
  return kNoSlot;
}

// A line that has no permit any more for the place that it waits for leaves that queue. The target
// was too slow, and others have a second permit that keeps them their place: so it asks at once for
// the one that it gave back, and then stands in front.
void Admission::give_back_useless(Line& line, Instant now, Commands& commands) {
  while (!line.permits.empty() && is_useless(line, now)) give_back(line, now, commands);
  if (line.waits != LineWaits::room || may_send(line, now)) return;
  wait_no_more(line);
  if (line.count() == 0) return;
  line.lost_place = true;
  line.had_turn = !shut_out(line);
  ask_at_once(line, now);
}

bool Admission::may_send(const Line& line, Instant now) const {
  if (line.count() == 0) return false;
  if (route_of(line).limit_count == 0) return true;
  return !line.permits.empty() && line.permits.front().due <= now && !fits_none(line);
}

Record& Admission::first_of(const Line& line) {
  return records_[route_of(line).limit_count > 0 ? fitting(line) : next_of(line)];
}

void Admission::send_first(Line& line, Instant now, Commands& commands) {
  Record& record = first_of(line);
  list_of(line, record).erase(records_, record.id.slot);
  ++line.in_flight;
  send(line, record, true, now, commands);
  // What is first now may be for a record that is gone.
  if (by_record(line)) give_back_useless(line, now, commands);
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
  line.lost_place = false;
  line.pace.count(now);
  queues_of(line).pace.count(now);
  queues_of(line).touched = true;  // Permits for others may be wanted, for so many leave.
  line.apart() ? count_attempt(line, record.attempt.value > 0) : earn_for_others(line);
  delivery_.send(record, held.permit, held.due, leads, now, commands);
}

void Admission::send_all(Line& line, Instant now, Commands& commands) {
  if (goes_together(line)) return gather(line, now);
  TargetQueues& target = queues_of(line);
  while (may_send(line, now)) {
    // Others that wait for room were there first; the end of the event serves them all in turn.
    const bool may = places(line, now) > 0;
    const bool others = !target.room.empty() || (!target.parked.empty() && part_left(line) <= 0);
    if (others || !may || !breaker_of(line).closed()) {
      target.touched |= may;
      const auto what = part_left(line) > 0 ? LineWaits::room : LineWaits::parked;
      return wait_for(line, what, kNoShared, std::exchange(line.lost_place, false));
    }
    send_first(line, now, commands);
  }
  if (line.waits == LineWaits::room || line.waits == LineWaits::parked) wait_no_more(line);
}

}  // namespace einlass::core
