// Of Admission: what somebody has paused, lines one by one or with their route. A
// paused line holds no permit, asks for none and stands in no queue; its records wait in it, in
// order. Paused partitions are Intake's.
#include "core/admission/admission.h"

namespace einlass::core {

// A line with records has come to its target, or is gone: the parts of the others are others.
void Admission::count_line(const Line& line, int by) {
  if (is_paused(line)) return;
  if (by > 0) places_.come(line);
  if (by < 0) places_.go(line);
  queues_of(line).touched = true;
}

void Admission::pause(RouteId route, bool paused, Instant now, Commands& commands) {
  if (paused_routes_[route.value] == paused) return;
  const auto each = [&](auto visit) {
    for (Line& line : lines_) {
      if (line.in_use && line.route == route) visit(line);
    }
  };
  if (paused) each([this](Line& line) { count_line(line, line.total > 0 ? -1 : 0); });
  paused_routes_[route.value] = paused;
  each([&](Line& line) { paused ? serve(line, now, commands) : move_on(line, now, commands); });
}

void Admission::pause(LineId id, bool paused, Instant now, Commands& commands) {
  Line& line = lines_[id.value];
  if (line.paused == paused) return;
  if (paused) count_line(line, line.total > 0 ? -1 : 0);
  line.paused = paused;
  if (paused) return serve(line, now, commands);
  if (!is_paused(line)) move_on(line, now, commands);
}

// What it was granted others may use meanwhile.
void Admission::stand_still(Line& line, Instant now, Commands& commands) {
  while (!line.permits.empty()) give_back(line, now, commands);
  TargetQueues& target = queues_of(line);
  target.gathered -= line.gathered;
  line.gathered = 0;
  line.had_turn = false;
  wait_no_more(line);
  deadlines_.clear({Alarm::Kind::line, line.id.value});
  forget_if_empty(line, commands);
}

// What its limiter said of when to ask again still holds.
void Admission::move_on(Line& line, Instant now, Commands& commands) {
  count_line(line, line.total > 0 ? 1 : 0);
  serve(line, now, commands);
}

}  // namespace einlass::core
