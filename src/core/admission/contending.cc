// The fifth part of Admission: lines that contend for limits without key.
//
// What comes free of a limit on attempts under way is not foretold, but for the attempts that end
// here: each lets one more line ask. What ends at other gates is looked for now and then.
#include <algorithm>
#include <utility>

#include "core/admission/admission.h"

namespace einlass::core {
namespace {

// Ends are not foretold: the wait that the limiter names is that for the first attempt whose holder
// seems to be dead.
constexpr Duration kLookAgain = Duration::millis(20);

// A gate that asks as soon as an attempt of its own has ended leaves nothing to those that can only
// look now and then. So one place is left to them from time to time.
constexpr Duration kLeaveOneEach = Duration::millis(500);

}  // namespace

// All limits without key, and which of a route's limits are these.
void Admission::find_shared_limits() {
  for (const RouteOptions& route : options_.routes) {
    SharedOfRoute& mine = shared_of_route_.emplace_back();
    mine.by_index.fill(kNoShared);
    for (std::uint8_t i = 0; i < route.limit_count; ++i) {
      if ((route.shared_limits >> i & 1) == 0) {
        targets_[route.target.value].many = true;
        continue;
      }
      mine.by_index[i] = shared_limit_of(route.limits[i]);
      mine.all.push_back(mine.by_index[i]);
    }
  }
}

SharedIndex Admission::shared_limit_of(LimitId id) {
  const auto known = std::ranges::find(shared_limits_, id, &SharedLimit::id);
  const auto index = static_cast<SharedIndex>(known - shared_limits_.begin());
  if (known == shared_limits_.end()) shared_limits_.push_back({.id = id});
  return index;
}

// Whether the line whose turn it is may ask the limit.
bool Admission::lets_ask(SharedIndex index, Instant now) const {
  const SharedLimit& limit = shared_limits_[index];
  return limit.open_asks < limit.most_open && (now >= limit.not_before || limit.freed);
}

// The limit in whose queue the line stands before it asks: the one that was short of it last, or
// else the first that is short. One alone, for who waits for two would lose his turn at each while
// he waits for the other. kNoShared if there is none.
SharedIndex Admission::queues_at(const Line& line) const {
  const SharedIndex last = line.short_of;
  if (last != kNoShared && shared_limits_[last].binds()) return last;
  const auto& all = shared_of(line);
  const auto binds = [&](SharedIndex i) { return shared_limits_[i].binds(); };
  const auto first = std::ranges::find_if(all, binds);
  return first == all.end() ? kNoShared : *first;
}

// The limit for which the line must wait before it asks; kNoShared if there is none.
SharedIndex Admission::limit_before(const Line& line, Instant now) const {
  const SharedIndex index = queues_at(line);
  if (index == kNoShared) return kNoShared;
  const SharedLimit& limit = shared_limits_[index];
  const Slot next = limit.turns.next(lines_, limit.retries);
  const bool others = next != kNoSlot && next != index_of(line);
  return others || !lets_ask(index, now) ? index : kNoShared;
}

// How many permits the line may ask for, so that others' turns come soon.
std::int64_t Admission::most_in_turn(const Line& line) const {
  std::int64_t most = line.reach > Duration{} ? 1 : kMostPerAsk;
  for (const SharedIndex i : shared_of(line)) {
    if (shared_limits_[i].binds()) most = std::min(most, shared_limits_[i].most_in_turn());
  }
  return most;
}

// Lets lines ask in turn, as far as the limit has something for them.
void Admission::serve_limit(SharedIndex index, Instant now, Commands& commands) {
  SharedLimit& limit = shared_limits_[index];
  const Alarm alarm{Alarm::Kind::limit, index};
  deadlines_.clear(alarm);
  while (!limit.turns.empty()) {
    Line& line = lines_[limit.turns.next_in_its_place(lines_, limit.retries)];
    if (!lets_ask(index, now)) {
      if (limit.not_before > now) deadlines_.set(alarm, limit.not_before);
      break;
    }
    serve(line, now, commands);
  }
  limit.touched = false;
}

void Admission::serve_limits(Instant now, Commands& commands) {
  for (SharedIndex i = 0; i < shared_limits_.size(); ++i) {
    if (shared_limits_[i].touched) serve_limit(i, now, commands);
  }
}

void Admission::count_open_ask(const Line& line) {
  for (const SharedIndex i : shared_of(line)) {
    ++shared_limits_[i].open_asks;
    shared_limits_[i].freed = false;
  }
}

// The line's ask has ended, and was short of this one; kNoShared: of none without key.
void Admission::close_ask(const Line& line, SharedIndex short_of, std::int64_t granted,
                          Instant now) {
  for (const SharedIndex i : shared_of(line)) {
    SharedLimit& limit = shared_limits_[i];
    --limit.open_asks;
    limit.touched = true;
    if (limit.binds()) limit.granted += granted;
    if (i != short_of && granted > 0) limit.was_not_short(now);
    const bool retries = line.apart() && line.only_retries();
    for (std::int64_t n = 0; retries && n < granted; ++n) {
      limit.retries.spend(false, line.retry_share);
    }
  }
}

// Spread, so that gates do not ask in step.
Duration Admission::pause_for_held(Duration retry) {
  const Duration most = std::min(retry, kLookAgain);
  return Duration{std::max<std::int64_t>(1, most.us / 2 + random_.up_to(most.us / 2))};
}

// As many attempts are under way as a limit allows.
void Admission::hold_back(Line& line, SharedIndex shared, Duration retry, Instant now) {
  if (shared != kNoShared) {
    shared_limits_[shared].foretold = Instant{};
    return shared_limits_[shared].was_short(now + pause_for_held(retry), Duration{});
  }
  line.held_back = true;
  line.next_ask = std::exchange(line.freed, false) ? now : now + pause_for_held(retry);
}

// An attempt of the route has ended here: one more may be had of its limits on those under way.
void Admission::place_under_way(RouteId route, Instant now) {
  const std::uint32_t held = options_.routes[route.value].held_limits;
  const auto& by_index = shared_of_route_[route.value].by_index;
  for (std::size_t i = 0; i < by_index.size(); ++i) {
    if (by_index[i] == kNoShared || (held >> i & 1) == 0) continue;
    SharedLimit& limit = shared_limits_[by_index[i]];
    const bool leave = limit.leave_one_at && now >= *limit.leave_one_at;
    if (leave || !limit.leave_one_at) limit.leave_one_at = now + kLeaveOneEach;
    if (leave) continue;
    limit.freed = limit.touched = true;
  }
}

}  // namespace einlass::core
