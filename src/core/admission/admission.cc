#include "core/admission/admission.h"

#include <algorithm>
#include <utility>

#include "units/check.h"

namespace einlass::core {
Admission::Admission(const GateOptions& options, Records& records, Delivery& delivery,
                     Deadlines& deadlines, std::vector<RouteStats>& stats)
    : options_(options),
      records_(records),
      delivery_(delivery),
      deadlines_(deadlines),
      stats_(stats),
      targets_(options.targets.size()),
      paused_routes_(options.routes.size()),
      stores_(options.stores),
      places_(options, delivery),
      keyless_limits_(options, lines_),
      retry_budget_(options, delivery, targets_, keyless_limits_, lines_),
      picker_(options, records, delivery, retry_budget_),
      random_(options.seed ^ 0xA5A5A5A5A5A5A5A5u) {
  for (const RouteOptions& route : options.routes) {
    targets_[route.target.value].free_of_limits |= route.limit_count == 0;
  }
}

void Admission::add_line(LineId id, RouteId route, bool keep, bool paused) {
  if (id.value >= lines_.size()) lines_.resize(id.value + 1);
  Line& line = lines_[id.value];
  CHECK(!line.in_use);
  line.in_use = true;
  line.id = id;
  line.keep = keep;
  line.route = route;
  const RouteOptions& options = options_.routes[route.value];
  const bool fleet = options.fleet_limits != 0;
  // Under a limit that all gates share by flows a flow's retries are part of what it is given.
  line.retry_share = fleet ? 100 : options_.targets[options.target.value].retry_share;
  line.next_ask = line.next_same_ask = line.foretold = Instant{};
  line.unanswered = line.bound = line.held_back = line.freed = line.may_reach_ahead = false;
  line.goes_first = line.had_turn = line.lapsed = line.changed = line.all_changed = false;
  line.paused = paused;
  line.short_of = kNoKeyless;
  line.failed.reset();
  line.asked_cost = Permits{1};
  line.asked_costs.clear();
  line.throughput = Throughput{};
  line.left = LeftToOthers{};
  line.probed = 0;
  line.credit = Credit{};
  line.blamed.reset();
  line.denied = RecordId{kNoSlot, 0};
  line.reach = Duration{};
  line.asked_flows = nullptr;
  const ShareOptions& share = options.share;
  const bool same =
      line.flows && line.flows->options() == share && (line.fleet() != nullptr) == fleet;
  if (!share.on()) line.flows.reset();
  if (share.on() && !same) line.flows = std::make_unique<Flows>(share, fleet);
}

void Admission::enter(const Record& record) {
  Line& line = lines_[record.line.value];
  CHECK(line.in_use);
  if (++line.total == 1) count_line(line, 1);  // The others' parts are smaller.
  if (record.state == RecordState::behind) ++line.behind;
  if (line.flows) line.flows->weigh(record.flow);
}

void Admission::leave(const Record& record, Instant now, Commands& commands) {
  Line& line = lines_[record.line.value];
  CHECK(line.total > 0);
  if (--line.total == 0) count_line(line, -1);  // Who is alone now may have all places.
  // Nobody is left to use what was granted, or to wait in a queue: others may be waiting for it.
  const bool waits_for_nothing = line.count() == 0 && line.waits != LineWaits::not_at_all;
  if (line.total == 0 || waits_for_nothing) serve(line, now, commands);
}

void Admission::ready(Record& record, bool was_behind, Instant now, Commands& commands) {
  CHECK(record.state == RecordState::ready);
  Line& line = lines_[record.line.value];
  if (was_behind) --line.behind;
  auto& list = list_of(line, record);
  list.push_back(records_, record.id.slot);
  if (line.flows && &list == &line.ready) line.flows->push_back(records_, record);
  queues_of(line).newest = record.line;
  serve(line, now, commands);
}

void Admission::withdraw(Record& record) {
  Line& line = lines_[record.line.value];
  if (record.state == RecordState::ready) list_of(line, record).erase(records_, record.id.slot);
  if (record.flow_slot != kNoSlot) line.flows->withdraw(records_, record);
  if (record.state == RecordState::behind) --line.behind;
  if (line.count() == 0) queues_of(line).touched = true;  // Others may wait for its probe.
  if (line.denied == record.id) forget_denial(line);
}

void Admission::place_free(const Record& record, Instant now, Commands& commands) {
  Line& line = lines_[record.line.value];
  if (!record.leads) {
    CHECK(line.followers > 0);
    --line.followers;
    return;
  }
  CHECK(line.in_flight > 0);
  if (!is_paused(line)) places_.give_back(line);
  --line.in_flight;
  queues_of(line).touched = true;
  if (line.waits != LineWaits::parked) return;
  wait_no_more(line);
  serve(line, now, commands);
}

void Admission::ended(const Record& record, Instant now, Commands& commands) {
  const RouteOptions& route = options_.routes[record.route.value];
  if (route.held_limits == 0) return;  // Its line may be gone.
  Line& line = lines_[record.line.value];
  commands.push_back(Ended{record.line, record.permit});
  // With the place that comes free at its target it may take one more at most.
  const bool full = places_.left(line, now) <= 1;
  keyless_limits_.ended(record.route, full, now);
  // Other gates may have records of the same key.
  const bool keyed = (route.held_limits & ~route.keyless_limits) != 0;
  const std::uint32_t held = line.in_flight + line.followers;
  if (keyed && line.left.leaves(held, full || line.held_back, now)) return;
  line.freed |= line.open_ask.has_value();
  if (std::exchange(line.held_back, false)) line.next_ask = now;
  if (keyed) serve(line, now, commands);
}

void Admission::serve(LineId id, Instant now, Commands& commands) {
  serve(lines_[id.value], now, commands);
}

void Admission::serve(Line& line, Instant now, Commands& commands) {
  if (!line.in_use) return;
  if (is_paused(line)) return stand_still(line, now, commands);
  give_back_useless(line, now, commands);
  send_all(line, now, commands);
  go_on(line, now, commands);
}

void Admission::go_on(Line& line, Instant now, Commands& commands) {
  consider_asking(line, now, commands);
  arm(line, now);
  forget_if_empty(line, commands);
}

// ---- queues ----

// REQUIRES: it stands in one of them.
LineQueue& Admission::turns_of(Line& line) {
  TargetQueues& target = queues_of(line);
  switch (line.waits) {
    case LineWaits::room:
      return target.room;
    case LineWaits::turn:
      return target.due.turns;
    case LineWaits::turn_ahead:
      return target.ahead.turns;
    case LineWaits::limit:
      return keyless_limits_.turns(line.limit);
    default:
      CHECK(line.waits == LineWaits::store);
      return stores_[route_of(line).store.value].waiting;
  }
}

// `first`: before the others.
void Admission::wait_for(Line& line, LineWaits what, KeylessIndex limit, bool first) {
  const bool in_its_list = what == LineWaits::not_at_all || what == LineWaits::parked ||
                           line.among_retries == line.only_retries();
  const bool stays = line.waits == what && line.limit == limit && in_its_list && !first;
  if (stays && what != LineWaits::parked) return;
  if (!stays) wait_no_more(line);
  if (what == LineWaits::not_at_all) return;
  line.waits = what;
  line.limit = limit;
  if (limit != kNoKeyless) keyless_limits_.touch(limit);
  if (what == LineWaits::parked) {
    queues_of(line).parked.set(line.id.value, line.in_flight);
  } else {
    const bool had_turn = limit != kNoKeyless && limit == line.short_of && line.goes_first;
    turns_of(line).join(lines_, line.id.value, first || had_turn);
  }
}

void Admission::wait_no_more(Line& line) {
  if (line.waits == LineWaits::not_at_all) return;
  if (line.waits == LineWaits::parked) {
    queues_of(line).parked.erase(line.id.value);
  } else {
    turns_of(line).leave(lines_, line.id.value);
  }
  // Whoever is first now may have use for what was of none to this one, and retries may have waited
  // for the sake of its fresh records.
  queues_of(line).touched = true;
  if (line.limit != kNoKeyless) keyless_limits_.touch(line.limit);
  line.waits = LineWaits::not_at_all;
  line.limit = kNoKeyless;
}

void Admission::touch(TargetId target) { targets_[target.value].touched = true; }

// What one is given another may wait for: until nothing changes any more.
void Admission::serve_waiting(Instant now, Commands& commands) {
  bool again = false;
  do {
    serve_limits(now, commands);
    for (std::uint16_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].touched) serve_target(TargetId{i}, now, commands);
    }
    again = keyless_limits_.any_touched();
  } while (again);
}

