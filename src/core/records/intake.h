// Intake: the assigned partitions, what of each is inside, and so which of them may be read.
//
// A partition is held while it has as many records or bytes inside as its route allows, while the
// gate as a whole has, while its ledger might no longer fit into a commit, and from the moment it
// is given back. It is read again when a quarter of the bound is free, so that it does not flap
// with each record.
//
// So that partitions whose target is dead do not fill the gate for all others, none may have more
// inside than is still free below three quarters of the gate's bound: of N that stand still each
// has an Nth at last, less a little, and that little is left for whoever moves. The last quarter is
// for partitions with nothing inside, which may always have one record.
//
// What holds it together (checked in tests after each event, gate/invariants.cc):
// I1  What is counted of a partition, and of all, is what is inside.
// I2  While the gate is full, and while a partition is paused or given back, it is held.
// I3  A partition with nothing inside is read unless it is paused or given back, or the gate was
//     full and a quarter is not free yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/records/ledger.h"
#include "core/records/record.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::core {

enum class PartitionPhase : std::uint8_t {
  absent,
  assigned,
  revoking,  // Lets attempts end and commits for the last time; the other records are given back.
};

struct Partition {
  PartitionPhase phase = PartitionPhase::absent;
  RouteId route;
  Ledger ledger;
  std::int64_t records = 0;  // Inside.
  Bytes bytes;
  bool held = false;
  bool paused = false;      // By itself, whatever its route is.
  bool dirty = false;       // The ledger has moved since the last commit was sent.
  bool fenced = false;      // Nothing may be committed any more.
  bool in_commit = false;   // Part of the commit, or transaction, that is open.
  bool begun = false;       // A policy chose where it begins, and that is not committed yet.
  Instant deadline;         // While revoking: how long attempts may still take.
  std::uint64_t birth = 0;  // Which assignment of this gate it is: 1, 2, 3, ...
};

class Intake {
 public:
  // The most records that a ledger may span, from the oldest unfinished to the newest.
  static constexpr std::size_t kMostLedgerSpan = 65'536;

  explicit Intake(const GateOptions& options)
      : options_(options), paused_routes_(options.routes.size()) {}

  // A new assignment; held at once if the gate is full. REQUIRES: its slot is absent.
  Partition& assign(const PartitionAssigned& event, Commands& commands);

  // Reads the partition no further, for good. A second time can only bring the deadline forward.
  void revoke(PartitionId id, Instant deadline, Commands& commands);

  // The slot may be assigned anew. REQUIRES: it is revoking; nothing of it is inside.
  void release(PartitionId id);

  // How many are revoking.
  std::uint32_t revoking() const { return revoking_; }

  Partition& operator[](PartitionId id) { return partitions_[id.value]; }
  const Partition& operator[](PartitionId id) const { return partitions_[id.value]; }
  const std::vector<Partition>& all() const { return partitions_; }
  bool exists(PartitionId id) const;

  // By people: it or its route. REQUIRES: exists().
  bool is_paused(PartitionId id) const { return is_paused(partitions_[id.value]); }

  // Whether it is its ledger alone that keeps it from being read. REQUIRES: exists().
  bool held_by_ledger(PartitionId id) const;

  // Whether records of the partition may come in. A held one may still bring one that was read just
  // before; one that is given back may not.
  bool takes(PartitionId id) const;

  // Something of the partition finished that never was inside: holds it if the book is full.
  void passed_over(PartitionId id, Commands& commands);

  // Counts a record in, or out again, and holds or reads what follows from it.
  void enter(const Record& record, Commands& commands);
  void leave(const Record& record, Commands& commands);

  // Nothing more is read of it while it is paused.
  void pause(RouteId route, bool paused, Commands& commands);
  void pause(PartitionId id, bool paused, Commands& commands);

  // The bounds may be others now: holds and reads what follows from that.
  void look_again(Commands& commands);

  // CHECKs I1 to I3. Slow: for tests, after an event.
  void check_invariants(const Records& records) const;

  // The newest assignment's birth.
  std::uint64_t births() const { return births_; }

 private:
  // Quarters of a bound: what must be reached to be full, and gone below to be free again.
  static constexpr std::int64_t kFull = 4;
  static constexpr std::int64_t kFree = 3;

  struct Free {
    std::int64_t records = 0;
    std::int64_t bytes = 0;
  };

  // What is free below three quarters of the gate's bounds.
  Free shared() const;
  bool takes_too_much(const Partition& partition) const;
  bool fits_again(const Partition& partition) const;
  void look_at_others(Commands& commands);
  bool gate_full(std::int64_t quarters) const;
  bool partition_full(const Partition& partition, std::int64_t quarters) const;
  bool ledger_full(const Partition& partition, std::int64_t quarters) const;
  bool is_paused(const Partition& partition) const {
    return partition.paused || paused_routes_[partition.route.value];
  }
  void hold(PartitionId id, PartitionHoldReason reason, Commands& commands);
  void read_if_free(PartitionId id, Commands& commands);

  const GateOptions& options_;
  std::vector<Partition> partitions_;  // By PartitionId.
  std::vector<bool> paused_routes_;    // By RouteId.
  std::uint64_t births_ = 0;
  std::uint32_t revoking_ = 0;
  std::int64_t records_ = 0;
  Bytes bytes_;
  bool full_ = false;          // The gate as a whole was full, and a quarter is not free yet.
  std::size_t next_look_ = 0;  // The partition that is looked at next, when others make room.
};

}  // namespace einlass::core
