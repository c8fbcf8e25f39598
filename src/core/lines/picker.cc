#include "core/lines/picker.h"

#include <algorithm>

namespace einlass::core {
namespace {

// How far a fresh record is looked for.
constexpr std::uint32_t kLookedAt = 1024;

// Some number below `end` that is another for each probe: what stands between two probes finds the
// same record.
std::uint32_t drawn(std::uint32_t probe, std::uint32_t end) {
  return static_cast<std::uint32_t>((probe * 0x9E3779B97F4A7C15u >> 32) % end);
}

}  // namespace

Picker::Picker(const GateOptions& options, const Records& records, const Delivery& delivery,
               const RetryBudget& budget)
    : options_(options), records_(records), delivery_(delivery), budget_(budget) {}

bool Picker::is_ready(const Line& line, RecordId id) const {
  const Record* record = records_.in(id.slot);
  return record != nullptr && record->id == id && record->state == RecordState::ready &&
         record->line == line.id;
}

// The record that the first permit is for: the one that it was asked for with, so that those behind
// it find theirs, or one instead; and where it is a flow's, the first of that. kNoSlot if there
// is none. REQUIRES: there is a permit, and a record; by_record().
Slot Picker::fitting(const Line& line) const {
  const Slot next = next_of(line);
  const HeldPermit& first = line.permits.front();
  const Wanted& wanted = first.wanted;
  const Slot meant = is_ready(line, wanted.record) ? wanted.record.slot : kNoSlot;
  // A stand-in's permit is for no flow, and goes to whose turn it is.
  const Slot of_no_flow = line.fleet() != nullptr ? kNoSlot : line.ready.front();
  const Slot alike = wanted.retry             ? line.retries.front()
                     : wanted.flow == kNoSlot ? of_no_flow
                                              : line.flows->front_of(wanted.flow);
  // A probe may be for another record than the one that comes first.
  const Slot probe = breaker_of(line).closed() ? kNoSlot : next;
  const bool of_flow = line.fleet() != nullptr && wanted.flow != kNoSlot;
  // Among flows whoever has the turn takes it, where that costs nobody his: else one whose records
  // come one by one would wait behind another's backlog at each ask.
  const Slot its_turn = in_turn(line) ? next : kNoSlot;
  for (const Slot slot : {probe, its_turn, meant, alike, of_flow ? kNoSlot : next}) {
    if (slot != kNoSlot && records_[slot].cost == first.permit.cost) return slot;
  }
  return kNoSlot;
}

Slot Picker::hopeless_of(const Line& line) const {
  if (line.wanted.empty()) return next_of(line);
  // Another record may be there by now, which others may pay for.
  const RecordId asked_for = line.wanted.front().record;
  return is_ready(line, asked_for) ? asked_for.slot : kNoSlot;
}

// The fresh record that came last, as far as that is to be seen. REQUIRES: some are in `ready`.
Slot Picker::youngest_of(const Line& line) const {
  Slot slot = line.ready.back();
  for (std::uint32_t i = 0; i < kLookedAt && slot != kNoSlot; ++i) {
    if (records_[slot].attempt.value == 0) return slot;
    slot = records_[slot].in_line.prev;
  }
  return line.ready.back();
}

// The record there. REQUIRES: the list is longer than that.
Slot Picker::record_at(Slot first, std::uint32_t index) const {
  for (; index > 0; --index) first = records_[first].in_line.next;
  return first;
}

// REQUIRES: it has several records, of which `next` would go if the target were well.
Slot Picker::for_probe(const Line& line, Slot next) const {
  const Breaker& breaker = breaker_of(line);
  const auto& list = line.ready.empty() ? line.retries : line.ready;
  const std::uint32_t probe = breaker.failed_probes();
  const bool youngest = probe % 2 == 0 && !line.ready.empty();
  const Slot chosen = youngest
                          ? youngest_of(line)
                          : record_at(list.front(), drawn(probe, std::min(list.size(), kLookedAt)));
  if (records_[chosen].id != breaker.last_failed()) return chosen;
  const Links& beside = records_[chosen].in_line;
  for (const Slot other : {beside.next, beside.prev, next, line.retries.front()}) {
    if (other != kNoSlot && other != chosen) return other;
  }
  return chosen;
}

}  // namespace einlass::core
