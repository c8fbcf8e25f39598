// Where a partition is read on, when the offset that should come next is not there. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "adapters/kafka/partitions/lookup.h"
#include "adapters/kafka/source/source.h"
#include "core/contract/finished_map.h"
#include "units/id.h"

namespace einlass::kafka {

struct Beginning {
  std::optional<Offset> next;  // None where the policy is not to decide.
  SkippedOffsets skipped;
  std::uint64_t gone = 0;  // Of those before the log's start: that nobody had finished.
};

// Nothing has been read or committed of this log. `anew`: but of one that it has replaced.
// REQUIRES: log.start <= log.end.
Beginning begin(OffsetReset policy, const LogBounds& log, bool anew);

// Records up to `next` were read, or are committed, and Kafka has deleted that one. `finished`:
// what had finished above the committed offset, which is not gone for anybody; where that reaches
// what is left of the log, the group has been there, and no policy sends it elsewhere. REQUIRES:
// next < log.start <= log.end; the ranges rise, and none touches the next.
Beginning go_on(OffsetReset policy, const LogBounds& log, Offset next,
                std::span<const core::OffsetRange> finished);

}  // namespace einlass::kafka
