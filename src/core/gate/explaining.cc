// What people ask the gate: it only looks.
#include "core/gate/gate.h"
#include "core/records/place_in_list.h"

namespace einlass::core {
Sought Gate::find(PartitionId id, Offset offset) const {
  if (!intake_.exists(id)) return {};
  const Partition& partition = intake_.all()[id.value];
  const Ledger::Found found = partition.ledger.find(offset);
  if (found.past) return {Whereabouts::finished};
  if (!found.unfinished) return {Whereabouts::not_yet};
  const Record* record = records_.in(*found.unfinished);
  // What was given back is unfinished in the ledger, and its slot may be another's by now.
  const bool inside = record != nullptr && record->partition == id &&
                      record->entry == found.entry && record->state != RecordState::abandoned;
  if (!inside) return {Whereabouts::returned};
  return {Whereabouts::inside, *found.unfinished};
}

std::optional<Standing> Gate::standing(Slot slot, Instant now) const {
  const Record* record = records_.in(slot);
  if (record == nullptr || record->state == RecordState::abandoned) return std::nullopt;
  Standing standing{.id = record->id,
                    .route = record->route,
                    .line = record->line,
                    .attempt = record->attempt,
                    .since = record->since};
  switch (record->state) {
    case RecordState::behind:
      standing.waits = WaitsFor::order;
      standing.before = records_before(records_, slot, &Record::in_lane);
      standing.first = lanes_.first(record->lane);
      break;
    case RecordState::ready:
      admission_.count_before(*record, standing);
      admission_.explain(*record, now, standing);
      break;
    case RecordState::backing_off:
      standing.waits = record->doom    ? WaitsFor::dead_letter
                       : record->never ? WaitsFor::other_limits
                                       : WaitsFor::retry;
      standing.until = deadlines_.when({Alarm::Kind::record, slot});
      break;
    case RecordState::early:
      standing.waits = WaitsFor::not_before;
      standing.until = record->not_before;
      break;
    case RecordState::attempting:
      standing.waits = WaitsFor::answer;
      break;
    default:
      standing.waits = WaitsFor::acknowledgement;
  }
  return standing;
}

}  // namespace einlass::core
