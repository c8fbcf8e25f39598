// Of Admission: when to ask for permits, and for how many.
//
// The aim is one call for many permits without asking for any that will not be used. A line asks
// for what it can use: its ready records, and of those behind them as many as are likely to follow
// in time at the pace of late. Where the limit binds it then leaves the limiter alone for a while,
// for permits ahead come due without being asked for again.
#include <algorithm>
#include <utility>

#include "core/admission/admission.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// What a target's lines may hold in permits ahead beyond its room, before others must wait their
// turn: what leaves within this time.
constexpr Duration kReserve = Duration::seconds(1);

// How far ahead a line with flows asks where costs differ: a flow that comes new waits for the
// permits that were asked for with the records of others.
constexpr Duration kAheadOfFlows = Duration::millis(50);

}  // namespace

Duration Admission::horizon_of(const Line& line) const {
  const RouteOptions& route = route_of(line);
  // A probe needs a permit now, or it is another line's. Whoever was denied that asks for one that
  // comes due soon: where others book ahead there is none that is due at once, however long it asks.
  const bool probes = !breaker_of(line).closed();
  if (line.reach > Duration{} && !probes) return line.reach;
  if (!line.may_reach_ahead && (probes || route.limit_count > 1)) return {};
  if (line.fleet()) return std::min(route.horizon, kHorizonOfFleet);
  const bool for_flows = line.flows && route.cost_varies;
  return for_flows ? std::min(route.horizon, kAheadOfFlows) : route.horizon;
}

// For how long permits that are due at once are asked for: long enough for the pace to grow while
// their answer is on its way, and short enough for all to be used within use_within.
Duration Admission::cover_of_due(const Line& line) const { return route_of(line).use_within / 4; }

// How many records go in the places that the line may take.
std::int64_t Admission::room_of(const Line& line, Instant now) const {
  const std::int64_t room = places_.left(line, now);
  // A probe goes alone.
  return breaker_of(line).closed() ? room * batch_of(line).records : room;
}

std::int64_t Admission::allowance(const Line& line, Instant now) const {
  // Permits that are due at once are only good for use_within; those of a limit that binds come
  // due one after the other. Twice the pace, so that it can grow.
  const Duration cover = cover_of_due(line) + (line.bound ? horizon_of(line) : Duration{});
  const std::int64_t room = room_of(line, now);
  if (!breaker_of(line).closed()) return room;
  // What all lines send is this one's too, by its part: else who is behind could not catch up. But
  // not where its attempts hang in all the places that it has.
  const TargetQueues& target = targets_[route_of(line).target.value];
  const std::int64_t own = line.throughput.expected(now, cover);
  const bool moves = own > 0 || places_.part_left(line) > 0;
  const std::int64_t all = line.count() > 0 && moves ? target.throughput.expected(now, cover) : 0;
  const std::int64_t part = all / std::max(1u, places_.lines(route_of(line).target));
  // Who waits to ask for what he needs now has less than his part: nobody asks for more than that.
  if (asks_ahead(line) && !target.due.turns.empty()) return room + part;
  return room + 2 * std::max(own, part);
}

std::int64_t Admission::demand(Line& line, Instant now) {
  std::int64_t soon = allowance(line, now);
  // Of the records behind others only as many as the pace promises, but for those that may go in
  // one request with them.
  const bool together =
      goes_together(line) && line.count() > 0 && !line.is_at_target() && breaker_of(line).closed();
  const std::int64_t promised = together ? soon : soon - room_of(line, now);
  const std::int64_t usable = line.ready.size() + retry_budget_.usable_retries(line) +
                              std::min<std::int64_t>(line.behind, promised);
  // Who has not its part of the places will have one soon.
  if (line.count() > 0 && places_.part_left(line) > 0) soon = std::max<std::int64_t>(soon, 1);
  const std::int64_t wanted = std::min({usable, soon, kMostHeld});
  const auto held = static_cast<std::int64_t>(line.permits.size());
  const std::int64_t missing = line.wish = wanted - held;
  // While there are some left a call must be worth it, unless it is the line's turn.
  if (held > 0 && 2 * missing < wanted && line.waits != LineWaits::limit) return 0;
  if (line.failed) return missing;  // The same is asked again, for those that it was for.
  if (line.fleet()) return std::min({missing, line.fleet()->waiting(), kMostPerAsk});
  const std::int64_t most =
      std::min({missing, keyless_limits_.most_in_turn(line, now), line.left.most(now)});
  if (!route_of(line).cost_varies || most <= 0) return most;
  return static_cast<std::int64_t>(picker_.foresee(line, static_cast<std::size_t>(most)).size());
}

