// A record inside the gate, and the one state machine that it goes through.
//
//               early ----.
//                 ^ .-----|---------v (in one request with the record before it)
//   arrives -> behind -> ready -> attempting -> finished
//                 ^        ^  |       |  |
//                 |        |  v       v  |
//                 |     backing_off <-> dead_lettering -> finished
//                 '----------------------' (behind the one that failed with it)
//   behind:         waits for the record before it in its lane
//   early:          is the first of its lane, and waits for its own time; may come so, too
//   ready:          waits in its line for a permit, and with one for room at the target
//   attempting:     at the target
//   backing_off:    waits for its next attempt, for the next try to write its dead letter, or for
//                   a limit that could pay its cost
//   dead_lettering: on its way to the dead letter topic; so may be what is ready or early, where it
//                   is too late, or no limit will ever grant it
//   abandoned:      counted as returned, but the world still holds its bytes until the try ends
//
// Finished, returned and forgotten records are absent: nothing of them is kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/containers/list.h"
#include "core/contract/command.h"
#include "core/contract/flow.h"
#include "core/contract/ids.h"
#include "core/records/ledger.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::core {

enum class RecordState : std::uint8_t {
  absent,
  behind,
  early,
  ready,
  attempting,
  backing_off,
  dead_lettering,
  abandoned,
};

// What most records need of it comes first: when its turn comes a record has lain in memory for
// long, and each line of the processor's cache is fetched anew.
struct alignas(64) Record {
  RecordId id;
  RecordState state = RecordState::absent;
  bool leads = false;  // The attempt's request has its place at the target through it.
  RouteId route;
  PartitionId partition;
  LineId line;
  std::uint32_t lane = 0;  // Lanes::kNone for a record without order.
  Attempt attempt;         // The last one started; 0 before the first.
  Links in_lane;
  Links in_line;
  Instant since;       // When it became ready, or its attempt began.
  Instant not_before;  // Not ready until then,

  Instant expires = kNever;  // and not sent from then on.
  Ledger::Entry entry = 0;
  Bytes size;
  Bytes content;
  Permits cost{1};
  Offset offset;
  Instant failed_at = kNever;            // When the target last failed it.
  std::optional<DeadLetterReason> doom;  // Set once it is to go to the dead letter topic.
  bool never = false;           // No limit could ever pay its cost; it waits for another config.
  std::uint8_t unwritten = 0;   // How often its dead letter was not acknowledged; 31 at most.
  std::uint16_t name_size = 0;  // As RecordArrived has it.
  bool named_apart = false;     // Likewise.

  Permit permit;                  // Of the attempt that is under way.
  std::uint32_t not_counted = 0;  // How many of them do not count towards its dead letter,
  std::uint32_t not_asked = 0;    // and how many do not lengthen its wait, either.
  // No request with more records takes this one: a larger one was refused, and nobody knows for
  // whose sake.
  std::uint32_t most_together = ~std::uint32_t{0};
  Slot flow_slot = kNoSlot;  // Where it is in its line's Flows; kNoSlot if it is in none.

  FlowMark flow{};
  Links in_flow;
};

// All records, by slot, and how many of each route, partition and lane are in which state.
class Records {
 public:
  explicit Records(std::size_t routes) : counts_(routes) {}

  // Makes room for a record that arrived. REQUIRES: its slot is absent.
  Record& enter(RecordId id, RouteId route, PartitionId partition, std::uint32_t lane,
                RecordState state);

  // The record of that id; null if it is no longer (or not yet) there.
  Record* find(RecordId id);

  // The record in that slot; null if there is none now.
  const Record* in(Slot slot) const;

  // How many slots there are, with a record or without.
  Slot slots() const { return static_cast<Slot>(records_.size()); }

  Record& operator[](Slot slot) { return records_[slot]; }
  const Record& operator[](Slot slot) const { return records_[slot]; }

  // Moves a record on. REQUIRES: the picture above has that arrow, or `to` is absent or abandoned.
  void move(Record& record, RecordState to);

  std::uint64_t count(RouteId route, RecordState state) const {
    return counts_[route.value][static_cast<std::size_t>(state)];
  }

  // How many of a partition are at the target or on the way to the dead letter topic.
  std::uint32_t busy(PartitionId partition) const {
    return partition.value < busy_.size() ? busy_[partition.value] : 0;
  }

  // How many of a lane wait for the record before them.
  std::uint32_t behind(std::uint32_t lane) const {
    return lane < behind_.size() ? behind_[lane] : 0;
  }

 private:
  static constexpr std::size_t kStates = 8;

  std::vector<Record> records_;
  std::vector<std::array<std::uint64_t, kStates>> counts_;
  std::vector<std::uint32_t> busy_;    // By PartitionId.
  std::vector<std::uint32_t> behind_;  // By lane.
};

}  // namespace einlass::core
