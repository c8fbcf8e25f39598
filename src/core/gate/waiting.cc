// What the records inside wait for, counted for people. It only looks, and never at each record:
// at each line and each lane once.
#include <algorithm>
#include <utility>

#include "core/admission/admission.h"
#include "core/gate/gate.h"

namespace einlass::core {
namespace {

// So many records behind others are looked at, at most, to say what the longest lines wait for.
constexpr std::uint32_t kMostLookedAt = 4'096;

// Whether fewer than `most` records stand before this one in its line's list.
bool is_among_first(const Records& records, const Record& record, std::uint64_t most) {
  std::uint64_t before = 0;
  for (Slot slot = record.in_line.prev; slot != kNoSlot && before < most; ++before) {
    slot = records[slot].in_line.prev;
  }
  return before < most;
}

}  // namespace

// Nothing goes to its target now but a probe.
bool Admission::stands_still(const Line& line, Instant now) const {
  return delivery_.held_until(route_of(line).target) > now || !breaker_of(line).closed();
}

LineCause Admission::cause_of(const Line& line, Instant now) const {
  const RouteOptions& route = route_of(line);
  const std::uint64_t ready = line.count();
  if (is_paused(line)) return {0, Cause::paused};
  if (route.limit_count == 0 || stands_still(line, now)) return {ready};
  const auto due = std::upper_bound(
      line.permits.begin(), line.permits.end(), now,
      [&](Instant at, const HeldPermit& held) { return at < awake_for(line, held.due); });
  Standing rest;
  explain_shortage(line, now, rest);
  if (rest.waits == WaitsFor::permit && !rest.limit && route.limit_count == 1) {
    rest.limit = LimitIndex{0};  // Which nobody has had to say yet.
  }
  return {std::min<std::uint64_t>(ready, static_cast<std::uint64_t>(due - line.permits.begin())),
          core::cause_of(rest.waits), rest.limit};
}

void Admission::add_waiting(Instant now, std::span<Waiting> by_route) const {
  for (const Line& line : lines_) {
    if (!line.in_use || line.total == 0) continue;
    Waiting& waiting = by_route[line.route.value];
    ++waiting.lines;
    const std::uint64_t ready = line.count();
    if (ready == 0) continue;
    for (std::uint8_t i = 0; line.flows && i < route_of(line).share.levels; ++i) {
      waiting.by_level[i] += line.flows->ready(i);
    }
    const LineCause cause = cause_of(line, now);
    const std::uint64_t rest = ready - cause.at_target;
    waiting.records[Cause::target] += cause.at_target;
    waiting.records[cause.rest] += rest;
    if (cause.rest != Cause::limit || !cause.limit || rest == 0) continue;
    waiting.for_limit[cause.limit->value] += rest;
    ++waiting.lines_for_limit[cause.limit->value];
  }
}

// Of a line with a share the first in the list stand for those whose turn it is.
std::pair<Cause, std::optional<LimitIndex>> Admission::cause_of(const Record& record,
                                                                Instant now) const {
  const Line& line = lines_[record.line.value];
  const LineCause cause = cause_of(line, now);
  // Where all wait for their target it need not be found among them: it is asked for each lane, and
  // before it may stand as many records as there are lanes.
  const bool all = cause.at_target >= line.count();
  if (all || is_among_first(records_, record, cause.at_target)) {
    return {Cause::target, std::nullopt};
  }
  return {cause.rest, cause.rest == Cause::limit ? cause.limit : std::nullopt};
}

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
