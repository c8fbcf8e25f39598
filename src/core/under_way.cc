// The fifth part of Admission: lines that are held back because as many attempts are under way as a
// limit without key allows.
//
// They all want the same places, so they wait in one queue, whatever their targets. An attempt that
// ends here lets the first of them ask, and so does an answer that leaves some places; who is held
// back again goes to the end. What ends at other gates is not foretold: the first in the queue
// looks for it now and then, for all of them. So the limiter is asked as often for a thousand lines
// as for one.
#include <algorithm>
#include <utility>

#include "core/admission.h"

namespace einlass::core {
namespace {

// Ends are not foretold: the wait that the limiter names is that for the first attempt whose holder
// seems to be dead.
constexpr Duration kLookAgain = Duration::millis(20);

// A gate that asks as soon as an attempt of its own has ended leaves nothing to those that can only
// look now and then. So one place is left to them from time to time.
constexpr Duration kLeaveOneEach = Duration::millis(500);

}  // namespace

// Spread, so that gates do not ask in step.
Duration Admission::pause_for_held(Duration retry) {
  const Duration most = std::min(retry, kLookAgain);
  return Duration{std::max<std::int64_t>(1, most.us / 2 + random_.up_to(most.us / 2))};
}

Contest& Admission::held_contest(ContestIndex i) { return contests_[contests_[i].first_of_limit]; }

// The first looks; the others only if nobody has let them ask for twice as long as it takes until
// it is their turn to look.
void Admission::hold_back(Line& line, Duration retry, Instant now) {
  line.held_back = true;
  const bool with_others = is_held_with_others(line);
  bool& freed = with_others ? held_contest(line.lacks).freed : line.freed;
  if (std::exchange(freed, false)) {
    line.next_ask = now;
    return;
  }
  const std::int64_t before = with_others ? held_contest(line.lacks).held_back.size() : 0;
  line.next_ask = now + Duration{pause_for_held(retry).us * (before == 0 ? 1 : 2 * (before + 1))};
}

// Whoever does not ask now waits for something else.
void Admission::let_next_ask(Queue& held_back, bool ended, Instant now, Commands& commands) {
  while (!held_back.empty()) {
    Line& line = lines_[held_back.front()];
    wait_no_more(line);
    line.next_ask = now;
    serve(line, now, commands);
    line.after_end = ended && line.open_ask;
    if (line.open_ask) return;
  }
}

// A place of the route's limits is free: an attempt has ended, or an answer was not short of it.
void Admission::place_under_way(RouteId route, bool ended, Instant now, Commands& commands) {
  if (options_.routes[route.value].held_limits == 0) return;
  for (const ContestIndex i : contests_of_route_[route.value]) {
    Contest& contest = held_contest(i);
    const bool leave = ended && contest.leave_one_at && now >= *contest.leave_one_at;
    if (leave || !contest.leave_one_at) contest.leave_one_at = now + kLeaveOneEach;
    if (leave) continue;
    // Who would take it has an open ask, and is not told of this place.
    contest.freed |= ended && contest.held_back.empty();
    let_next_ask(contest.held_back, ended, now, commands);
  }
}

// Whoever was first in a queue may have left it: the next one looks when that one would have.
void Admission::keep_looking(TargetId id, Instant now) {
  for (const ContestIndex i : targets_[id.value].contests) {
    Contest& contest = held_contest(i);
    if (contest.held_back.empty()) continue;
    if (contest.look_at <= now) contest.look_at = now + pause_for_held(kLookAgain);
    Line& line = lines_[contest.held_back.front()];
    if (line.next_ask <= contest.look_at) continue;
    line.next_ask = contest.look_at;
    arm(line, now);
  }
}

}  // namespace einlass::core
