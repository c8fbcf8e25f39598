// What holds Admission together, as its header numbers it. Slow: for tests.
#include <algorithm>
#include <vector>

#include "core/admission/admission.h"
#include "units/check.h"

namespace einlass::core {

// W1 and W3: what is counted more than once is the same everywhere.
void Admission::check_counts() const {
  std::vector<std::int64_t> due(targets_.size()), ahead(targets_.size());
  std::vector<std::uint32_t> parked(targets_.size());
  std::vector<Places::Count> places(targets_.size());
  std::vector<std::uint32_t> open(keyless_limits_.size());
  std::uint32_t waiting = 0, in_turns = 0;
  for (const Line& line : lines_) {
    if (!line.in_use) continue;
    const TargetId target = route_of(line).target;
    const std::uint32_t* aside = targets_[target.value].parked.find(line.id.value);
    CHECK((aside != nullptr) == (line.waits == LineWaits::parked));
    CHECK(aside == nullptr || *aside == line.in_flight);
    const std::int64_t asked = line.open_ask ? line.asked : 0;
    (asks_ahead(line) ? ahead : due)[target.value] += asked;
    for (const HeldPermit& held : line.permits) ++(held.granted_ahead ? ahead : due)[target.value];
    if (!is_paused(line)) {
      Places::Count& count = places[target.value];
      count.lines += line.total > 0;
      count.held += line.in_flight;
      count.beyond += std::max<std::int64_t>(line.in_flight - places_.part_of(target), 0);
    }
    parked[target.value] += line.waits == LineWaits::parked;
    for (const KeylessIndex i : keyless_limits_.of(line)) open[i] += line.open_ask.has_value();
    waiting += line.waits != LineWaits::not_at_all && line.waits != LineWaits::parked;
    CHECK(line.count() + line.behind + line.in_flight + line.followers + line.aside.size() <=
          line.total);
    CHECK(line.open_ask || !line.changed);
    CHECK(line.changed || !line.all_changed);
    if (line.flows) line.flows->check(line.ready.size());
    CHECK((line.waits == LineWaits::limit) == (line.limit != kNoKeyless));
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const TargetQueues& target = targets_[i];
    CHECK(target.due.permits == due[i]);
    CHECK(target.ahead.permits == ahead[i]);
    CHECK(places_.count(TargetId{static_cast<std::uint16_t>(i)}) == places[i]);
    CHECK(target.parked.size() == parked[i]);
    in_turns += target.room.size() + target.due.turns.size() + target.ahead.turns.size();
  }
  for (KeylessIndex i = 0; i < keyless_limits_.size(); ++i) {
    CHECK(keyless_limits_[i].open_asks == open[i]);
    in_turns += keyless_limits_[i].turns.size();
  }
  for (const StoreState& store : stores_) in_turns += store.waiting.size();
  CHECK(in_turns == waiting);
}

// W2: whoever could go on is woken by something.
void Admission::check_wakers() const {
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const Line& line = lines_[i];
    CHECK(!line.in_use || line.id == LineId{i});
    if (!line.in_use || line.count() == 0 || line.open_ask) continue;
    if (is_paused(line)) {
      CHECK(line.permits.empty() && line.waits == LineWaits::not_at_all);
      continue;
    }
    CHECK(line.waits != LineWaits::not_at_all || deadlines_.when({Alarm::Kind::line, i}));
  }
}

// W4: nothing is to be had that the first in its queue could use, or its alarm is about to go off.
void Admission::check_nothing_idle(Instant now) const {
  for (KeylessIndex i = 0; i < keyless_limits_.size(); ++i) {
    const KeylessLimit& limit = keyless_limits_[i];
    CHECK(!limit.touched);
    if (limit.turns.empty()) continue;
    const auto alarm = deadlines_.when({Alarm::Kind::limit, i});
    if (alarm && *alarm <= now) continue;
    CHECK(!keyless_limits_.lets_ask(i, now));
    CHECK(limit.open_asks >= limit.most_open || alarm == limit.may_ask_at());
  }
  for (std::uint16_t i = 0; i < targets_.size(); ++i) {
    const TargetQueues& target = targets_[i];
    CHECK(!target.touched);
    const TargetId id{i};
    if (!delivery_.breaker(id).closed() || deadlines_.when({Alarm::Kind::target, i})) continue;
    for (const LineQueue* turns : {&target.due.turns, &target.ahead.turns}) {
      if (turns->empty()) continue;
      const Line& first = lines_[turns->next(lines_, target.retries)];
      CHECK(spoken_for(first, now) || retry_budget_.shut_out(first));
    }
    if (options_.targets[i].batch.records > 1) continue;
    const bool room = delivery_.room(id, now) > 0;
    CHECK(!room || target.room.empty());
    CHECK(target.parked.empty() || places_.left(lines_[target.parked.front()], now) == 0);
  }
}

void Admission::check_invariants(Instant now) const {
  check_counts();
  check_wakers();
  check_nothing_idle(now);
}

}  // namespace einlass::core
