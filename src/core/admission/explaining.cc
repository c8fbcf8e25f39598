// What a line and its records wait for: it only looks.
#include <algorithm>
#include <utility>

#include "core/admission/admission.h"
#include "core/records/place_in_list.h"

namespace einlass::core {
namespace {

std::optional<Instant> later_than(Instant now, Instant at) {
  return at > now ? std::optional(at) : std::nullopt;
}

}  // namespace

// What goes before the record in its line.
void Admission::count_before(const Record& record, Standing& standing) const {
  const Line& line = lines_[record.line.value];
  if (record.flow_slot == kNoSlot) {
    standing.before = records_before(records_, record.id.slot, &Record::in_line);
    return;
  }
  standing.flow = line.flows->standing(records_, record);
  standing.before = standing.flow->before;
}

// REQUIRES: the record is ready, and what goes before it is counted.
void Admission::explain(const Record& record, Instant now, Standing& standing) const {
  const Line& line = lines_[record.line.value];
  if (is_paused(line)) {
    standing.waits = WaitsFor::pause;
    return;
  }
  const RouteOptions& route = route_of(line);
  const Instant held = delivery_.held_until(route.target);
  if (held > now || !delivery_.breaker(route.target).closed()) {
    standing.waits = held > now ? WaitsFor::hold : WaitsFor::probe;
    standing.until = later_than(now, held);
    return;
  }
  if (route.limit_count == 0) return explain_room(line, now, standing);
  if (standing.before < line.permits.size()) {
    const Instant due = (line.permits.begin() + static_cast<std::ptrdiff_t>(standing.before))->due;
    if (awake_for(line, due) <= now) return explain_room(line, now, standing);
    standing.waits = WaitsFor::permit;
    standing.until = due;
    standing.limit = line.blamed;
    return;
  }
  explain_shortage(line, now, standing);
}

void Admission::explain_room(const Line& line, Instant now, Standing& standing) const {
  const TargetId id = route_of(line).target;
  const bool gathers = options_.targets[id.value].batch.records > 1 && !is_ripe(id, now);
  standing.waits = gathers ? WaitsFor::company : WaitsFor::room;
  if (gathers) standing.until = later_than(now, targets_[id.value].gather_until);
}

void Admission::explain_shortage(const Line& line, Instant now, Standing& standing) const {
  if (waits_for_store(line)) {
    standing.waits = WaitsFor::outage;
    return;
  }
  // While there is room, what others have asked for is on its way; and one that asks ahead waits
  // for the limit that binds.
  if (line.waits == LineWaits::turn && delivery_.room(route_of(line).target, now) == 0) {
    standing.waits = WaitsFor::turn;
    return;
  }
  // Where it would not be asked yet anyway, it is not its place that it waits for.
  if (line.waits == LineWaits::parked && now >= may_ask_at(line)) {
    standing.waits = WaitsFor::room;
    return;
  }
  standing.waits = WaitsFor::permit;
  standing.limit = line.blamed;
  if (line.waits == LineWaits::limit) return explain_limit(line, now, standing);
  if (!line.open_ask) standing.until = later_than(now, std::max(line.foretold, line.next_ask));
}

// It waits with others until one of them may ask a limit without key.
void Admission::explain_limit(const Line& line, Instant now, Standing& standing) const {
  const KeylessLimit& limit = keyless_limits_[line.limit];
  standing.limit = keyless_limits_.index_of(line, line.limit);
  if (line.among_retries && limit.turns.fresh() > 0) {
    standing.waits = WaitsFor::fresh_records;
    return;
  }
  standing.until = later_than(now, limit.foretold);
}

std::vector<LineStanding> Admission::longest_lines(std::size_t most, Instant now) const {
  const auto longer = [](const auto& a, const auto& b) { return a > b; };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> longest;  // A heap, the shortest in front.
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const std::uint32_t waiting = lines_[i].in_use ? lines_[i].count() + lines_[i].behind : 0;
    if (waiting == 0 || (longest.size() == most && waiting <= longest.front().first)) continue;
    if (longest.size() == most) {
      std::pop_heap(longest.begin(), longest.end(), longer);
      longest.pop_back();
    }
    longest.emplace_back(waiting, i);
    std::push_heap(longest.begin(), longest.end(), longer);
  }
  std::sort_heap(longest.begin(), longest.end(), longer);
  std::vector<LineStanding> lines;
  for (const auto& [waiting, i] : longest) {
    const Line& line = lines_[i];
    Standing first;
    first.waits = WaitsFor::order;
    std::optional<RecordId> oldest;
    if (const Slot slot = picker_.next_of(line); slot != kNoSlot) {
      explain(records_[slot], now, first);
      oldest = records_[line.ready.empty() ? slot : line.ready.front()].id;
    }
    lines.push_back({LineId{i}, line.route, waiting, line.in_flight, first.waits, first.until,
                     first.limit, oldest, std::nullopt});
  }
  return lines;
}

}  // namespace einlass::core
