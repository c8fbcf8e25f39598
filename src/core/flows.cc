#include "core/flows.h"

#include <algorithm>

#include "units/check.h"

namespace einlass::core {
namespace {

constexpr std::int64_t kWhole = 100;

// Flows that nobody needs to remember leave with the next records, so many at a time.
constexpr int kForgottenAtOnce = 2;

std::uint64_t hash_of(const FlowMark& mark) {
  return mark.key.value ^ (mark.level * 0x9E3779B97F4A7C15u);
}

}  // namespace

// The flow's place, with the weight that the record brings. The same flow may be in several levels.
std::uint32_t Flows::flow_of(const FlowMark& mark) {
  const std::uint64_t hash = hash_of(mark);
  if (const auto known = index_.find(hash)) return *known;
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t made = unused_.back();
  unused_.pop_back();
  flows_[made].hash = hash;
  flows_[made].level = mark.level;
  index_.insert(hash, made);
  return made;
}

void Flows::forget(Level& level) {
  for (int i = 0; i < kForgottenAtOnce; ++i) {
    const auto forgotten = level.turns.take_forgotten();
    if (!forgotten) return;
    index_.erase(flows_[*forgotten].hash);
    unused_.push_back(*forgotten);
  }
}

void Flows::push_back(Records& records, Record& record) {
  CHECK(record.flow.level < options_.levels && record.flow_slot == kNoSlot);
  Level& level = levels_[record.flow.level];
  record.flow_slot = flow_of(record.flow);
  flows_[record.flow_slot].records.push_back(records, record.id.slot);
  ++level.ready;
  level.turns.join(record.flow_slot, record.flow.weight);
  forget(level);
}

void Flows::remove(Records& records, Record& record) {
  Flow& flow = flows_[record.flow_slot];
  Level& level = levels_[flow.level];
  flow.records.erase(records, record.id.slot);
  if (flow.records.empty()) level.turns.leave(record.flow_slot);
  if (--level.ready == 0) level.credit = 0;
  record.flow_slot = kNoSlot;
  forget(level);
}

void Flows::withdraw(Records& records, Record& record) { remove(records, record); }

void Flows::take(Records& records, Record& record, Permits cost) {
  const auto has_some = [](const Level& level) { return level.ready > 0; };
  const auto top = std::find_if(levels_.begin(), levels_.end(), has_some);
  CHECK(top != levels_.end() && record.flow_slot != kNoSlot);
  Level& taken = levels_[record.flow.level];
  for (auto level = top + 1; level != levels_.end(); ++level) {
    if (level->ready > 0) level->credit += options_.keep * cost.value;
  }
  if (&taken != &*top) taken.credit -= kWhole * cost.value;
  taken.turns.charge(record.flow_slot, cost.value);
  remove(records, record);
}

// REQUIRES: somebody is ready.
std::uint8_t Flows::next_level() const {
  std::uint8_t first = 0;
  while (levels_[first].ready == 0) ++first;
  std::uint8_t next = first;
  for (std::uint8_t i = first + 1; i < options_.levels; ++i) {
    const Level& level = levels_[i];
    if (level.ready == 0 || level.credit < kWhole) continue;
    if (next == first || level.credit > levels_[next].credit) next = i;
  }
  return next;
}

Slot Flows::front() const {
  const auto ready = [](const Level& level) { return level.ready > 0; };
  if (std::none_of(levels_.begin(), levels_.end(), ready)) return kNoSlot;
  return flows_[levels_[next_level()].turns.next()].records.front();
}

FlowStanding Flows::standing(const Records& records, const Record& record) const {
  FlowStanding standing;
  const FairQueue& turns = levels_[record.flow.level].turns;
  standing.weight = turns.weight(record.flow_slot);
  for (Slot slot = record.id.slot; (slot = records[slot].in_flow.prev) != kNoSlot;) {
    ++standing.before;
  }
  const std::uint64_t turn = standing.before + 1;
  for (std::uint32_t i = 0; i < flows_.size(); ++i) {
    const Flow& flow = flows_[i];
    const bool higher = flow.level < record.flow.level;
    if (i == record.flow_slot || flow.records.empty() || flow.level > record.flow.level) continue;
    const std::uint32_t weight = levels_[flow.level].turns.weight(i);
    const std::uint64_t by_weight = turn * weight / standing.weight;
    const std::uint64_t before =
        higher ? flow.records.size() : std::min<std::uint64_t>(flow.records.size(), by_weight);
    standing.before += before;
    if (before <= standing.of_other) continue;
    standing.of_other = before;
    standing.other = flow.records.front();
    standing.other_weight = weight;
    standing.other_level = higher;
  }
  return standing;
}

void Flows::check(std::uint32_t ready) const {
  std::uint64_t here = 0;
  for (const Level& level : levels_) here += level.ready;
  CHECK(here == ready);
  CHECK(here == 0 || front() != kNoSlot);
}

}  // namespace einlass::core
