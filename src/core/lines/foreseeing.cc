// Of Picker: for which records permits are asked where costs differ: those that are
// likely to go next.
#include <algorithm>
#include <span>
#include <vector>

#include "core/lines/picker.h"

namespace einlass::core {

// The fresh records that go next, behind those that permits were asked for with.
void Picker::foresee_fresh(const Line& line, std::size_t held, std::size_t most) {
  fresh_foreseen_.clear();
  if (line.flows) return line.flows->foresee(records_, most, fresh_foreseen_);
  Slot slot = line.ready.front();
  for (std::size_t i = 0; i < held + most && slot != kNoSlot; ++i) {
    if (i >= held) fresh_foreseen_.push_back(slot);
    slot = records_[slot].in_line.next;
  }
}

const std::vector<Slot>& Picker::foresee(const Line& line, std::size_t most) {
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
  std::int64_t retries = budget_.usable_retries(line);
  for (std::size_t i = 0; i < retries_held && retry != kNoSlot; ++i, --retries) {
    retry = records_[retry].in_line.next;
  }
  const bool may_go_first = line.apart() && !line.retries.empty() && !budget_.retry_must_wait(line);
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

void Picker::want(Line& line, std::int64_t most) const {
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
  const bool alike = std::ranges::none_of(line.asked_costs, other);
  if (alike) line.asked_costs.clear();
  if (line.permits.empty()) line.costs_differ = false;
  line.costs_differ |=
      !alike || (!line.permits.empty() && line.permits.front().permit.cost != line.asked_cost);
}

void Picker::want_no_more(Line& line, std::size_t from) {
  for (; from < line.wanted.size(); ++from) {
    if (line.wanted[from].flow != kNoSlot) line.flows->promise_no_more(line.wanted[from].flow);
  }
  line.wanted.clear();
}

}  // namespace einlass::core
