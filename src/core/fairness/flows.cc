#include "core/fairness/flows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "units/check.h"

namespace einlass::core {
namespace {

constexpr std::int64_t kWhole = 100;

// Flows that nobody needs to remember leave with the next records, so many at a time.
constexpr int kForgottenAtOnce = 2;

constexpr std::size_t kLookedAt = 64;  // Flows of a level, to foresee who goes next.

std::uint64_t hash_of(const FlowMark& mark) {
  return mark.key.value ^ (mark.level * 0x9E3779B97F4A7C15u);
}

}  // namespace

Flows::Flows(const ShareOptions& options, bool fleet)
    : options_(options), fleet_(fleet ? std::make_unique<FleetFlows>(options) : nullptr) {}

// The flow's index. The same flow may be in several levels.
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
  flows_[made].weight = mark.weight;
  index_.insert(hash, made);
  return made;
}

void Flows::forget(std::uint8_t level) {
  for (int i = 0; i < kForgottenAtOnce; ++i) {
    const auto forgotten = turns_[level].take_forgotten();
    if (!forgotten) return;
    if (flows_[*forgotten].promised > 0 || flows_[*forgotten].named > 0) {
      turns_[level].remember(*forgotten);
      continue;
    }
    index_.erase(flows_[*forgotten].hash);
    unused_.push_back(*forgotten);
  }
}

void Flows::weigh(const FlowMark& mark) {
  const auto known = index_.find(hash_of(mark));
  if (!known || flows_[*known].weight == mark.weight) return;
  Flow& flow = flows_[*known];
  flow.weight = mark.weight;
  if (!flow.records.empty()) turns_[mark.level].join(*known, mark.weight);
  if (fleet_) fleet_->weigh(*known, mark.weight);
}

// By the weight of the record that came in last, which may have been another.
void Flows::push_back(Records& records, Record& record) {
  const std::uint8_t level = record.flow.level;
  CHECK(level < options_.levels && record.flow_slot == kNoSlot);
  record.flow_slot = flow_of(record.flow);
  Flow& flow = flows_[record.flow_slot];
  flow.records.push_back(records, record.id.slot);
  ++claims_[level].ready;
  turns_[level].join(record.flow_slot, flow.weight);
  if (fleet_) fleet_->join(record.flow_slot, record.flow, flow.weight);
  forget(level);
}

void Flows::remove(Records& records, Record& record) {
  Flow& flow = flows_[record.flow_slot];
  Claim& claim = claims_[flow.level];
  flow.records.erase(records, record.id.slot);
  if (flow.records.empty()) turns_[flow.level].leave(record.flow_slot);
  if (--claim.ready == 0) claim.credit = 0;
  if (fleet_) fleet_->leave(record.flow_slot);
  record.flow_slot = kNoSlot;
  forget(flow.level);
}

void Flows::withdraw(Records& records, Record& record) { remove(records, record); }

void Flows::take(Records& records, Record& record, Permits cost) {
  CHECK(record.flow_slot != kNoSlot);
  charge(claims_, record.flow.level, cost.value);
  turns_[record.flow.level].charge(record.flow_slot, cost.value);
  remove(records, record);
}

void Flows::promise(std::uint32_t flow) {
  ++flows_[flow].promised;
  if (fleet_) fleet_->promise(flow);
}

void Flows::promise_no_more(std::uint32_t flow) {
  CHECK(flows_[flow].promised > 0);
  --flows_[flow].promised;
  if (fleet_) fleet_->promise_no_more(flow);
}

// Of what is taken each level but the very first earns a part, also one that has only lower ones
// beside it now: these go before it by what they have earned. What a level has goes for what it
// takes; as the first that is ready it needs none. REQUIRES: somebody is ready.
void Flows::charge(Claims& claims, std::uint8_t taken, std::int64_t cost) const {
  std::uint8_t top = 0;
  while (claims[top].ready == 0) ++top;
  for (std::uint8_t i = 1; i < options_.levels; ++i) {
    if (claims[i].ready > 0) claims[i].credit += options_.keep * cost;
  }
  std::int64_t& credit = claims[taken].credit;
  const std::int64_t left = credit - kWhole * cost;
  credit = taken == top ? std::max<std::int64_t>(0, left) : left;
}

// REQUIRES: somebody is ready.
std::uint8_t Flows::next_level(const Claims& claims) const {
  std::uint8_t first = 0;
  while (claims[first].ready == 0) ++first;
  std::uint8_t next = first;
  for (std::uint8_t i = first + 1; i < options_.levels; ++i) {
    const Claim& claim = claims[i];
    if (claim.ready == 0 || claim.credit < kWhole) continue;
    if (claims[next].credit < kWhole || claim.credit > claims[next].credit) next = i;
  }
  return next;
}

Slot Flows::front() const {
  const auto ready = [](const Claim& claim) { return claim.ready > 0; };
  if (std::none_of(claims_.begin(), claims_.end(), ready)) return kNoSlot;
  return flows_[turns_[next_level(claims_)].next()].records.front();
}

FlowStanding Flows::standing(const Records& records, const Record& record) const {
  FlowStanding standing;
  const FairQueue& turns = turns_[record.flow.level];
  standing.weight = turns.weight(record.flow_slot);
  for (Slot slot = record.id.slot; (slot = records[slot].in_flow.prev) != kNoSlot;) {
    ++standing.before;
  }
  const std::uint64_t turn = standing.before + 1;
  for (std::uint32_t i = 0; i < flows_.size(); ++i) {
    const Flow& flow = flows_[i];
    const bool higher = flow.level < record.flow.level;
    if (i == record.flow_slot || flow.records.empty() || flow.level > record.flow.level) continue;
    const std::uint32_t weight = turns_[flow.level].weight(i);
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

void Flows::check(std::uint32_t ready) const {
  std::uint64_t here = 0;
  for (const Claim& claim : claims_) here += claim.ready;
  CHECK(here == ready);
  CHECK(here == 0 || front() != kNoSlot);
  if (fleet_) fleet_->check();
}

}  // namespace einlass::core