void Admission::serve_target(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  if (!delivery_.breaker(id).closed()) {
    serve_probe(id, now, commands);
    target.touched = false;
    return;
  }
  target.asks_last.reset();  // What it holds is no probe's any more.
  // A line that had its turn may hold a permit that comes due at this very instant, which its alarm
  // has not told yet: then it waits for room from here on, and there may be some.
  const bool together = options_.targets[id.value].batch.records > 1;
  bool again = false;
  do {
    together ? serve_batches(id, now, commands) : serve_room(id, now, commands);
    again = serve_turns(id, LineWaits::turn, now, commands);
    again |= serve_turns(id, LineWaits::turn_ahead, now, commands);
  } while (again);
  target.touched = false;
}

void Admission::store_down(StoreId store) { stores_[store.value].down = true; }

void Admission::store_up(StoreId store, Instant now, Commands& commands) {
  StoreState& state = stores_[store.value];
  state.down = false;
  while (!state.waiting.empty()) {
    Line& line = lines_[state.waiting.next(lines_, SharedCredit{})];
    wait_no_more(line);
    line.next_ask = now;
    serve(line, now, commands);
  }
}

void Admission::wait_for_stores_no_more() {
  for (Line& line : lines_) {
    if (line.in_use && line.waits == LineWaits::store) wait_no_more(line);
  }
}

