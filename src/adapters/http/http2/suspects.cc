#include "adapters/http/http2/suspects.h"

namespace einlass::http {

bool Suspects::has(core::RecordId record) const {
  if (by_slot_.empty()) return false;
  const auto found = by_slot_.find(record.slot);
  return found != by_slot_.end() && found->second.record == record;
}

void Suspects::forget(core::RecordId record) {
  if (has(record)) by_slot_.erase(record.slot);
}

bool Suspects::ends_its_own(core::RecordId record, SteadyTime answered_others, SteadyTime now) {
  Suspect& known = of(record);
  if (!known.has_ended_its_own) {
    known.has_ended_its_own = true;
    known.first_end = now;
    return false;
  }
  if (answered_others <= known.first_end) return false;
  by_slot_.erase(record.slot);
  return true;
}

Suspects::Suspect& Suspects::of(core::RecordId record) {
  if (by_slot_.size() == kMost && !by_slot_.contains(record.slot)) by_slot_.erase(by_slot_.begin());
  Suspect& one = by_slot_[record.slot];
  if (one.record != record) one = {.record = record, .has_ended_its_own = false, .first_end = {}};
  return one;
}

}  // namespace einlass::http
