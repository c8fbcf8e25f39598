// One partition's book: which offsets are finished, and so how far may be committed.
//
// Offsets arrive rising but not dense (compaction and transaction markers leave gaps), and finish
// in any order. What may be committed is the offset below which everything that arrived is
// finished, and with it which offsets above are finished too (contract/finished_map.h): a book that
// is opened with both goes on where the last one ended. The ledger knows each unfinished offset's
// record, so that a revoked partition's records can be found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/contract/finished_map.h"
#include "units/id.h"

namespace einlass::core {

class Ledger {
 public:
  // An offset's index in the book. Never used again within one assignment.
  using Entry = std::uint64_t;

  // Starts a book for a new assignment that will read from `next`, of which those in `finished`
  // need not be delivered again. REQUIRES: as write_finished().
  void open(Offset next, std::span<const OffsetRange> finished = {});

  // Notes that an offset arrived as the record in `slot`. REQUIRES: it is the highest so far.
  Entry arrive(Offset offset, std::uint32_t slot);

  // Whether an offset that arrives now was finished before the book was opened.
  // REQUIRES: it is the highest so far.
  bool knows(Offset offset);

  // Notes that an offset arrived that needs nothing more. REQUIRES: it is the highest so far.
  void pass_over(Offset offset);

  // Notes that it is finished. REQUIRES: it had not been.
  void finish(Entry entry);

  // The offset to read next after a restart: all below it that arrived are finished.
  Offset committable() const;

  // The slot of the oldest unfinished record; none if all that arrived are finished.
  std::optional<std::uint32_t> oldest_unfinished() const {
    return begin_ == end_ ? std::nullopt : std::optional(at(begin_).slot);
  }

  // From the oldest unfinished offset to the newest: what the book must remember.
  std::size_t span() const { return static_cast<std::size_t>(end_ - begin_); }

  // Finished offsets above committable() that have arrived.
  std::size_t finished_ahead() const { return finished_ahead_; }

  // A copy of the book in which these are finished too. It costs what is in the book, not the room
  // that it once needed. REQUIRES: as finish().
  Ledger after(std::span<const Entry> finished) const;

  // All finished offsets above committable(), as write_finished() wants them.
  std::vector<OffsetRange> finished_ranges() const;

  // How long the text for finished_ranges() is at most, whichever of the unfinished offsets will
  // finish first.
  std::size_t most_text() const;

  // An offset in the book: for people.
  struct Found {
    bool past = false;                          // Finished, or nothing will come of it any more.
    std::optional<std::uint32_t> unfinished{};  // Its record's slot.
    Entry entry = 0;                            // With `unfinished`.
  };
  Found find(Offset offset) const;

  // Calls `visit` with the slot of each unfinished offset, the oldest first.
  // REQUIRES: `visit` does not change the ledger.
  template <class Visit>
  void for_each_unfinished(Visit visit) const {
    for (Entry entry = begin_; entry != end_; ++entry) {
      if (at(entry).slot != kFinished) visit(at(entry).slot);
    }
  }

 private:
  struct Arrival {
    Offset offset;
    std::uint32_t slot;
  };
  static constexpr std::uint32_t kFinished = ~std::uint32_t{0};

  const Arrival& at(Entry entry) const { return ring_[entry & (ring_.size() - 1)]; }
  Arrival& at(Entry entry) { return ring_[entry & (ring_.size() - 1)]; }
  Entry enter(Offset offset, std::uint32_t slot);
  bool is_finished(Entry entry) const {
    return entry >= begin_ && entry < end_ && at(entry).slot == kFinished;
  }
  void note_finished(Entry entry);
  std::vector<Arrival> arrivals_in_ring(std::size_t size) const;

  static constexpr std::size_t kFewest = 64;
  static constexpr std::size_t kKept = 4096;  // What one assignment needed, others may not.

  std::vector<Arrival> ring_;  // A power of two long; entries [begin_, end_) are live.
  Entry begin_ = 0;
  Entry end_ = 0;
  std::size_t finished_ahead_ = 0;
  std::size_t runs_ = 0;               // Of finished entries, one after the other, ahead.
  std::vector<OffsetRange> restored_;  // What the book was opened with; from known_ on ahead.
  std::size_t known_ = 0;
  Offset committable_{-1};  // -1: not known before the first record.
};

}  // namespace einlass::core