// Its limit binds, and what it holds is for later: so is what it will be granted. Who holds nothing
// may be granted something at once, as one who comes new. Of a line whose ask is open: so it asked.
bool Admission::asks_ahead(const Line& line) const {
  if (line.open_ask) return line.asked_ahead;
  return line.bound && !line.permits.empty() && horizon_of(line) > Duration{};
}

// Others wait for the turn that the line would wait for, and come before it: also where it is the
// line's own permit that was used or has lapsed, and left room for another.
bool Admission::others_wait(const Line& line) const {
  if (!breaker_of(line).closed()) return true;  // Whose probe it is is said for all lines at once.
  const TargetQueues& target = targets_[route_of(line).target.value];
  return !(asks_ahead(line) ? target.ahead : target.due).turns.empty();
}

bool Admission::spoken_for(const Line& line, Instant now) const {
  const TargetId id = route_of(line).target;
  const TargetQueues& target = targets_[id.value];
  if (delivery_.held_until(id) > now) return true;
  // One asks for the permit of a probe. Those that others hold for later keep nobody from it.
  if (!breaker_of(line).closed()) {
    return target.due.permits > 0 || delivery_.room(id, now) == 0 || asks_for_probe(id, now);
  }
  const std::int64_t together = batch_of(line).records;
  const std::int64_t soon = 2 * target.throughput.expected(now, cover_of_due(line));
  if (asks_ahead(line)) {
    // The target is too slow for what has been booked: what comes due would lapse.
    if (target.room.fresh() > soon) return true;
    const std::int64_t most = options_.targets[id.value].max_in_flight;
    const std::int64_t leaving = target.throughput.expected(now, kReserve);
    return target.ahead.permits >= 2 * most * together + 2 * leaving;
  }
  // However many lines have asked for them, all must be used before they lapse. A line without
  // limits leaves no place free until somebody waits for it with a permit in hand.
  const std::int64_t least = target.free_of_limits && places_.part_left(line) > 0;
  const std::int64_t usable = std::max(delivery_.room(id, now) * together + soon, least);
  if (!line.had_turn) return target.due.permits >= usable;
  // Whoever has had its turn may have one before there is a place: once there is, others may stand
  // before it at its limit. Not again and again, where one lapsed already.
  return target.due.permits >= std::max<std::int64_t>(2 * usable, !line.lapsed);
}

// When to ask again, as far as that is the line's own affair.
Instant Admission::may_ask_at(const Line& line) const {
  if (line.failed) return line.next_ask;
  Instant at = std::max(line.next_ask, line.left.may_ask_at());
  if (line.next_same_ask > at && horizon_of(line) == line.asked_horizon) at = line.next_same_ask;
  // Of what others may ask for sooner, for they look further ahead, it was told its own time.
  const bool told = line.goes_first && horizon_of(line) < keyless_limits_[line.short_of].reach;
  return told ? std::max(at, std::min(line.foretold, line.asked_at + kLongestUnasked)) : at;
}

