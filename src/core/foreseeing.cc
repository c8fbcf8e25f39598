// For which records permits are asked that differ in cost: those that are likely to go next.
//
// A permit goes to the record that it was asked for with; if that one is gone, to the first of its
// flow or kind, or to whoever is next, if that one costs the same; else back. So who comes in
// between waits until those are served that permits were asked for before.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/admission.h"
#include "core/flows.h"

namespace einlass::core {
namespace {

constexpr std::size_t kLookedAt = 64;  // Flows of a level.

}  // namespace

// The levels and their first flows, as they will be if nobody comes or goes.
class Flows::Foresight {
 public:
  Foresight(const Flows& flows, const Records& records)
      : flows_(flows), records_(records), claims_(flows.claims_) {
    for (const Claim& claim : claims_) left_ += claim.ready;
  }

  struct Next {
    Slot slot;
    bool promised;
  };

  // Who goes next; none if that cannot be told.
  std::optional<Next> next() {
    if (left_ == 0) return std::nullopt;
    const std::uint8_t level = flows_.next_level(claims_);
    std::vector<Turn>& turns = turns_[level];
    if (!std::exchange(looked_at_[level], true)) look_at(level);
    if (turns.empty()) return std::nullopt;
    std::pop_heap(turns.begin(), turns.end());
    Turn& turn = turns.back();
    const Next next{turn.slot, turn.promised > 0};
    turn.promised -= turn.promised > 0;
    const Record& record = records_[turn.slot];
    flows_.charge(claims_, level, record.cost.value);
    if (--claims_[level].ready == 0) claims_[level].credit = 0;
    --left_;
    turn.slot = record.in_flow.next;
    if (turn.slot == kNoSlot) {
      turns.pop_back();
    } else {
      set_done(level, turn);
      std::push_heap(turns.begin(), turns.end());
    }
    return next;
  }

 private:
  // A flow that has come up to that record.
  struct Turn {
    std::uint32_t flow;
    Slot slot;
    std::uint32_t promised;  // From this one on.
    std::int64_t taken = 0;  // With this one.
    VirtualTime done{};      // With this one.

    bool operator<(const Turn& other) const { return other.done < done; }  // A heap's way.
  };

  void look_at(std::uint8_t level) {
    std::vector<std::uint32_t> first;
    flows_.turns_[level].candidates(kLookedAt, first);
    for (const std::uint32_t i : first) {
      const Flow& flow = flows_.flows_[i];
      turns_[level].push_back({i, flow.records.front(), flow.promised});
      set_done(level, turns_[level].back());
    }
    std::make_heap(turns_[level].begin(), turns_[level].end());
  }

  void set_done(std::uint8_t level, Turn& turn) {
    turn.taken += records_[turn.slot].cost.value;
    turn.done = flows_.turns_[level].done_with(turn.flow, turn.taken);
  }

  const Flows& flows_;
  const Records& records_;
  Claims claims_;
  std::uint64_t left_ = 0;
  std::array<std::vector<Turn>, kMostLevels> turns_;  // Heaps.
  std::array<bool, kMostLevels> looked_at_{};
};

void Flows::foresee(const Records& records, std::size_t most, std::vector<Slot>& next) const {
  Foresight foresight(*this, records);
  while (most > 0) {
    const auto one = foresight.next();
    if (!one) return;
    if (one->promised) continue;
    next.push_back(one->slot);
    --most;
  }
}

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

}  // namespace einlass::core
