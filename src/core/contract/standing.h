// Where a record stands and what it waits for: an answer for people, read off the stages. Nothing
// in the gate depends on it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/containers/list.h"
#include "core/contract/ids.h"
#include "core/contract/stats.h"
#include "units/time.h"

namespace einlass::core {

// What became of one offset of an assigned partition.
enum class Whereabouts : std::uint8_t {
  elsewhere,  // The partition is not this gate's.
  finished,   // Accepted by its target, or its dead letter was; or Kafka has no such record.
  not_yet,    // It has not been taken in.
  returned,   // Given back to Kafka unfinished: its partition leaves this gate.
  inside,
};

struct Sought {
  Whereabouts where = Whereabouts::elsewhere;
  Slot slot = kNoSlot;  // Of the record, if it is inside.
};

enum class WaitsFor : std::uint8_t {
  order,            // The first record of its lane, which is `first`.
  permit,           // A limit, if one is known to be short: `limit`.
  outage,           // The limiter's store, which does not answer, or only with errors.
  turn,             // With as many permits out as its target can use soon, nobody asks for more.
  fresh_records,    // Fresh records, which go before retries.
  room,             // A place at its target; it has a permit if it needs one.
  company,          // Others that go to its target in the same request; it has a permit.
  hold,             // The end of what its target asked for (Retry-After), or of the breaker's wait.
  probe,            // The one attempt by which the breaker learns whether the target is well again.
  retry,            // Its next attempt.
  pause,            // Somebody, who has paused its route, its target or its tenant.
  not_before,       // Its own time, before which it may not be delivered.
  dead_letter,      // The next try to write its dead letter.
  other_limits,     // Limits under other numbers: these could never pay its cost.
  answer,           // At the target.
  acknowledgement,  // On its way to the dead letter topic.
};

// What stands before a record.
struct FlowStanding {
  std::uint64_t before = 0;    // Records that are likely to go first.
  std::uint64_t of_other = 0;  // Of these: of the flow that has most.
  Slot other = kNoSlot;        // That flow's first record; kNoSlot if there is none.
  std::uint32_t weight = 1, other_weight = 1;
  bool other_level = false;  // It goes first for its level and not for its weight.
};

// In the words of every page. `order` is where the first of the lane is known: what that waits for.
Cause cause_of(WaitsFor waits);

struct Standing {
  RecordId id;
  RouteId route;
  LineId line;
  Attempt attempt;  // The last one started; 0 before the first.
  Instant since;    // When it became ready, or its attempt began.
  WaitsFor waits{};
  std::optional<Instant> until{};      // Not before this; none where nobody knows.
  std::optional<LimitIndex> limit{};   // The one that the line's last ask was short of.
  std::uint64_t before = 0;            // Records that go before it, in its lane or its line.
  std::optional<FlowStanding> flow{};  // Where its route has a share, and it is ready.
  Slot first = kNoSlot;                // With WaitsFor::order.
};

// A line with records, as a whole.
struct LineStanding {
  LineId line;
  RouteId route;
  std::uint32_t waiting = 0;  // Ready, or behind others in their lanes.
  std::uint32_t in_flight = 0;
  // What its first ready record waits for. Where none is ready: the first of the lane that one of
  // its records stands in, which is `first` then, and may be another line's.
  WaitsFor waits{};
  std::optional<Instant> until;     // As above.
  std::optional<LimitIndex> limit;  // As above; of the route of `first`, if there is one.
  std::optional<RecordId> oldest;   // One of its records that have waited longest, if it is known.
  std::optional<RecordId> first;
};

// What a line's ready records wait for: so many, the first, for their target, and the rest for
// this.
struct LineCause {
  std::uint64_t at_target = 0;
  Cause rest = Cause::target;
  std::optional<LimitIndex> limit{};
};

}  // namespace einlass::core