// Empty if nothing stands in the way of asking; not_at_all if there is nothing to ask for now.
std::optional<LineWaits> Admission::obstacle_to_asking(const Line& line, Instant now) const {
  if (line.open_ask || route_of(line).limit_count == 0) return LineWaits::not_at_all;
  const std::uint32_t usable = line.count() + line.behind;
  if (usable <= line.permits.size()) return LineWaits::not_at_all;
  if (now < may_ask_at(line)) return LineWaits::not_at_all;
  if (stores_[route_of(line).store.value].down) return LineWaits::store;
  const bool others_first = keyless_limits_.limit_before(line, now) != kNoKeyless;
  if (!line.failed && others_first) return LineWaits::limit;
  if (spoken_for(line, now) ||
      (!line.had_turn && (others_wait(line) || retry_budget_.shut_out(line)))) {
    return LineWaits::turn;
  }
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
      const bool stuck = line.permits.empty() && line.count() > 0;
      obstacle = stuck ? LineWaits::parked : LineWaits::not_at_all;
    }
  }
  // Whoever was denied in its turn, and may ask again now, stands before the others.
  const bool first = line.had_turn && !line.lapsed && obstacle == LineWaits::turn;
  line.had_turn = line.had_turn && (obstacle == LineWaits::limit || now < may_ask_at(line));
  // A line that waits for a place has permits; when they are used up it comes here again.
  if (line.waits == LineWaits::room || line.waits == LineWaits::parked) return;
  if (obstacle == LineWaits::turn) {
    // Those who wait may have nothing but retries, that must wait for its fresh records.
    queues_of(line).touched |= !spoken_for(line, now);
    if (asks_ahead(line)) obstacle = LineWaits::turn_ahead;
  }
  const bool at_limit = obstacle == LineWaits::limit;
  wait_for(line, *obstacle, at_limit ? keyless_limits_.limit_before(line, now) : kNoKeyless, first);
}

// Beside lines without limits only who has not its part of the places may ask before one is free:
// who has it stands before nobody who has not.
bool Admission::makes_way(const Line& line, Instant now) const {
  const TargetQueues& target = targets_[route_of(line).target.value];
  return target.free_of_limits && line.waits == LineWaits::turn && line.permits.empty() &&
         places_.part_left(line) <= 0 && places_.left(line, now) == 0;
}

// Those who wait to ask, while the target has use for more permits. Whether there were any.
bool Admission::serve_turns(TargetId id, LineWaits what, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  LineQueue& turns = target.reserve(what == LineWaits::turn_ahead).turns;
  bool served = false;
  for (std::uint32_t left = turns.size(); left > 0 && !turns.empty(); --left) {
    Line& line = lines_[turns.next_in_its_list(lines_, target.retries)];
    // It waits for the other turn by now.
    if (asks_ahead(line) != (what == LineWaits::turn_ahead)) {
      wait_no_more(line);
      serve(line, now, commands);
      served = true;
      continue;
    }
    if (spoken_for(line, now) || retry_budget_.shut_out(line)) {
      if (!makes_way(line, now)) return served;
      wait_for(line, line.count() > 0 ? LineWaits::parked : LineWaits::not_at_all);
      continue;
    }
    wait_no_more(line);
    line.had_turn = true;  // It keeps that until it has asked, whatever limit it waits for.
    serve(line, now, commands);
    served = true;
  }
  return served;
}

void Admission::ask(Line& line, std::int64_t most, Instant now, Commands& commands) {
  const bool again = line.failed.has_value();
  line.asked_ahead = asks_ahead(line);
  if (again) {
    line.open_ask = *std::exchange(line.failed, std::nullopt);
  } else {
    line.open_ask = AskId{++asks_};
    line.asked = most;
    line.asked_horizon = horizon_of(line);
    if (route_of(line).cost_varies) picker_.want(line, most);
    if (line.fleet()) ask_for_flows(line, most);
  }
  queues_of(line).reserve(asks_ahead(line)).permits += line.asked;
  if (!breaker_of(line).closed()) queues_of(line).asks_last = line.id;
  line.next_ask = line.next_same_ask = line.asked_at = now;
  line.held_back = line.freed = line.goes_first = false;
  line.changed = line.all_changed = false;
  line.denied = RecordId{kNoSlot, 0};
  line.left.asked(line.asked);
  keyless_limits_.asked(line);
  commands.push_back(Ask{line.id, *line.open_ask, Permits{1}, Permits{line.asked},
                         line.asked_horizon, line.asked_cost, again, line.asked_costs,
                         line.asked_flows});
}

