#include "core/lines/keyless_limits.h"

#include <algorithm>
#include <cstddef>

#include "units/check.h"

namespace einlass::core {

KeylessLimits::KeylessLimits(const GateOptions& options, const LineQueue::Lines& lines)
    : options_(options), lines_(lines) {
  for (const RouteOptions& route : options.routes) {
    OfRoute& mine = by_route_.emplace_back();
    mine.by_index.fill(kNoKeyless);
    for (std::uint8_t i = 0; i < route.limit_count; ++i) {
      if ((route.keyless_limits >> i & 1) == 0) continue;
      mine.by_index[i] = add(route.limits[i]);
      mine.all.push_back(mine.by_index[i]);
    }
  }
}

KeylessIndex KeylessLimits::add(LimitId id) {
  const auto known = std::ranges::find(limits_, id, &KeylessLimit::id);
  const auto index = static_cast<KeylessIndex>(known - limits_.begin());
  if (known == limits_.end()) limits_.push_back({.id = id});
  return index;
}

LimitIndex KeylessLimits::index_of(const Line& line, KeylessIndex index) const {
  const auto& by_index = by_route_[line.route.value].by_index;
  const auto at = std::ranges::find(by_index, index) - by_index.begin();
  return LimitIndex{static_cast<std::uint8_t>(at)};
}

bool KeylessLimits::lets_ask(KeylessIndex index, Instant now) const {
  const KeylessLimit& limit = limits_[index];
  return limit.open_asks < limit.most_open && now >= limit.may_ask_at();
}

// The limit in whose queue the line stands before it asks: the one that was short of it last, or
// else the first that is short, or of which places are left to others: who takes no more than he
// has room for is never short. kNoKeyless if there is none.
KeylessIndex KeylessLimits::queues_at(const Line& line, Instant now) const {
  const KeylessIndex last = line.short_of;
  if (last != kNoKeyless && limits_[last].binds()) return last;
  const auto& all = of(line);
  const auto binds = [&](KeylessIndex i) {
    return limits_[i].binds() || limits_[i].left.may_ask_at() > now;
  };
  const auto first = std::ranges::find_if(all, binds);
  return first == all.end() ? kNoKeyless : *first;
}

KeylessIndex KeylessLimits::limit_before(const Line& line, Instant now) const {
  const KeylessIndex index = queues_at(line, now);
  if (index == kNoKeyless) return kNoKeyless;
  const KeylessLimit& limit = limits_[index];
  const Slot next = limit.turns.next(lines_, limit.retries);
  const bool others = next != kNoSlot && next != line.id.value;
  return others || !lets_ask(index, now) ? index : kNoKeyless;
}

std::int64_t KeylessLimits::most_in_turn(const Line& line, Instant now) const {
  std::int64_t most = line.reach > Duration{} ? 1 : kMostPerAsk;
  for (const KeylessIndex i : of(line)) {
    if (limits_[i].binds()) most = std::min(most, limits_[i].most_in_turn());
    most = std::min(most, limits_[i].left.most(now));
  }
  return most;
}

void KeylessLimits::asked(const Line& line) {
  for (const KeylessIndex i : of(line)) {
    ++limits_[i].open_asks;
    limits_[i].freed = false;
    limits_[i].left.asked(line.asked);
    limits_[i].touched |= limits_[i].under_way > 0;  // When one may ask is another time now.
  }
}

void KeylessLimits::answered(const Line& line, KeylessIndex short_of, std::int64_t granted,
                             Instant now) {
  for (const KeylessIndex i : of(line)) {
    KeylessLimit& limit = limits_[i];
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

void KeylessLimits::was_short(KeylessIndex index, Instant at, Duration reach, Instant foretold) {
  limits_[index].foretold = foretold;
  limits_[index].was_short(at, reach);
}

void KeylessLimits::let_ask(KeylessIndex index, Instant at) {
  KeylessLimit& limit = limits_[index];
  limit.not_before = std::min(limit.not_before, at);
  limit.reach = Duration{};
  limit.touched = true;
}

template <class Change>
void KeylessLimits::for_each_held(RouteId route, Change change) {
  const std::uint32_t held = options_.routes[route.value].held_limits;
  if (held == 0) return;
  const auto& by_index = by_route_[route.value].by_index;
  for (std::size_t i = 0; i < by_index.size(); ++i) {
    if (by_index[i] != kNoKeyless && (held >> i & 1) != 0) change(limits_[by_index[i]]);
  }
}

void KeylessLimits::started(RouteId route) {
  for_each_held(route, [](KeylessLimit& limit) { ++limit.under_way; });
}

void KeylessLimits::ended(RouteId route, bool full, Instant now) {
  for_each_held(route, [=](KeylessLimit& limit) {
    CHECK(limit.under_way > 0);
    limit.freed |= !limit.left.leaves(limit.under_way--, full || limit.binds(), now);
    limit.touched = true;
  });
}

void KeylessLimits::forget_shortage(Instant now) {
  for (KeylessLimit& limit : limits_) limit.forget_shortage(now);
}

void KeylessLimits::forget_shortage(const Line& line, Instant now) {
  for (const KeylessIndex i : of(line)) limits_[i].forget_shortage(now);
}

}  // namespace einlass::core
