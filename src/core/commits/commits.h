// Commits: what Kafka is told to be finished, and when.
//
// A commit goes out when its time has come or enough has finished, and one at a time:
//
//             something finishes          it goes out
//     clean ---------------------> dirty -------------> in_commit ---> clean
//                                    ^                      |  (dirty again meanwhile, if more
//                                    '----------------------'   finishes)
//                                            it failed
//
// A fenced partition is somebody else's: it never becomes dirty again.
//
// The offsets of a transaction say of its records that they are finished, so whoever reads on from
// there never sees them again; and if it comes to nothing, they are where they were. For each
// partition the order of what is committed is that of what finished: while a transaction is under
// way nothing else is committed of the partitions of its target's routes, and while such a commit
// is under way no transaction begins. What finished in another way, as a dead letter, is committed
// with the next transaction, or by itself where none is under way. But where a partition begins is
// committed at once, if the transaction has no part of it: that may stand still for minutes.
//
// What holds it together (checked in tests after each event, gate/invariants.cc):
// C1  A dirty partition is among those that the next commit looks at.
// C2  A partition is in_commit exactly if the open commit, or its target's open transaction, is of
//     this assignment of it.
// C3  No partition has a part in a commit and a transaction that are open together, nor in a commit
//     that was open when its target's transaction began.
// C4  Where something is dirty that may go, a commit is open or the alarm is set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/containers/deadlines.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/delivery/delivery.h"
#include "core/records/intake.h"
#include "core/records/record.h"
#include "units/time.h"

namespace einlass::core {

// It belongs to a gate, whose parts it is made of, and lives as long. REQUIRES: one thread.
class Commits {
 public:
  Commits(const GateOptions& options, const Records& records, Intake& intake, Delivery& delivery,
          Deadlines& deadlines);

  // The partition's ledger has moved: by something that never was inside, or by a record.
  void mark_dirty(PartitionId id, Instant now);
  void mark_finished(PartitionId id, Instant now);

  // A policy chose where the partition begins. Until that is committed, whoever has it next may
  // begin further on, so it does not wait for the interval.
  void mark_begun(PartitionId id, Instant now);

  // Sets the alarm for the next commit if there is something to commit, for the sooner if
  // partitions are being given back.
  void arm(Instant now);

  // The alarm went off.
  void send(Instant now, Commands& commands);

  bool is_open() const { return is_open_; }

  // The open commit has ended. Returns the partitions that were here when it was sent, until the
  // next call; settle them, then arm(). REQUIRES: is_open().
  std::span<const PartitionId> ended(const CommitEnded& event, Instant now);

  // transacting.cc

  bool transacts(TargetId target) const { return options_.targets[target.value].transactional; }
  bool transacts(PartitionId id) const { return transacts(target_of(id)); }

  // Begins a transaction of the records whose Sends stand in `commands` from there on, for each
  // target that transacts.
  void begin_transactions(std::size_t from, Commands& commands);

  // Returns the partitions that had a part in it, until the next call; settle them, then arm().
  // REQUIRES: all of the target's attempts have just ended, in that way.
  std::span<const PartitionId> end_transaction(TargetId target, Outcome outcome, Instant now);

  // A transaction has delivered a record that was given back: its partition may be here still, and
  // a dead letter of it about to be committed.
  void finish_abandoned(const Record& record);

  // CHECKs C1 to C4. Slow: for tests, after an event.
  void check_invariants() const;

 private:
  struct Transaction {
    std::vector<Slot> records;
    std::vector<CommitEntry> entries;
    std::vector<PartitionId> dirty;  // Those of them that were: they are again if it fails.
    std::uint64_t births = 0;        // As births_.
  };

  TargetId target_of(PartitionId id) const {
    return options_.routes[intake_[id].route.value].target;
  }
  // Whether it is here still as it was when assignments were so many.
  bool is_of(PartitionId id, std::uint64_t births) const {
    return intake_.exists(id) && intake_[id].birth <= births;
  }
  // Whether it may be committed by itself: no transaction is under way that must come first.
  bool may_go(PartitionId id) const;
  CommitEntry entry_of(PartitionId id, const Ledger& ledger) const;
  void let_transactions_wait();
  void let_transactions_go_on();
  void begin_transaction(TargetId target, Commands& commands);
  void take_part(PartitionId id, TargetId target, std::span<const Slot> records);

  const GateOptions& options_;
  const Records& records_;
  Intake& intake_;
  Delivery& delivery_;
  Deadlines& deadlines_;

  std::vector<PartitionId> dirty_;  // Some may be gone meanwhile.
  std::vector<CommitEntry> open_;
  std::uint64_t births_ = 0;  // Assignments younger than this have no part in the open commit.
  bool is_open_ = false;
  Instant last_;
  std::uint32_t finished_ = 0;  // Records, since then.
  bool begun_ = false;          // Some partition, since then.
  bool failed_ = false;         // That of one that has begun has failed, the last time.
  Duration retry_;              // How long such a one waits then: longer each time.

  std::vector<Transaction> transactions_;  // By TargetId; at most one of each is open.
  bool transactional_ = false;             // Some target is.
  std::vector<PartitionId> parts_;         // Of what has ended.
};

}  // namespace einlass::core
