#include "core/records/lane.h"

#include "units/check.h"

namespace einlass::core {
namespace {

// Mixes all bits of each into all bits of the result (the finaliser of SplitMix64).
std::uint64_t mixed(RouteId route, PartitionId partition, LaneKey key) {
  const std::uint64_t both = std::uint64_t{route.value} << 32 | partition.value;
  std::uint64_t x = key.value + (both + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

std::uint32_t Lanes::lane_of(Order order, RouteId route, PartitionId partition,
                             std::optional<LaneKey> key) {
  if (order == Order::none || (order == Order::key && !key)) return kNone;
  const std::uint64_t hash = mixed(route, partition, order == Order::key ? *key : LaneKey{0});
  if (const auto known = index_.find(hash)) return *known;
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(lanes_.size()));
    lanes_.emplace_back();
  }
  const std::uint32_t lane = unused_.back();
  unused_.pop_back();
  lanes_[lane].hash = hash;
  index_.insert(hash, lane);
  return lane;
}

void Lanes::enter(Records& records, Record& record) {
  if (record.lane != kNone) lanes_[record.lane].records.push_back(records, record.id.slot);
}

Slot Lanes::leave(Records& records, Record& record) {
  if (record.lane == kNone) return kNoSlot;
  Lane& lane = lanes_[record.lane];
  const bool was_head = lane.records.front() == record.id.slot;
  lane.records.erase(records, record.id.slot);
  if (lane.records.empty()) {
    index_.erase(lane.hash);
    unused_.push_back(record.lane);
    return kNoSlot;
  }
  return was_head ? lane.records.front() : kNoSlot;
}

}  // namespace einlass::core
