#include "core/records/record.h"

#include <memory>
#include <type_traits>

#include "units/check.h"

namespace einlass::core {
namespace {

// The arrows of the picture in the header, and what its text adds.
bool allowed(RecordState from, RecordState to) {
  using S = RecordState;
  switch (from) {
    case S::absent:
      return to == S::behind || to == S::early || to == S::ready;
    case S::behind:
      return to == S::early || to == S::ready || to == S::attempting || to == S::absent;
    case S::early:
      return to == S::ready || to == S::dead_lettering || to == S::absent;
    case S::ready:
      return to == S::attempting || to == S::dead_lettering || to == S::backing_off ||
             to == S::absent;
    case S::attempting:
      return to == S::backing_off || to == S::behind || to == S::dead_lettering ||
             to == S::abandoned || to == S::absent;
    case S::backing_off:
      return to == S::ready || to == S::dead_lettering || to == S::absent;
    case S::dead_lettering:
      return to == S::backing_off || to == S::abandoned || to == S::absent;
    case S::abandoned:
      return to == S::absent;
  }
  return false;
}

bool is_busy(RecordState state) {
  return state == RecordState::attempting || state == RecordState::dead_lettering;
}

}  // namespace

Record& Records::enter(RecordId id, RouteId route, PartitionId partition, std::uint32_t lane,
                       RecordState state) {
  CHECK(id.slot != kNoSlot);
  // The vector grows ahead by itself, and what it has ahead takes no memory before it is touched.
  if (id.slot >= records_.size()) records_.resize(id.slot + 1);
  Record& record = records_[id.slot];
  CHECK(record.state == RecordState::absent);
  // In its place, over the one before it: not put together elsewhere and copied.
  static_assert(std::is_trivially_destructible_v<Record>);
  std::uninitialized_default_construct_n(&record, 1);
  record.id = id;
  record.route = route;
  record.partition = partition;
  record.lane = lane;
  if (partition.value >= busy_.size()) busy_.resize(partition.value + 1);
  move(record, state);
  return record;
}

Record* Records::find(RecordId id) {
  if (id.slot >= records_.size()) return nullptr;
  Record& record = records_[id.slot];
  if (record.state == RecordState::absent || record.id != id) return nullptr;
  return &record;
}

const Record* Records::in(Slot slot) const {
  if (slot >= records_.size() || records_[slot].state == RecordState::absent) return nullptr;
  return &records_[slot];
}

void Records::move(Record& record, RecordState to) {
  const RecordState from = record.state;
  CHECK(allowed(from, to));
  auto& counts = counts_[record.route.value];
  --counts[static_cast<std::size_t>(from)];  // Of absent ones nobody asks the number.
  ++counts[static_cast<std::size_t>(to)];
  if (is_busy(from) != is_busy(to)) busy_[record.partition.value] += is_busy(to) ? 1 : -1;
  if (from == RecordState::behind) --behind_[record.lane];
  if (to == RecordState::behind) {
    if (record.lane >= behind_.size()) behind_.resize(record.lane + 1);
    ++behind_[record.lane];
  }
  record.state = to;
}

}  // namespace einlass::core
