#include "core/lines/retry_budget.h"

#include <algorithm>

namespace einlass::core {
namespace {

// Retries that a line saves up for itself.
constexpr std::int64_t kMostSavedInLine = 1;

}  // namespace

RetryBudget::RetryBudget(const GateOptions& options, const Delivery& delivery,
                         std::vector<TargetQueues>& targets, KeylessLimits& limits,
                         const LineQueue::Lines& lines)
    : options_(options), delivery_(delivery), targets_(targets), limits_(limits), lines_(lines) {}

// Fresh records of other lines want the target's places, or to ask for permits for these.
bool RetryBudget::fresh_want(const Line& line) const {
  const TargetQueues& target = queues_of(line);
  const std::uint32_t fresh = target.room.fresh() + target.due.turns.fresh();
  const bool at_target = line.waits == LineWaits::room || line.waits == LineWaits::turn;
  return fresh > (at_target && !line.among_retries ? 1u : 0u);
}

// Fresh records of other lines wait until they may ask for permits of this limit.
bool RetryBudget::fresh_want(const Line& line, KeylessIndex index) const {
  const KeylessLimit& limit = limits_[index];
  const bool waits = line.waits == LineWaits::limit && line.limit == index;
  return limit.binds() && limit.turns.fresh() > (waits && !line.among_retries ? 1u : 0u);
}

bool RetryBudget::shut_out(const Line& line) const {
  if (!line.only_retries() || line.failed || !is_closed(line)) return false;
  return fresh_want(line) && !queues_of(line).retries.pays(false, line.retry_share);
}

bool RetryBudget::retry_must_wait(const Line& line) const {
  const TargetQueues& target = queues_of(line);
  const bool others = !target.room.empty() || !target.due.turns.empty();
  if (others && !target.retries.pays(true, line.retry_share)) return true;
  return std::ranges::any_of(limits_.of(line), [&](KeylessIndex i) {
    const KeylessLimit& limit = limits_[i];
    const bool wanted = limit.binds() && !limit.turns.empty();
    return wanted && !limit.retries.pays(true, line.retry_share);
  });
}

void RetryBudget::count(Line& line, bool retry) {
  const std::int64_t share = line.retry_share;
  SharedCredit& at_target = queues_of(line).retries;
  const bool mixed = !line.ready.empty();
  if (retry) {
    line.credit.spend(share);
    at_target.spend(mixed, share);
  } else {
    line.credit.earn(share, kMostSavedInLine);
    at_target.earn(share);
  }
  for (const KeylessIndex i : limits_.of(line)) {
    SharedCredit& credit = limits_.retries(i);
    if (!retry) credit.earn(share);
    if (retry && mixed) credit.spend(mixed, share);
  }
}

// Whose retries do not stand apart earns nothing for himself; but retries of others that wait for
// the same would never have a turn while he always wants more.
void RetryBudget::earn_for_others(const Line& line) {
  const std::int64_t at_target = options_.targets[route_of(line).target.value].retry_share;
  if (at_target < 100) queues_of(line).retries.earn(at_target);
  for (const KeylessIndex i : limits_.of(line)) {
    const Slot retry = limits_.turns(i).retry();
    if (retry != kNoSlot) limits_.retries(i).earn(lines_[retry].retry_share);
  }
}

std::int64_t RetryBudget::usable_retries(const Line& line) const {
  std::int64_t usable = line.retries.size();
  if (usable == 0 || line.failed || !is_closed(line)) return usable;
  for (const KeylessIndex i : limits_.of(line)) {
    if (!fresh_want(line, i)) continue;
    const std::int64_t paid = limits_[i].retries.credit.retries(line.retry_share);
    usable = line.only_retries() ? std::min(usable, std::max<std::int64_t>(1, paid)) : 0;
  }
  return usable;
}

}  // namespace einlass::core
