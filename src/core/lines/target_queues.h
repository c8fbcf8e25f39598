// In which queues the lines of a target stand, and what is counted of them. Admission's own.
#pragma once

#include <cstdint>
#include <optional>

#include "core/containers/heap.h"
#include "core/contract/ids.h"
#include "core/fairness/credit.h"
#include "core/lines/line_queue.h"
#include "core/lines/throughput.h"
#include "units/time.h"

namespace einlass::core {

// Permits that a target's lines hold or have asked for, and the lines that wait until they are
// not so many.
struct Reserve {
  std::int64_t permits = 0;
  LineQueue turns;
};

struct TargetQueues {
  LineQueue room;
  Heap<std::uint32_t> parked;  // By how many places a line has.
  Reserve due;
  Reserve ahead;
  SharedCredit retries;         // Kept by RetryBudget.
  bool free_of_limits = false;  // One of its routes has no limits.
  Throughput throughput;
  bool touched = false;
  std::uint64_t probe_turns = 0;    // Given to lines.
  std::optional<LineId> asks_last;  // For a probe's permit.
  std::optional<LineId> newest;     // Whose record became ready last.
  // Where records go together: how many might, and when they go even if there are too few.
  std::int64_t gathered = 0;
  Instant gather_until;
  bool nobody_leads = false;  // Of those who wait none had a place, when that was looked at.

  Reserve& reserve(bool of_ahead) { return of_ahead ? ahead : due; }
};

struct StoreState {
  bool down = false;
  LineQueue waiting;
};

}  // namespace einlass::core
