// For which records permits are asked that differ in cost: those that are likely to go next.
//
// A permit goes to the record that it was asked for with; if that one is gone, to the first of its
// flow or kind, or to whoever is next, if that one costs the same; else back. So who comes in
// between waits until those are served that permits were asked for before.
//
// Also what becomes of a record that the limit was short for: it may be gone, or cost so much that
// it never has its turn beside others.
#include <algorithm>
#include <span>
#include <vector>

#include "core/admission/admission.h"

namespace einlass::core {
namespace {

// How much further ahead than its route's horizon a permit for a costly record may lie.
constexpr Duration kReach = Duration::seconds(30);

}  // namespace

// The fresh records that go next, behind those that permits were asked for with.
void Admission::foresee_fresh(const Line& line, std::size_t held, std::size_t most) {
  fresh_foreseen_.clear();
  if (line.flows) return line.flows->foresee(records_, most, fresh_foreseen_);
  Slot slot = line.ready.front();
  for (std::size_t i = 0; i < held + most && slot != kNoSlot; ++i) {
    if (i >= held) fresh_foreseen_.push_back(slot);
    slot = records_[slot].in_line.next;
  }
}

// The records that go next, behind those that permits were asked for with: `most` at most.
const std::vector<Slot>& Admission::foresee(const Line& line, std::size_t most) {
  foreseen_.clear();
  if (line.count() == 0) return foreseen_;
  if (!breaker_of(line).closed()) {
    // A probe goes alone, and may be for another record than the first.
    if (line.permits.empty()) foreseen_.push_back(next_of(line));
    return foreseen_;
  }
  std::size_t retries_held = 0;
  for (const HeldPermit& held : line.permits) retries_held += held.wanted.retry;
  foresee_fresh(line, line.permits.size() - retries_held, most);
  Slot retry = line.retries.front();
  auto retries = static_cast<std::int64_t>(usable_retries(line));
  for (std::size_t i = 0; i < retries_held && retry != kNoSlot; ++i, --retries) {
    retry = records_[retry].in_line.next;
  }
  const bool may_go_first = line.apart() && !line.retries.empty() && !retry_must_wait(line);
  Credit credit = line.credit;
  for (std::size_t fresh = 0; foreseen_.size() < most;) {
    const bool has_fresh = fresh < fresh_foreseen_.size();
    const bool has_retry = retries > 0 && retry != kNoSlot;
    if (!has_fresh && !has_retry) break;
    if (has_retry && (!has_fresh || (may_go_first && credit.retries(line.retry_share) > 0))) {
      foreseen_.push_back(retry);
      retry = records_[retry].in_line.next;
      --retries;
      credit.spend(line.retry_share);
    } else {
      foreseen_.push_back(fresh_foreseen_[fresh++]);
      if (has_retry) credit.earn(line.retry_share, SharedCredit::kMostSaved);
    }
  }
  return foreseen_;
}

// What the line asks for is for the records that were just foreseen. REQUIRES: there are as many.
void Admission::want(Line& line, std::int64_t most) {
  line.wanted.clear();
  line.asked_costs.clear();
  for (const Slot slot : std::span(foreseen_).first(static_cast<std::size_t>(most))) {
    const Record& record = records_[slot];
    const bool retry = line.apart() && record.attempt.value > 0;
    line.wanted.push_back({record.id, record.cost, retry, retry ? kNoSlot : record.flow_slot});
    line.asked_costs.push_back(record.cost);
    if (line.wanted.back().flow != kNoSlot) line.flows->promise(line.wanted.back().flow);
  }
  line.asked_cost = line.asked_costs.front();
  const auto other = [&](Permits cost) { return cost != line.asked_cost; };
  if (std::ranges::none_of(line.asked_costs, other)) line.asked_costs.clear();
}

// The ask has ended: all from there on were asked for in vain.
void Admission::want_no_more(Line& line, std::size_t from) {
  for (; from < line.wanted.size(); ++from) {
    if (line.wanted[from].flow != kNoSlot) line.flows->promise_no_more(line.wanted[from].flow);
  }
  line.wanted.clear();
  name_no_more(line);
}

// The record that the answer was short for.
void Admission::note_denied(Line& line, std::size_t granted) {
  if (line.wanted.empty()) return;
  line.denied = line.wanted[granted].record;
  if (!is_ready(line, line.denied)) forget_denial(line);
}

// That record is gone, and what was said of it holds for no other: the next may cost less.
void Admission::forget_denial(Line& line) {
  line.denied = RecordId{kNoSlot, 0};
  line.reach = Duration{};
  line.foretold = Instant{};
  line.next_ask = line.next_same_ask = line.asked_at;
  deadlines_.set({Alarm::Kind::line, index_of(line)}, line.asked_at);
  if (line.short_of == kNoShared) return;
  SharedLimit& limit = shared_limits_[line.short_of];
  limit.not_before = std::min(limit.not_before, line.asked_at);
  limit.touched = true;
}

// When its permit had been foretold others were there first, and so they will be again where the
// record costs more than theirs: a limit has never as much left. So its permit is booked as far
// ahead as that takes, but not so far that what others are told to wait for looks like a fault.
void Admission::reach_further(Line& line, SharedIndex shared, const PermitsAnswered& event,
                              Instant now) {
  const RouteOptions& route = route_of(line);
  const TargetQueues& target = queues_of(line);
  const bool may = route.cost_varies && route.limit_count == 1 && !line.flows &&
                   line.asked_horizon > Duration{} && breaker_of(line).closed() &&
                   event.ahead >= line.asked_horizon &&  // Else the limit bears no more.
                   target.ahead.permits < options_.targets[route.target.value].max_in_flight;
  const Duration wanted = std::max(line.asked_horizon + *event.retry * 2, line.asked_horizon * 2);
  const Duration reach = std::min(wanted, route.horizon + kReach);
  if (!may || reach <= line.asked_horizon) return;
  line.reach = reach;
  line.next_ask = line.foretold = now;
  if (shared != kNoShared) shared_limits_[shared].not_before = now;
}

}  // namespace einlass::core
