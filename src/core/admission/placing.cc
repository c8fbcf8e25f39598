// Of Admission: who takes a target's places.
//
// Lines without their part of them (places.h) go first, in turn; who has it waits aside, until an
// attempt of its own ends, its part grows, or nobody else wants the place.
#include <cstddef>

#include "core/admission/admission.h"

namespace einlass::core {

// It leaves the queue in which it waits for a place, and sends its first record if it may.
void Admission::take_place(Line& line, Instant now, Commands& commands) {
  give_back_useless(line, now, commands);
  wait_no_more(line);
  if (goes_together(line)) return serve(line, now, commands);
  // A permit that was in the way is given back by now, also where there is no place.
  const bool room = delivery_.room(route_of(line).target, now) > 0;
  if (room && picker_.may_send(line, now)) send_first(line, now, commands);
  if (picker_.may_send(line, now)) wait_for(line, LineWaits::room);
  go_on(line, now, commands);
}

// One record a line in turn, so that no line's backlog stands before another's first record. Those
// who have their part take what nobody else waits for.
void Admission::serve_room(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  call_aside(target, now, commands);
  while (delivery_.room(id, now) > 0) {
    const Slot next = target.room.next_in_its_list(lines_, target.retries);
    if (next == kNoSlot) {
      if (!serve_parked(id, now, commands)) return;
    } else if (places_.part_left(lines_[next]) <= 0) {
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
    if (places_.part_left(line) <= 0) return;
    picker_.may_send(line, now) ? wait_for(line, LineWaits::room) : take_place(line, now, commands);
  }
}

// The one that has least. False if it may have none either.
bool Admission::serve_parked(TargetId id, Instant now, Commands& commands) {
  const TargetQueues& target = targets_[id.value];
  if (target.parked.empty() || places_.left(lines_[target.parked.front()], now) == 0) return false;
  take_place(lines_[target.parked.front()], now, commands);
  return true;
}

}  // namespace einlass::core
