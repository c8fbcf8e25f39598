// Lanes: the records that must leave one after the other.
//
// By partition a route has a lane for each partition, by key one for each key in a partition, by
// none no lanes at all. Records of one partition that go by different routes are in different
// lanes. The record at the head of a lane is the only one that may leave, or the
// first of those that leave in one request; it stays the head until it is finished or returned.
//
// What holds it together (checked in tests after each event, gate/invariants.cc):
// L1  A lane's records are of one route and partition and rise by offset, each knows its lane, and
//     all that are inside are in theirs.
// L2  The head waits for no other.
// L3  Lanes with records, and no others, are found by their hash; the others may be used again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/containers/flat_index.h"
#include "core/containers/list.h"
#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/records/record.h"

namespace einlass::core {

class Lanes {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The lane of a record that arrives; kNone if it has no order. Makes the lane if need be.
  // REQUIRES: the record enters it next.
  std::uint32_t lane_of(Order order, RouteId route, PartitionId partition,
                        std::optional<LaneKey> key);

  // True if nothing stands before the next record of this lane.
  bool free(std::uint32_t lane) const { return lane == kNone || lanes_[lane].records.empty(); }

  // True if nothing stands before this record.
  bool is_head(const Record& record) const {
    return record.lane == kNone || lanes_[record.lane].records.front() == record.id.slot;
  }

  // Puts a record at the end of its lane.
  void enter(Records& records, Record& record);

  // The record at the head of a lane. REQUIRES: it is a lane with records.
  Slot first(std::uint32_t lane) const { return lanes_[lane].records.front(); }

  // Calls `visit` with the first record of each lane that has some.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Lane& lane : lanes_) {
      if (!lane.records.empty()) visit(lane.records.front());
    }
  }

  // CHECKs L1 to L3. Slow: for tests, after an event.
  void check_invariants(const Records& records) const;

  // Takes a record out. Returns the record that has now become the head; kNoSlot if none has. It
  // may be attempting already, in one request with the one that left.
  Slot leave(Records& records, Record& record);

 private:
  struct Lane {
    std::uint64_t hash = 0;
    List<Record, &Record::in_lane> records;
  };

  FlatIndex index_;  // From the hash of route, partition and key. Lanes that collide are one lane.
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace einlass::core
