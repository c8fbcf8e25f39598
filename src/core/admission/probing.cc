// Of Admission: who probes a target that its breaker keeps shut.
//
// One attempt at a time. What failed may have failed for the record's sake, and records like it may
// be many, of one tenant, of one burst or of many tenants. So each probe is another line's, if
// there is one: of those with fresh records, and only then of those with nothing but retries, the
// one whose last turn is longest ago. Of those that have had none each second probe is of the line
// that came last: however many have nothing but bad records, one that comes to them is found by the
// second. Of the others it is in turn who came first, and whose record came last: other lines may
// come all the time, with one bad record each. But a permit that was asked for
// as a probe's is used when it is due: a new one may be due later, and by then that one has lapsed.
// Which record of the line that is picker.h says.
#include <algorithm>
#include <tuple>

#include "core/admission/admission.h"

namespace einlass::core {
namespace {

constexpr std::uint32_t kNearEnds = 16;  // Of a queue's lines, looked at from each end.

}  // namespace

// Whoever was given the turn has not heard yet whether there is a permit, or has one that comes due
// soon and a record for it.
bool Admission::asks_for_probe(TargetId id, Instant now) const {
  const std::optional<LineId> asks_last = targets_[id.value].asks_last;
  if (!asks_last) return false;
  const Line& line = lines_[asks_last->value];  // Its number may be another target's by now.
  if (!line.in_use || options_.routes[line.route.value].target != id) return false;
  if (line.open_ask) return true;
  if (line.permits.empty() || line.count() == 0) return false;
  const Instant due = line.permits.front().due;
  // Where limits are booked further ahead, others may have one that is nearer; but not each of them
  // asks at once, for one probe goes at a time.
  return due > now && (due <= now + kAheadOfProbe || now < line.asked_at + kAheadOfProbe);
}

// The line whose record came last, if it stands where next_to_probe() looks; else kNoSlot.
Slot Admission::newest_at(TargetId id) const {
  const TargetQueues& target = targets_[id.value];
  if (!target.newest) return kNoSlot;
  const Line& line = lines_[target.newest->value];  // Its number may be another target's by now.
  if (!line.in_use || options_.routes[line.route.value].target != id) return kNoSlot;
  const bool for_room = line.waits == LineWaits::room || line.waits == LineWaits::parked;
  const bool in_turn = line.waits == LineWaits::turn || line.waits == LineWaits::turn_ahead;
  const bool asked_for = target.due.permits > 0;
  return for_room || (in_turn && !asked_for) ? target.newest->value : kNoSlot;
}

// The line that is to probe next; null if none waits. Those near the ends of each queue are looked
// at: who has probed stands behind who came, and may be many.
Line* Admission::next_to_probe(TargetId id, Instant now) {
  TargetQueues& target = targets_[id.value];
  Line *best = nullptr, *asked = nullptr;  // Of all; and who has the permit that was asked for.
  const auto rank = [](const Line& line) { return std::tuple(line.only_retries(), line.probed); };
  const auto look_at = [&](Slot at) {
    Line& line = lines_[at];
    if (best == nullptr || rank(line) < rank(*best)) best = &line;
    const bool asked_last = target.asks_last == LineId{static_cast<std::uint32_t>(at)};
    if (asked_last && route_of(line).limit_count > 0 && picker_.may_send(line, now)) asked = &line;
  };
  const bool last_before = delivery_.breaker(id).failed_probes() % 2 == 1;
  const Slot newest = newest_at(id);
  if (delivery_.breaker(id).failed_probes() % 4 == 2 && newest != kNoSlot) look_at(newest);
  target.room.near_ends(lines_, kNearEnds, last_before, look_at);
  if (!target.parked.empty()) look_at(target.parked.front());
  if (!target.parked.empty()) look_at(target.parked.back());
  if (asked != nullptr) return asked;
  if (target.due.permits > 0) return best;  // The probe's permit is asked for.
  target.due.turns.near_ends(lines_, kNearEnds, last_before, look_at);
  target.ahead.turns.near_ends(lines_, kNearEnds, last_before, look_at);
  return best;
}

// It sends its record, or asks for a permit, or leaves the turn to others.
void Admission::probe(Line& line, Instant now, Commands& commands) {
  wait_no_more(line);
  line.probed = ++queues_of(line).probe_turns;
  line.had_turn = true;
  give_back_useless(line, now, commands);
  if (goes_together(line)) {
    Batch alone{BatchOptions{}};
    fill(line, alone, now, commands);
    gather(line, now);
  } else {
    if (picker_.may_send(line, now)) send_first(line, now, commands);
    if (picker_.may_send(line, now)) wait_for(line, LineWaits::room);
  }
  go_on(line, now, commands);
}

void Admission::serve_probe(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  const std::uint64_t end = target.probe_turns + 2 * std::uint64_t{places_.lines(id)} + 2;
  while (target.probe_turns < end && delivery_.room(id, now) > 0 && !asks_for_probe(id, now)) {
    Line* const line = next_to_probe(id, now);
    if (line == nullptr) break;
    probe(*line, now, commands);
  }
  wake_other_probes(id, now);
}

// A permit that lies far ahead keeps others from asking for a while only, and nothing else may
// happen at the end of that. No request gathers meanwhile, so that alarm is free.
void Admission::wake_other_probes(TargetId id, Instant now) {
  if (!asks_for_probe(id, now)) return;
  const Line& line = lines_[targets_[id.value].asks_last->value];
  const Instant until = line.asked_at + kAheadOfProbe;
  if (line.open_ask || until <= now || line.permits.front().due <= until) return;
  deadlines_.set({Alarm::Kind::target_queue, id.value}, until);
}

}  // namespace einlass::core
