#include "core/admission/shared_limits.h"

#include <algorithm>
#include <cstddef>

namespace einlass::core {
namespace {

// A gate that asks as soon as an attempt of its own has ended leaves nothing to those that can only
// look now and then. So one place is left to them from time to time.
constexpr Duration kLeaveOneEach = Duration::millis(500);

}  // namespace

SharedLimits::SharedLimits(const GateOptions& options, const LineQueue::Lines& lines)
    : options_(options), lines_(lines) {
  for (const RouteOptions& route : options.routes) {
    OfRoute& mine = by_route_.emplace_back();
    mine.by_place.fill(kNoShared);
    for (std::uint8_t i = 0; i < route.limit_count; ++i) {
      if ((route.shared_limits >> i & 1) == 0) continue;
      mine.by_place[i] = index_of(route.limits[i]);
      mine.all.push_back(mine.by_place[i]);
    }
  }
}

SharedIndex SharedLimits::index_of(LimitId id) {
  const auto known = std::ranges::find(limits_, id, &SharedLimit::id);
  const auto index = static_cast<SharedIndex>(known - limits_.begin());
  if (known == limits_.end()) limits_.push_back({.id = id});
  return index;
}

LimitIndex SharedLimits::place_of(const Line& line, SharedIndex index) const {
  const auto& by_place = by_route_[line.route.value].by_place;
  const auto place = std::ranges::find(by_place, index) - by_place.begin();
  return LimitIndex{static_cast<std::uint8_t>(place)};
}

bool SharedLimits::lets_ask(SharedIndex index, Instant now) const {
  const SharedLimit& limit = limits_[index];
  return limit.open_asks < limit.most_open && (now >= limit.not_before || limit.freed);
}

// The limit in whose queue the line stands before it asks: the one that was short of it last, or
// else the first that is short. kNoShared if there is none.
SharedIndex SharedLimits::queues_at(const Line& line) const {
  const SharedIndex last = line.short_of;
  if (last != kNoShared && limits_[last].binds()) return last;
  const auto& all = of(line);
  const auto binds = [&](SharedIndex i) { return limits_[i].binds(); };
  const auto first = std::ranges::find_if(all, binds);
  return first == all.end() ? kNoShared : *first;
}

SharedIndex SharedLimits::limit_before(const Line& line, Instant now) const {
  const SharedIndex index = queues_at(line);
  if (index == kNoShared) return kNoShared;
  const SharedLimit& limit = limits_[index];
  const Slot next = limit.turns.next(lines_, limit.retries);
  const bool others = next != kNoSlot && next != line.id.value;
  return others || !lets_ask(index, now) ? index : kNoShared;
}

std::int64_t SharedLimits::most_in_turn(const Line& line) const {
  std::int64_t most = line.reach > Duration{} ? 1 : kMostPerAsk;
  for (const SharedIndex i : of(line)) {
    if (limits_[i].binds()) most = std::min(most, limits_[i].most_in_turn());
  }
  return most;
}

void SharedLimits::asked(const Line& line) {
  for (const SharedIndex i : of(line)) {
    ++limits_[i].open_asks;
    limits_[i].freed = false;
  }
}

void SharedLimits::answered(const Line& line, SharedIndex short_of, std::int64_t granted,
                            Instant now) {
  for (const SharedIndex i : of(line)) {
    SharedLimit& limit = limits_[i];
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

void SharedLimits::was_short(SharedIndex index, Instant at, Duration reach, Instant foretold) {
  limits_[index].foretold = foretold;
  limits_[index].was_short(at, reach);
}

void SharedLimits::let_ask(SharedIndex index, Instant at) {
  SharedLimit& limit = limits_[index];
  limit.not_before = std::min(limit.not_before, at);
  limit.reach = Duration{};
  limit.touched = true;
}

void SharedLimits::ended(RouteId route, Instant now) {
  const std::uint32_t held = options_.routes[route.value].held_limits;
  const auto& by_place = by_route_[route.value].by_place;
  for (std::size_t i = 0; i < by_place.size(); ++i) {
    if (by_place[i] == kNoShared || (held >> i & 1) == 0) continue;
    SharedLimit& limit = limits_[by_place[i]];
    const bool leave = limit.leave_one_at && now >= *limit.leave_one_at;
    if (leave || !limit.leave_one_at) limit.leave_one_at = now + kLeaveOneEach;
    if (leave) continue;
    limit.freed = limit.touched = true;
  }
}

void SharedLimits::forget_shortage(Instant now) {
  for (SharedLimit& limit : limits_) limit.forget_shortage(now);
}

void SharedLimits::forget_shortage(const Line& line, Instant now) {
  for (const SharedIndex i : of(line)) limits_[i].forget_shortage(now);
}

}  // namespace einlass::core
