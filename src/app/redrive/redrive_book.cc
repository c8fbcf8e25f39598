#include "app/redrive/redrive_book.h"

#include <algorithm>
#include <utility>

namespace einlass::app {
namespace {

bool holds(const std::vector<core::OffsetRange>& ranges, Offset offset) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), offset,
                       [](Offset at, const core::OffsetRange& range) { return at < range.first; });
  return after != ranges.begin() && offset < std::prev(after)->end;
}

Offset behind(Offset offset) { return Offset{offset.value + 1}; }

// Adds a range that does not lie before the last one.
void add(std::vector<core::OffsetRange>& ranges, core::OffsetRange range) {
  if (range.first >= range.end) return;
  if (ranges.empty() || ranges.back().end < range.first) return ranges.push_back(range);
  ranges.back().end = std::max(ranges.back().end, range.end);
}

}  // namespace

RedriveBook::RedriveBook(PartitionNumber number, Offset start,
                         std::vector<core::OffsetRange> finished)
    : number_(number), start_(start), before_(std::move(finished)) {}

bool RedriveBook::knows(Offset offset) const { return holds(before_, offset); }

void RedriveBook::take(Offset offset, core::PartitionId assignment) {
  taken_.emplace(offset, assignment);
}

void RedriveBook::finish(const core::CommitEntry& entry) {
  const auto ahead =
      core::read_finished(entry.next, entry.finished).value_or(std::vector<core::OffsetRange>{});
  std::erase_if(taken_, [&](const auto& one) {
    const auto& [offset, assignment] = one;
    return assignment == entry.partition && (offset < entry.next || holds(ahead, offset));
  });
}

kafka::Progress RedriveBook::progress(Offset read_to) const {
  // All that was read is finished, but what is still on its way.
  std::vector<core::OffsetRange> finished;
  Offset at = start_;
  for (const auto& [offset, assignment] : taken_) {
    add(finished, {at, offset});
    at = behind(offset);
  }
  add(finished, {at, read_to});
  for (const core::OffsetRange& range : before_) {
    add(finished, {std::max(range.first, read_to), range.end});
  }
  Offset next = start_;
  if (!finished.empty() && finished.front().first == start_) {
    next = finished.front().end;
    finished.erase(finished.begin());
  }
  std::string text = core::write_finished(next, finished);
  // Only what an earlier redrive finished far ahead can be too much: it is sent again then.
  while (text.size() > core::kMostFinishedText) {
    finished.pop_back();
    text = core::write_finished(next, finished);
  }
  return {number_, next, std::move(text)};
}

bool RedriveBook::full(Offset read_to) const {
  if (taken_.empty()) return false;
  const auto ahead =
      std::partition_point(before_.begin(), before_.end(),
                           [&](const core::OffsetRange& range) { return range.end <= read_to; });
  const std::size_t numbers =
      2 * (taken_.size() + static_cast<std::size_t>(before_.end() - ahead) + 2);
  const Offset end = before_.empty() ? read_to : std::max(read_to, before_.back().end);
  const std::int64_t span = end.value - taken_.begin()->first.value;
  return core::most_finished_text(numbers, span) > core::kMostFinishedText;
}

}  // namespace einlass::app
