// Of Admission: what an answer that was short says of the next ask.
//
// A limit says when one more permit could be had. Until then nobody asks it, and a line that asks
// ahead waits for longer still, for what comes free meanwhile is given to the next ask. What it
// said holds for the record that it was short for: that one may be gone, or cost so much that it
// never has its turn beside others.
#include <algorithm>

#include "core/admission/admission.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// After the answer that no waiting helps; the limit may be changed meanwhile.
constexpr Duration kAskAgainAfterNever = Duration::seconds(1);

// How much further ahead than its route's horizon a permit for a costly record may lie.
constexpr Duration kReach = Duration::seconds(30);

}  // namespace

// How long after one more permit could be had it is asked for, of limits that went so far ahead in
// an answer that took so long. Whoever asks is given what came free since anybody's last ask, all
// of it ahead of time: waiting costs nothing, and saves calls, as long as the next ask is decided
// before the first of these permits would have been due. Spread, so that gates do not ask in step.
Duration Admission::wait_ahead(Duration ahead, Duration took) {
  const std::int64_t half = ahead.us / 2;
  const std::int64_t wait = half / 2 + random_.up_to(half);
  return Duration{std::clamp<std::int64_t>(ahead.us - 2 * took.us, 0, wait)};
}

void Admission::learn_from_shortage(Line& line, KeylessIndex keyless, const PermitsAnswered& event,
                                    Instant now) {
  const RouteOptions& route = route_of(line);
  CHECK(event.reason.value < route.limit_count);
  if (event.due.empty()) ++stats_[line.route.value].limits[event.reason.value].rejections;
  if (!event.due.empty() && !event.retry) {
    // Told again what was granted before, or the next record can never be paid: nobody is to blame.
    line.next_ask = now;
    return;
  }
  line.blamed = event.reason;
  if (!event.retry) {
    // The record in question leaves the line, if only for a while.
    const bool leaves = line.count() > 0 && (route.dead_letter || route.cost_varies);
    line.next_ask = leaves ? now : now + kAskAgainAfterNever;
    return;
  }
  if (route.held_limits >> event.reason.value & 1) {
    return hold_back(line, keyless, *event.retry, now);
  }
  if (event.flows != nullptr && event.flows->held_up != HeldUp::no) {
    return wait_for_others(line, keyless, event, now);
  }
  const bool binds_all = keyless != kNoKeyless || route.limit_count == 1;
  const Duration retry = std::max(*event.retry, Duration::micros(1));
  if (line.asked_horizon > Duration{} && binds_all) {
    const Duration ahead = line.fleet() ? std::min(event.ahead, kAheadOfFleet) : event.ahead;
    return ask_after(line, keyless, retry + wait_ahead(ahead, now - line.asked_at), ahead, now);
  }
  const bool probes = !breaker_of(line).closed();
  line.may_reach_ahead =
      route.horizon > Duration{} && (probes || (binds_all && route.limit_count > 1));
  if (!line.may_reach_ahead) return ask_after(line, keyless, retry, {}, now);
  // As soon as that permit is so near that it may be asked for, and like any ask before long.
  line.next_same_ask = now + before_long(retry);
  const Duration reach = std::min(retry, horizon_of(line));
  ask_after(line, keyless, retry - reach, reach, now);
}

// Whatever a limit has said: nobody knows for how long that holds. Spread, so that gates do not ask
// in step.
Duration Admission::before_long(Duration wait) {
  return std::min(wait, kLongestUnasked - Duration{random_.up_to(kLongestUnasked.us / 2)});
}

// The next ask, or the next of anybody's where the limit has no key: for what comes due `reach`
// after it.
void Admission::ask_after(Line& line, KeylessIndex keyless, Duration wait, Duration reach,
                          Instant now) {
  const Instant at = now + before_long(wait);
  line.foretold = now + wait;
  if (keyless == kNoKeyless) {
    line.next_ask = at;
  } else {
    keyless_limits_.was_short(keyless, at, std::min(reach, kLongestUnasked / 2), line.foretold);
  }
}

// The record that the answer was short for.
void Admission::note_denied(Line& line, std::size_t granted) {
  if (line.wanted.empty()) return;
  line.denied = line.wanted[granted].record;
  if (!picker_.is_ready(line, line.denied)) forget_denial(line);
}

// That record is gone, and what was said of it holds for no other: the next may cost less.
void Admission::forget_denial(Line& line) {
  line.denied = RecordId{kNoSlot, 0};
  line.reach = Duration{};
  line.foretold = Instant{};
  line.next_ask = line.next_same_ask = line.asked_at;
  deadlines_.set({Alarm::Kind::line, line.id.value}, line.asked_at);
  const KeylessIndex keyless =
      line.blamed ? keyless_limits_.at_index(line, *line.blamed) : kNoKeyless;
  if (keyless != kNoKeyless) keyless_limits_.let_ask(keyless, line.asked_at);
}

// When its permit had been foretold others were there first, and so they will be again where the
// record costs more than theirs: a limit has never as much left. So its permit is booked as far
// ahead as that takes, but not so far that what others are told to wait for looks like a fault.
void Admission::reach_further(Line& line, KeylessIndex keyless, const PermitsAnswered& event,
                              Instant now) {
  const RouteOptions& route = route_of(line);
  const TargetQueues& target = queues_of(line);
  const bool may = route.cost_varies && route.limit_count == 1 && !line.flows && !line.changed &&
                   line.asked_horizon > Duration{} &&
                   route.horizon > Duration{} &&  // Both: a reload.
                   breaker_of(line).closed() &&
                   event.ahead >= line.asked_horizon &&  // Else the limit bears no more.
                   target.ahead.permits < options_.targets[route.target.value].max_in_flight;
  const Duration wanted = std::max(line.asked_horizon + *event.retry * 2, line.asked_horizon * 2);
  const Duration reach = std::min(wanted, route.horizon + kReach);
  if (!may || reach <= line.asked_horizon) return;
  line.reach = reach;
  line.next_ask = line.foretold = now;
  if (keyless != kNoKeyless) keyless_limits_.let_ask(keyless, now);
}

}  // namespace einlass::core
