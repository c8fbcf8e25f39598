// Where a partition is read on, when the offset that should come next is not there. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "adapters/kafka/partitions/lookup.h"
#include "adapters/kafka/source/source.h"
#include "units/id.h"

namespace einlass::kafka {

struct Beginning {
  std::optional<Offset> next;  // None where the policy is not to decide.
  SkippedOffsets skipped;
};

// Nothing has been read or committed of this log. `anew`: but of one that it has replaced.
// REQUIRES: log.start <= log.end.
Beginning begin(OffsetReset policy, const LogBounds& log, bool anew);

// Records up to `next` were read, or are committed, and Kafka has deleted that one.
// REQUIRES: next < log.start <= log.end.
Beginning go_on(OffsetReset policy, const LogBounds& log, Offset next);

}  // namespace einlass::kafka
