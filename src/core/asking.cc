// The second half of Admission: when to ask for permits, and for how many.
//
// The aim is one call for many permits without asking for any that will not be used. A line asks
// for what it can use: its ready records, and of those behind them as many as are likely to follow
// in time at the pace of late. Where the limit binds it then leaves the limiter alone for a while,
// for permits ahead come due without being asked for again.
#include <algorithm>

#include "core/admission.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// After a question that got no answer.
constexpr Duration kAskAgainAfterFailure = Duration::millis(50);

// After the answer that no waiting helps; the limit may be changed meanwhile.
constexpr Duration kAskAgainAfterNever = Duration::seconds(1);

// What a target's lines may hold in permits beyond its room, before others must wait their turn:
// what leaves within this time.
constexpr Duration kReserve = Duration::seconds(1);

}  // namespace

Duration Admission::horizon_of(const Line& line) const {
  const RouteOptions& route = route_of(line);
  return route.limit_count == 1 || line.ahead ? route.horizon : Duration{};
}

std::int64_t Admission::allowance(Line& line, Instant now) {
  const RouteOptions& route = route_of(line);
  // Permits that are due at once are only good for use_within; those of a limit that binds come
  // due one after the other. Twice the pace, so that it can grow.
  const Duration cover = route.use_within / 4 + (line.bound ? horizon_of(line) : Duration{});
  return delivery_.room(route.target, now) + 2 * line.pace.expected(now, cover);
}

std::int64_t Admission::demand(Line& line, Instant now) {
  const std::int64_t room = delivery_.room(route_of(line).target, now);
  const std::int64_t soon = allowance(line, now);
  // Of the records behind others only as many as the pace promises.
  const std::int64_t usable = line.ready.size() + std::min<std::int64_t>(line.behind, soon - room);
  const std::int64_t wanted = std::min({usable, soon, kMostHeld});
  const auto held = static_cast<std::int64_t>(line.permits.size());
  const std::int64_t missing = wanted - held;
  // While there are some left a call must be worth it.
  if (held > 0 && 2 * missing < wanted) return 0;
  return std::min(missing, kMostPerAsk);
}

bool Admission::spoken_for(const Line& line, Instant now) {
  TargetQueues& target = queues_of(line);
  const TargetId id = route_of(line).target;
  if (delivery_.held_until(id) > now) return true;
  const std::int64_t most = 2 * std::int64_t{options_.targets[id.value].max_in_flight} +
                            2 * target.pace.expected(now, kReserve);
  return target.reserved >= most;
}

// Empty if nothing stands in the way of asking; not_at_all if there is nothing to ask for now.
std::optional<LineWaits> Admission::obstacle_to_asking(const Line& line, Instant now) {
  const std::uint32_t usable = line.ready.size() + line.behind;
  if (line.open_ask || route_of(line).limit_count == 0 || now < line.next_ask ||
      usable <= line.permits.size()) {
    return LineWaits::not_at_all;
  }
  if (stores_[route_of(line).store.value].down) return LineWaits::store;
  if (spoken_for(line, now)) return LineWaits::turn;
  return std::nullopt;
}

void Admission::consider_asking(Line& line, Instant now, Commands& commands) {
  std::optional<LineWaits> obstacle = obstacle_to_asking(line, now);
  if (!obstacle) {
    const std::int64_t most = demand(line, now);
    if (most > 0) {
      ask(line, most, now, commands);
      obstacle = LineWaits::not_at_all;
    } else {
      // Without a permit in hand only a place at the target can wake the line.
      const bool stuck = line.permits.empty() && !line.ready.empty();
      obstacle = stuck ? LineWaits::turn : LineWaits::not_at_all;
    }
  }
  // A line that waits for room has permits; when they are used up it comes here again.
  if (line.waits != LineWaits::room) wait_for(line, *obstacle);
}

void Admission::ask(Line& line, std::int64_t most, Instant now, Commands& commands) {
  line.open_ask = AskId{++asks_};
  line.asked = most;
  line.asked_horizon = horizon_of(line);
  queues_of(line).reserved += most;
  line.next_ask = now;
  commands.push_back(
      Ask{LineId{index_of(line)}, *line.open_ask, Permits{1}, Permits{most}, line.asked_horizon});
}

bool Admission::answered(const PermitsAnswered& event, Instant now, Commands& commands) {
  if (event.line.value >= lines_.size()) return false;
  Line& line = lines_[event.line.value];
  if (!line.in_use || line.open_ask != event.ask) return false;  // Came twice, or too late.
  const auto granted = static_cast<std::int64_t>(event.due.size());
  CHECK(granted <= line.asked);
  line.open_ask.reset();
  TargetQueues& target = queues_of(line);
  target.reserved += granted - line.asked;
  target.touched = true;
  for (std::uint16_t i = 0; i < granted; ++i) {
    const Permit permit{event.ask, i, event.limiter_now + event.due[i]};
    line.permits.insert({permit, now + event.due[i]});
  }
  line.bound = granted < line.asked || event.due.back() > Duration{};
  if (granted < line.asked) {
    learn_from_shortage(line, event, now);
  } else {
    line.ahead = false;
  }
  serve(line, now, commands);
  return granted == 0 && !event.retry;
}

void Admission::learn_from_shortage(Line& line, const PermitsAnswered& event, Instant now) {
  const RouteOptions& route = route_of(line);
  CHECK(event.reason.value < route.limit_count);
  if (event.due.empty()) ++stats_[line.route.value].limits[event.reason.value].rejections;
  if (!event.retry) {
    line.next_ask = now + kAskAgainAfterNever;
    return;
  }
  const bool shared = route.limit_count == 1 || (route.shared_limits >> event.reason.value & 1);
  const Duration retry = std::max(*event.retry, Duration::micros(1));
  if (line.asked_horizon > Duration{} && shared) {
    // Whoever asks next is given what came free since anybody's last ask, all of it ahead of time:
    // waiting costs nothing, and saves calls. Spread, so that gates do not ask in step.
    const std::int64_t half = line.asked_horizon.us / 2;
    line.next_ask = now + retry + Duration{half / 2 + random_.up_to(half)};
    return;
  }
  const bool go_ahead = shared && route.limit_count > 1 && route.horizon > Duration{};
  line.ahead = go_ahead;
  line.next_ask = go_ahead ? now : now + retry;
}

void Admission::failed(const PermitsFailed& event, Instant now, Commands& commands) {
  if (event.line.value >= lines_.size()) return;
  Line& line = lines_[event.line.value];
  if (!line.in_use || line.open_ask != event.ask) return;
  line.open_ask.reset();
  queues_of(line).reserved -= line.asked;
  queues_of(line).touched = true;
  line.next_ask = now + kAskAgainAfterFailure;
  serve(line, now, commands);
}

}  // namespace einlass::core
