#include "app/shard/delivery_delays.h"

namespace einlass::app {

// Of what the gate counts as delivered: an attempt that it has given up meanwhile is none of that.
void DeliveryDelays::note(const core::DeliveryEnded& ended, const core::Gate& gate,
                          const RecordStore& records, Instant now) {
  if (ended.outcome != core::Outcome::accepted) return;
  const core::Record* record = gate.record(ended.record.slot);
  const bool counts = record != nullptr && record->id == ended.record &&
                      record->attempt == ended.attempt &&
                      record->state == core::RecordState::attempting;
  if (!counts) return;
  by_route_[record->route.value].observe(now - records[ended.record].written());
}

}  // namespace einlass::app
