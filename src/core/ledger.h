// One partition's book: which offsets are finished, and so how far may be committed.
//
// Offsets arrive rising but not dense (compaction and transaction markers leave gaps), and finish
// in any order. What may be committed is the offset below which everything that arrived is
// finished. The ledger knows each unfinished offset's record, so that a revoked partition's records
// can be found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/id.h"

namespace einlass::core {

class Ledger {
 public:
  // An offset's place in the book. Never used again within one assignment.
  using Entry = std::uint64_t;

  // Starts an empty book for a new assignment that will read from `next`.
  void open(Offset next);

  // Notes that an offset arrived as the record in `slot`. REQUIRES: it is the highest so far.
  Entry arrive(Offset offset, std::uint32_t slot);

  // Notes that it is finished. REQUIRES: it had not been.
  void finish(Entry entry);

  // The offset to read next after a restart: all below it that arrived are finished.
  Offset committable() const { return committable_; }

  // From the oldest unfinished offset to the newest: what the book must remember.
  std::size_t span() const { return static_cast<std::size_t>(end_ - begin_); }

  // Finished offsets above committable().
  std::size_t finished_ahead() const { return finished_ahead_; }

  // Calls `visit` with the slot of each unfinished offset, the oldest first.
  // REQUIRES: `visit` does not change the ledger.
  template <class Visit>
  void for_each_unfinished(Visit visit) const {
    for (Entry entry = begin_; entry != end_; ++entry) {
      if (at(entry).slot != kFinished) visit(at(entry).slot);
    }
  }

 private:
  struct Line {
    Offset offset;
    std::uint32_t slot;
  };
  static constexpr std::uint32_t kFinished = ~std::uint32_t{0};

  const Line& at(Entry entry) const { return ring_[entry & (ring_.size() - 1)]; }
  Line& at(Entry entry) { return ring_[entry & (ring_.size() - 1)]; }
  void grow();

  std::vector<Line> ring_;  // A power of two long; entries [begin_, end_) are live.
  Entry begin_ = 0;
  Entry end_ = 0;
  std::size_t finished_ahead_ = 0;
  Offset committable_{-1};  // -1: not known before the first record.
};

}  // namespace einlass::core
