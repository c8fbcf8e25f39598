// How many of a line's records wait for what, counted for people. It only looks, and never at each
// record.
#include <algorithm>
#include <utility>

#include "core/admission/admission.h"
#include "core/records/place_in_list.h"

namespace einlass::core {

// Nothing goes to its target now but a probe.
bool Admission::stands_still(const Line& line, Instant now) const {
  return delivery_.held_until(route_of(line).target) > now || !breaker_of(line).closed();
}

LineCause Admission::cause_of(const Line& line, Instant now) const {
  const RouteOptions& route = route_of(line);
  const std::uint64_t ready = line.count();
  if (is_paused(line)) return {0, Cause::paused};
  if (route.limit_count == 0 || stands_still(line, now)) return {ready};
  const auto due = std::upper_bound(
      line.permits.begin(), line.permits.end(), now,
      [&](Instant at, const HeldPermit& held) { return at < awake_for(line, held.due); });
  Standing rest;
  explain_shortage(line, now, rest);
  if (rest.waits == WaitsFor::permit && !rest.limit && route.limit_count == 1) {
    rest.limit = LimitIndex{0};  // Which nobody has had to say yet.
  }
  return {std::min<std::uint64_t>(ready, static_cast<std::uint64_t>(due - line.permits.begin())),
          core::cause_of(rest.waits), rest.limit};
}

void Admission::add_waiting(Instant now, std::span<Waiting> by_route) const {
  for (const Line& line : lines_) {
    if (!line.in_use || line.total == 0) continue;
    Waiting& waiting = by_route[line.route.value];
    ++waiting.lines;
    const std::uint64_t ready = line.count();
    if (ready == 0) continue;
    for (std::uint8_t i = 0; line.flows && i < route_of(line).share.levels; ++i) {
      waiting.by_level[i] += line.flows->ready(i);
    }
    const LineCause cause = cause_of(line, now);
    const std::uint64_t rest = ready - cause.at_target;
    waiting.records[Cause::target] += cause.at_target;
    waiting.records[cause.rest] += rest;
    if (cause.rest != Cause::limit || !cause.limit || rest == 0) continue;
    waiting.for_limit[cause.limit->value] += rest;
    ++waiting.lines_for_limit[cause.limit->value];
  }
}

// Of a line with a share the first in the list stand for those whose turn it is.
std::pair<Cause, std::optional<LimitIndex>> Admission::cause_of(const Record& record,
                                                                Instant now) const {
  const Line& line = lines_[record.line.value];
  const LineCause cause = cause_of(line, now);
  // Where all wait for their target it need not be found among them: it is asked for each lane, and
  // before it may stand as many records as there are lanes.
  const bool all = cause.at_target >= line.count();
  const auto is_among_first = [&](std::uint64_t most) {
    return records_before(records_, record.id.slot, &Record::in_line, most) < most;
  };
  if (all || is_among_first(cause.at_target)) {
    return {Cause::target, std::nullopt};
  }
  return {cause.rest, cause.rest == Cause::limit ? cause.limit : std::nullopt};
}

}  // namespace einlass::core
