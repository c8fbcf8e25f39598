// What the records inside wait for, counted for people. It only looks, and never at each record:
// at each line and each lane once.
#include <algorithm>
#include <utility>

#include "core/gate/gate.h"

namespace einlass::core {
namespace {

// So many records behind others are looked at, at most, to say what the longest lines wait for.
constexpr std::uint32_t kMostLookedAt = 4'096;

}  // namespace

std::vector<Waiting> Gate::waiting(Instant now) const {
  std::vector<Waiting> waiting(options_.routes.size());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const RouteId route{static_cast<std::uint16_t>(i)};
    CauseCounts& records = waiting[i].records;
    records[Cause::limit] = stats_[i].never;
    records[Cause::retry] = records_.count(route, RecordState::backing_off) - stats_[i].never;
    records[Cause::not_before] = records_.count(route, RecordState::early);
    records[Cause::in_flight] = records_.count(route, RecordState::attempting) +
                                records_.count(route, RecordState::dead_lettering);
  }
  admission_.add_waiting(now, waiting);
  lanes_.for_each([&](Slot first) { add_behind(first, now, waiting); });
  return waiting;
}

void Gate::add_behind(Slot first, Instant now, std::vector<Waiting>& waiting) const {
  const Record& record = records_[first];
  const std::uint64_t behind = records_.behind(record.lane);
  if (behind == 0) return;
  std::pair<Cause, std::optional<LimitIndex>> cause{Cause::order, std::nullopt};
  if (record.state == RecordState::ready) cause = admission_.cause_of(record, now);
  if (record.state == RecordState::backing_off) {
    cause.first = record.never ? Cause::limit : Cause::retry;
  }
  if (record.state == RecordState::early) cause.first = Cause::not_before;
  Waiting& route = waiting[record.route.value];
  route.records[cause.first] += behind;
  route.behind[cause.first] += behind;
  if (cause.second) route.for_limit[cause.second->value] += behind;
}

// Paused lines have no part of the target's places, whoever has paused them. The first of a lane is
// behind nobody: where all are early or behind, these wait for early ones.
bool Gate::records_may_go(TargetId target) const {
  if (!admission_.has_lines(target)) return false;
  for (std::uint16_t i = 0; i < stats_.size(); ++i) {
    const RouteId route{i};
    if (options_.routes[i].target != target || admission_.is_paused(route)) continue;
    const std::uint64_t early =
        records_.count(route, RecordState::early) + records_.count(route, RecordState::behind);
    if (stats_[i].inside > early) return true;
  }
  return false;
}

std::uint64_t Gate::early(PartitionId id) const {
  if (!intake_.exists(id)) return 0;
  std::uint64_t count = 0;
  intake_[id].ledger.for_each_unfinished([&](Slot slot) {
    const Record& record = records_[slot];
    const bool behind = record.state == RecordState::behind;
    const Record& first = behind ? records_[lanes_.first(record.lane)] : record;
    count += record.partition == id && first.state == RecordState::early;
  });
  return count;
}

std::vector<LineStanding> Gate::longest_lines(std::size_t most, Instant now) const {
  std::vector<LineStanding> lines = admission_.longest_lines(most, now);
  explain_behind(now, lines);
  return lines;
}

// Of lines that have nothing ready, as far as their records stand among the first of their lanes.
void Gate::explain_behind(Instant now, std::vector<LineStanding>& lines) const {
  auto left = static_cast<std::size_t>(std::ranges::count_if(
      lines, [](const LineStanding& line) { return line.waits == WaitsFor::order; }));
  std::uint32_t looked_at = 0;
  lanes_.for_each([&](Slot first) {
    for (Slot slot = records_[first].in_lane.next;
         slot != kNoSlot && left > 0 && looked_at < kMostLookedAt;
         slot = records_[slot].in_lane.next, ++looked_at) {
      const auto line = std::ranges::find(lines, records_[slot].line, &LineStanding::line);
      if (line == lines.end() || line->waits != WaitsFor::order || line->first) continue;
      if (records_[slot].state != RecordState::behind) continue;
      line->oldest = records_[slot].id;
      line->first = records_[first].id;
      --left;
      const auto standing = this->standing(first, now);
      if (!standing || cause_of(standing->waits) == Cause::in_flight) continue;
      line->waits = standing->waits;
      line->until = standing->until;
      line->limit = standing->limit;
    }
  });
}

}  // namespace einlass::core
