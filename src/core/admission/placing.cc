// The third part of Admission: who takes a target's places, and when a retry goes before a fresh
// record.
//
// A line has its part of the places whatever others do: so many that, if each had as many, all
// would be used. What it takes beyond that leaves an eighth free, so that whoever comes finds some,
// even if the attempts of those who were there hang for long. Lines without their part go first, in
// turn; who has it waits aside, until an attempt of its own ends, its part grows, or nobody else
// wants the place.
#include <algorithm>

#include "core/admission/admission.h"

namespace einlass::core {
namespace {

// Of a target's places, what nobody takes beyond his part.
constexpr std::int64_t kReservedPart = 8;

// Retries that a line saves up for itself.
constexpr std::int64_t kMostSavedInLine = 1;

}  // namespace

// ---- places ----

// Where lines come and go, one that is alone leaves some places to the next.
std::int64_t Admission::parts_of(TargetId id) const {
  const TargetQueues& target = targets_[id.value];
  return std::max<std::int64_t>(target.lines, target.many ? 2 : 1);
}

// How many more of its attempts may start before the line has its part of all places. Who is alone
// has them all.
std::int64_t Admission::part_left(const Line& line) const {
  const TargetId id = route_of(line).target;
  const std::int64_t parts = parts_of(id);
  const std::int64_t most = options_.targets[id.value].max_in_flight;
  return parts == 1 ? most : (most + parts - 1) / parts - line.in_flight;
}

// How many more of the line's attempts may start now.
std::int64_t Admission::places(const Line& line, Instant now) const {
  const TargetId id = route_of(line).target;
  const std::int64_t room = delivery_.room(id, now);
  // A probe may be anybody's.
  if (parts_of(id) == 1 || !delivery_.breaker(id).closed()) return room;
  const std::int64_t reserve = options_.targets[id.value].max_in_flight / kReservedPart;
  return std::clamp<std::int64_t>(std::max(part_left(line), room - reserve), 0, room);
}

// It leaves the queue in which it waits for a place, and sends its first record if it may.
void Admission::take_place(Line& line, Instant now, Commands& commands) {
  give_back_useless(line, now, commands);
  wait_no_more(line);
  if (goes_together(line)) return serve(line, now, commands);
  if (may_send(line, now)) send_first(line, now, commands);
  if (may_send(line, now)) wait_for(line, LineWaits::room);
  go_on(line, now, commands);
}

// One record a line in turn, so that no line's backlog stands before another's first record. Those
// who have their part take what nobody else waits for.
void Admission::serve_room(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  call_aside(target, now, commands);
  while (delivery_.room(id, now) > 0) {
    const Slot next = target.room.next_in_its_place(lines_, target.retries);
    if (next == kNoSlot) {
      if (!serve_parked(id, now, commands)) return;
    } else if (part_left(lines_[next]) <= 0) {
      wait_for(lines_[next], LineWaits::parked);
    } else {
      take_place(lines_[next], now, commands);
    }
  }
}

// Those who waited aside with their part and have it no more, because there are fewer lines by now,
// wait with the others.
void Admission::call_aside(TargetQueues& target, Instant now, Commands& commands) {
  for (std::size_t left = target.parked.size(); left > 0; --left) {
    Line& line = lines_[target.parked.front()];  // With the fewest places.
    if (part_left(line) <= 0) return;
    may_send(line, now) ? wait_for(line, LineWaits::room) : take_place(line, now, commands);
  }
}

// The one that has least. False if it may have none either.
bool Admission::serve_parked(TargetId id, Instant now, Commands& commands) {
  const TargetQueues& target = targets_[id.value];
  if (target.parked.empty() || places(lines_[target.parked.front()], now) == 0) return false;
  take_place(lines_[target.parked.front()], now, commands);
  return true;
}

// ---- fresh records and retries ----
//
// At the target each fresh attempt earns, and each retry spends. Of a limit without key a retry
// spends when its permit is granted, if its line has nothing else: so no more is asked for than is
// paid for.

// Fresh records of other lines want the target's places, or to ask for permits for these.
bool Admission::fresh_want(const Line& line) const {
  const TargetQueues& target = targets_[route_of(line).target.value];
  const std::uint32_t fresh = target.room.fresh() + target.due.turns.fresh();
  const bool at_target = line.waits == LineWaits::room || line.waits == LineWaits::turn;
  return fresh > (at_target && !line.among_retries ? 1u : 0u);
}

// Fresh records of other lines wait until they may ask for permits of this limit.
bool Admission::fresh_want(const Line& line, SharedIndex index) const {
  const SharedLimit& limit = shared_limits_[index];
  const bool waits = line.waits == LineWaits::limit && line.limit == index;
  return limit.binds() && limit.turns.fresh() > (waits && !line.among_retries ? 1u : 0u);
}

// It has nothing but retries, and the target's credit does not pay for one while fresh records
// wait.
bool Admission::shut_out(const Line& line) const {
  if (!line.only_retries() || line.failed || !breaker_of(line).closed()) return false;
  const TargetQueues& target = targets_[route_of(line).target.value];
  return fresh_want(line) && !target.retries.pays(false, line.retry_share);
}

// Others wait for what the line's next record needs, and the credit does not pay for a retry.
bool Admission::retry_must_wait(const Line& line) const {
  const TargetQueues& target = targets_[route_of(line).target.value];
  const bool others = !target.room.empty() || !target.due.turns.empty();
  if (others && !target.retries.pays(true, line.retry_share)) return true;
  return std::ranges::any_of(shared_of(line), [&](SharedIndex i) {
    const SharedLimit& limit = shared_limits_[i];
    const bool wanted = limit.binds() && !limit.turns.empty();
    return wanted && !limit.retries.pays(true, line.retry_share);
  });
}

// REQUIRES: it has both kinds.
bool Admission::retry_goes_first(const Line& line) const {
  return line.credit.retries(line.retry_share) > 0 && !retry_must_wait(line);
}

// REQUIRES: its retries stand apart; the record has left the line's lists.
void Admission::count_attempt(Line& line, bool retry) {
  const std::int64_t share = line.retry_share;
  SharedCredit& at_target = queues_of(line).retries;
  const bool mixed = !line.ready.empty();
  if (retry) {
    line.credit.spend(share);
    at_target.spend(mixed, share);
  } else {
    line.credit.earn(share, kMostSavedInLine);
    at_target.earn(share);
  }
  for (const SharedIndex i : shared_of(line)) {
    SharedLimit& limit = shared_limits_[i];
    if (!retry) limit.retries.earn(share);
    if (retry && mixed) limit.retries.spend(mixed, share);
  }
}

// Whose retries do not stand apart earns nothing for himself; but retries of others that wait for
// the same would never have a turn while he always wants more.
void Admission::earn_for_others(const Line& line) {
  const TargetId target = route_of(line).target;
  const std::int64_t at_target = options_.targets[target.value].retry_share;
  if (at_target < 100) targets_[target.value].retries.earn(at_target);
  for (const SharedIndex i : shared_of(line)) {
    SharedLimit& limit = shared_limits_[i];
    const Slot retry = limit.turns.retry();
    if (retry != kNoSlot) limit.retries.earn(lines_[retry].retry_share);
  }
}

// How many of the line's retries may have permits. With fresh records of its own the line has
// permits for these alone while others want them, and its credit decides.
std::int64_t Admission::usable_retries(const Line& line) const {
  std::int64_t usable = line.retries.size();
  if (usable == 0 || line.failed || !breaker_of(line).closed()) return usable;
  for (const SharedIndex i : shared_of(line)) {
    if (!fresh_want(line, i)) continue;
    const std::int64_t paid = shared_limits_[i].retries.credit.retries(line.retry_share);
    usable = line.only_retries() ? std::min(usable, std::max<std::int64_t>(1, paid)) : 0;
  }
  return usable;
}

}  // namespace einlass::core