// What its limiter said when to ask again was said under the old numbers, and so will be what it
// answers to asks that are on their way; what failed still waits.
void Admission::look_again(Instant now, Commands& commands) {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    TargetQueues& target = targets_[i];
    target.touched = true;
    target.gather_until = std::min(target.gather_until, now + options_.targets[i].batch.linger);
  }
  keyless_limits_.forget_shortage(now);
  for (Line& line : lines_) {
    if (!line.in_use) continue;
    line.changed = line.all_changed = line.open_ask.has_value();
    look_again(line, now, commands);
  }
}

void Admission::limits_changed(const LimitsChanged& event, Instant now, Commands& commands) {
  const auto id = event.line.value;
  if (id >= lines_.size()) return;
  Line& line = lines_[id];
  if (event.shared) keyless_limits_.forget_shortage(line, now);  // Though it is gone itself.
  if (!line.in_use) return;
  line.changed = line.open_ask.has_value();
  line.all_changed |= line.changed && event.shared;
  look_again(line, now, commands);
}

void Admission::ask_at_once(Line& line, Instant now) {
  if (!line.failed) line.next_ask = std::min(line.next_ask, now);
  line.next_same_ask = std::min(line.next_same_ask, now);
}

void Admission::look_again(Line& line, Instant now, Commands& commands) {
  ask_at_once(line, now);
  line.reach = Duration{};
  for (Slot slot = line.aside.front(); slot != kNoSlot; slot = records_[slot].in_line.next) {
    deadlines_.set({Alarm::Kind::record, slot}, now);
  }
  serve(line, now, commands);
}

void Admission::set_aside(Record& record) {
  lines_[record.line.value].aside.push_back(records_, record.id.slot);
}

void Admission::hope_again(Record& record) {
  lines_[record.line.value].aside.erase(records_, record.id.slot);
}

void Admission::forget_if_empty(Line& line, Commands& commands) {
  if (line.keep || line.total > 0 || !line.permits.empty() || line.open_ask) return;
  wait_no_more(line);
  Picker::want_no_more(line, 0);  // Of an ask that is not made again.
  name_no_more(line);
  deadlines_.clear({Alarm::Kind::line, line.id.value});
  line.in_use = false;
  commands.push_back(ForgetLine{line.id});
}

Instant Admission::awake_for(const Line& line, Instant due) const {
  const std::int64_t slot = route_of(line).slot.us;
  return slot > 0 ? Instant{(due.us + slot - 1) / slot * slot} : due;
}

void Admission::arm(Line& line, Instant now) {
  Instant at = kNever;
  if (!line.permits.empty()) {
    const Instant due = line.permits.front().due;
    const Instant lapsed = due + route_of(line).use_within + Duration::micros(1);
    at = line.count() > 0 && due > now ? awake_for(line, due) : lapsed;
    // A batch is full with the permit that comes due then.
    const std::size_t most = batch_of(line).records;
    const bool fills = most > 1 && line.count() > 0 && line.permits.size() >= most;
    if (fills && line.permits[most - 1].due > now) at = std::min(at, line.permits[most - 1].due);
  }
  if (!line.open_ask && line.total > 0 && route_of(line).limit_count > 0) {
    const Instant next_ask = may_ask_at(line);
    if (next_ask > now) at = std::min(at, next_ask);
  }
  const Alarm alarm{Alarm::Kind::line, line.id.value};
  if (at == kNever) {
    deadlines_.clear(alarm);
  } else {
    deadlines_.set(alarm, at);
  }
}

// Where the store answers others: its last ask may have met an error of its own keys.
bool Admission::waits_for_store(const Line& line) const {
  return stores_[route_of(line).store.value].down || line.unanswered;
}

}  // namespace einlass::core
