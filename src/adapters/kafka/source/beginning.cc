#include "adapters/kafka/source/beginning.h"

#include <algorithm>

#include "units/check.h"

namespace einlass::kafka {
namespace {

std::uint64_t count(Offset from, Offset to) {
  return static_cast<std::uint64_t>(to.value - from.value);
}

// `gone`: how many offsets before the log's start would have been read.
Beginning at_an_edge(OffsetReset policy, const LogBounds& log,
                     std::uint64_t SkippedOffsets::*reason, std::uint64_t gone) {
  Beginning beginning;
  if (policy == OffsetReset::error) return beginning;
  beginning.next = policy == OffsetReset::latest ? log.end : log.start;
  beginning.skipped.*reason = gone;
  beginning.skipped.reset = count(log.start, *beginning.next);
  return beginning;
}

}  // namespace

Beginning begin(OffsetReset policy, const LogBounds& log, bool anew) {
  return at_an_edge(policy, log, &SkippedOffsets::recreated,
                    anew ? count(Offset{0}, log.start) : 0);
}

Beginning go_on(OffsetReset policy, const LogBounds& log, Offset next,
                std::span<const core::OffsetRange> finished) {
  CHECK(next < log.start);
  std::uint64_t gone = count(next, log.start);
  for (const core::OffsetRange& range : finished) {
    const Offset first = std::max(range.first, next), end = std::min(range.end, log.start);
    if (first < end) gone -= count(first, end);
  }
  Beginning beginning;
  const bool has_been_there = !finished.empty() && finished.back().end >= log.start;
  if (has_been_there && (gone == 0 || policy != OffsetReset::error)) {
    beginning.next = log.start;
    beginning.skipped.retention = gone;
  } else {
    beginning = at_an_edge(policy, log, &SkippedOffsets::retention, gone);
  }
  beginning.gone = gone;
  return beginning;
}

}  // namespace einlass::kafka