Slot Admission::answered(const PermitsAnswered& event, Instant now, Commands& commands) {
  if (event.line.value >= lines_.size()) return kNoSlot;
  Line& line = lines_[event.line.value];
  if (!line.in_use || line.open_ask != event.ask) return kNoSlot;  // Came twice, or too late.
  const auto granted = static_cast<std::int64_t>(event.due.size());
  CHECK(granted <= line.asked);
  TargetQueues& target = queues_of(line);
  target.reserve(asks_ahead(line)).permits -= line.asked;
  target.touched = true;
  line.open_ask.reset();
  line.unanswered = false;
  for (std::uint16_t i = 0; i < granted; ++i) {
    const bool ahead = event.due[i] > Duration{};
    Wanted wanted = line.wanted.empty() ? Wanted{} : line.wanted[i];
    Permit permit{event.ask, i, event.limiter_now + event.due[i], wanted.cost, event.stand_in};
    if (event.flows != nullptr) {
      const std::uint16_t index = event.flows->flow[i];
      permit.flow = line.asked_flows->flows[index].id;
      permit.flow_level = line.asked_flows->flows[index].level;
      wanted.flow = line.fleet()->asked(index);
      line.flows->promise(wanted.flow);
    }
    line.permits.insert({permit, now + event.due[i], ahead, wanted});
    ++target.reserve(ahead).permits;
  }
  if (event.flows != nullptr) take_flows(line, event);
  line.blamed.reset();
  line.reach = Duration{};
  const Instant foretold = std::exchange(line.foretold, Instant{});
  const bool overtaken = granted == 0 && foretold > Instant{} && line.asked_at >= foretold;
  line.bound = granted < line.asked || event.due.back() > Duration{};
  const bool is_short = granted < line.asked && event.retry;
  const KeylessIndex keyless = is_short ? keyless_limits_.at_index(line, event.reason) : kNoKeyless;
  if (keyless != kNoKeyless) line.short_of = keyless;
  const bool by_own = event.flows != nullptr && event.flows->held_up == HeldUp::by_own;
  const bool behind =
      line.fleet() != nullptr && line.fleet()->is_behind(keyless_limits_.others_of(line));
  line.goes_first = keyless != kNoKeyless && !by_own && (granted == 0 || behind);
  line.had_turn = is_short && granted == 0;
  keyless_limits_.answered(line, keyless, granted, now);
  if (granted < line.asked) learn_from_shortage(line, keyless, event, now);
  if (is_short && overtaken) reach_further(line, keyless, event, now);
  const bool never = granted == 0 && !event.retry && line.count() > 0 && !line.changed;
  if (std::exchange(line.all_changed, false)) keyless_limits_.forget_shortage(line, now);
  if (std::exchange(line.changed, false)) ask_at_once(line, now);
  const Slot hopeless = never ? picker_.hopeless_of(line) : kNoSlot;
  if (is_short) note_denied(line, static_cast<std::size_t>(granted));
  Picker::want_no_more(line, static_cast<std::size_t>(granted));
  name_no_more(line);
  if (granted > 0 && !breaker_of(line).closed())
    line.may_reach_ahead = false;  // For this probe only.
  if (hopeless == kNoSlot) serve(line, now, commands);
  return hopeless;
}

void Admission::failed(const PermitsFailed& event, Instant now, Commands& commands) {
  if (event.line.value >= lines_.size()) return;
  Line& line = lines_[event.line.value];
  if (!line.in_use || line.open_ask != event.ask) return;
  queues_of(line).reserve(asks_ahead(line)).permits -= line.asked;
  line.failed = *std::exchange(line.open_ask, std::nullopt);
  line.changed = line.all_changed = false;
  line.unanswered = true;
  keyless_limits_.answered(line, kNoKeyless, 0, now);
  queues_of(line).touched = true;
  // Who answers it then is not the one that is to be spared.
  line.next_ask = route_of(line).stood_in_for ? now : now + event.wait;
  serve(line, now, commands);
}

}  // namespace einlass::core
