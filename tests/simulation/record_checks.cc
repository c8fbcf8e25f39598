// What RecordChecks learns from what the gate is told.
#include "record_checks.h"

#include <algorithm>
#include <limits>
#include <string>

#include "trace.h"

namespace einlass::simulation {
namespace {

constexpr std::int64_t kNothingDenied = std::numeric_limits<std::int64_t>::max();

}  // namespace

RecordChecks::RecordChecks(const Settings& settings)
    : settings_(settings),
      books_(settings.routes.size()),
      in_flight_(settings.gate.targets.size()),
      targets_(settings),
      batches_(settings),
      transactions_(settings.gate.targets.size()) {}

RecordChecks::Shadow* RecordChecks::find(core::RecordId id) {
  if (id.slot >= records_.size()) return nullptr;
  Shadow& shadow = records_[id.slot];
  return shadow.state != State::absent && shadow.id == id ? &shadow : nullptr;
}

bool RecordChecks::live(core::PartitionId id) const {
  return id.value < partitions_.size() && partitions_[id.value].live;
}

RecordChecks::Owned& RecordChecks::owned(core::PartitionId id, const char* who) {
  require(live(id), "partition_not_assigned",
          std::string(who) + " of partition " + std::to_string(id.value));
  return partitions_[id.value];
}

void RecordChecks::assigned(const core::PartitionAssigned& event) {
  if (partitions_.size() <= event.partition.value) partitions_.resize(event.partition.value + 1);
  Owned fresh;
  fresh.use = partitions_[event.partition.value].use + 1;
  fresh.live = true;
  fresh.route = event.route;
  fresh.begun = event.begun;
  fresh.next = fresh.finished_least = fresh.finished_to = event.next;
  fresh.known.assign(event.finished.begin(), event.finished.end());
  fresh.finished = core::write_finished(event.next, event.finished);
  partitions_[event.partition.value] = std::move(fresh);
}

void RecordChecks::paused(const core::RoutePaused& event, Instant now) {
  if (event.paused) {
    paused_routes_.insert(event.route);
  } else {
    paused_routes_.erase(event.route);
    resumed_at_ = now;
  }
}

void RecordChecks::paused(const core::LinePaused& event, Instant now) {
  if (event.paused) {
    paused_lines_.insert(event.line);
  } else {
    paused_lines_.erase(event.line);
    resumed_at_ = now;
  }
}

void RecordChecks::paused(const core::PartitionPaused& event) {
  if (live(event.partition)) partitions_[event.partition.value].paused = event.paused;
}

void RecordChecks::revoked(core::PartitionId partition, Instant deadline) {
  if (!live(partition)) return;
  Owned& p = partitions_[partition.value];
  p.leaving = true;
  p.deadline = std::min(p.deadline, deadline);
}

void RecordChecks::lost(core::PartitionId partition, Instant now) {
  if (!live(partition)) return;
  Owned& p = partitions_[partition.value];
  p.leaving = p.lost = true;
  p.deadline = now;
}

void RecordChecks::stop(Instant deadline) {
  stopping_ = true;
  for (Owned& p : partitions_) {
    if (!p.live) continue;
    p.leaving = true;
    p.deadline = std::min(p.deadline, deadline);
  }
}

void RecordChecks::arrived(const core::RecordArrived& event, bool bad, Instant now) {
  Owned& p = owned(event.partition, "arrival");
  const core::RouteId route = event.route.value_or(p.route);
  const core::RouteOptions& options = settings_.gate.routes[route.value];
  require(!p.held && !p.leaving, "world", "a record of a held partition");
  check_bounds(p, now);
  if (records_.size() <= event.record.slot) records_.resize(event.record.slot + 1);
  const std::size_t lines = std::max<std::size_t>(line_records_.size(), event.line.value + 1);
  line_records_.resize(lines);
  line_waiting_.resize(lines);
  hopeless_from_.resize(lines, kNothingDenied);
  p.newest = event.offset;
  const bool known = knows(p, event.offset);
  Shadow shadow;
  shadow.state = known ? State::finished : State::waiting;
  shadow.id = event.record;
  shadow.route = route;
  shadow.partition = event.partition;
  shadow.line = event.line;
  shadow.offset = event.offset;
  shadow.size = event.size;
  shadow.name_size = event.name_size;
  shadow.arrived_at = now;
  const bool laned =
      options.order == core::Order::partition || (options.order == core::Order::key && event.lane);
  shadow.lane.first = route;
  if (options.order == core::Order::key) shadow.lane.second = event.lane;
  shadow.bad = bad;
  shadow.bad_key = event.doom.has_value();
  shadow.early_until = event.not_before;
  shadow.expires = event.expires;
  shadow.flow = event.flow;
  if (options.cost_varies) shadow.cost = event.cost.value;
  shadow.known = known;
  records_[event.record.slot] = shadow;
  p.arrivals.push_back({event.offset, known});
  if (p.arrivals.size() == 1) p.finished_to = std::max(p.finished_to, event.offset);
  ++open_records_;
  if (known) {
    ++finished_unforgotten_;
    return settle(p);
  }
  if (laned) p.lanes[shadow.lane].insert(event.offset);
  ++p.records, ++p.waiting, ++inside_records_;
  p.bytes += event.size.value;
  ++line_records_[event.line.value], ++line_waiting_[event.line.value];
  ++books_[route.value].received, ++books_[route.value].inside;
}

// The record's offset is finished: it leaves its lane, and what may be committed moves on.
void RecordChecks::finish(Shadow& shadow, Instant now) {
  // What a transaction has delivered, it has committed, given up or not.
  const bool sure = shadow.state == State::sent && transacts(target_of(shadow.route));
  shadow.state = State::finished;
  ++finished_unforgotten_;
  if (shadow.orphan) return;
  Owned& p = partitions_[shadow.partition.value];
  if (const auto lane = p.lanes.find(shadow.lane); lane != p.lanes.end()) {
    p.lane_moved[shadow.lane] = now;
    lane->second.erase(shadow.offset);
    if (lane->second.empty()) p.lanes.erase(lane);
  }
  const auto at = std::lower_bound(p.arrivals.begin(), p.arrivals.end(), shadow.offset,
                                   [](const Arrival& a, Offset o) { return a.offset < o; });
  at->finished = true;
  at->unsure = !sure && p.leaving && now >= p.deadline;
  ++p.news;
  settle(p);
}

void RecordChecks::moved(const core::PartitionMoved& event) {
  if (!live(event.partition) || partitions_[event.partition.value].leaving) return;
  Owned& p = partitions_[event.partition.value];
  const Offset before = p.finished_to;
  pass_over(p, Offset{event.next.value - 1});
  p.begun |= p.finished_to != before;
}

void RecordChecks::filtered(const core::RecordFiltered& event) {
  Owned& p = owned(event.partition, "record that was left out");
  require(!p.held && !p.leaving, "world", "a record of a held partition");
  if (!knows(p, event.offset)) {
    Books& books = books_[event.route.value_or(p.route).value];
    ++books.received, ++books.filtered;
  }
  pass_over(p, event.offset);
}

// Finished before the partition was assigned.
bool RecordChecks::knows(const Owned& p, Offset offset) {
  return std::any_of(p.known.begin(), p.known.end(), [&](const auto& range) {
    return range.first <= offset && offset < range.end;
  });
}

void RecordChecks::pass_over(Owned& p, Offset offset) {
  p.newest = offset;
  p.arrivals.push_back({offset, true});
  if (p.arrivals.size() == 1) p.finished_to = std::max(p.finished_to, offset);
  settle(p);
}

// What may be committed moves on.
void RecordChecks::settle(Owned& p) {
  while (!p.arrivals.empty() && p.arrivals.front().finished) {
    p.finished_to = p.finished_least = Offset{p.arrivals.front().offset.value + 1};
    p.arrivals.pop_front();
  }
  if (!p.arrivals.empty()) {
    p.finished_to = std::max(p.finished_to, p.arrivals.front().offset);
    return;
  }
  for (const core::OffsetRange& range : p.known) {
    if (range.first <= p.finished_to) p.finished_to = std::max(p.finished_to, range.end);
  }
}

void RecordChecks::delivery_ended(const core::DeliveryEnded& event, Instant now) {
  Shadow* shadow = find(event.record);
  if (!shadow || shadow->state != State::sent || shadow->attempt != event.attempt.value) return;
  const core::TargetId target = settings_.gate.routes[shadow->route.value].target;
  if (transacts(target)) {
    end_in_transaction(target, event.outcome);
  } else {
    in_flight_[target.value] -= shadow->leads ? 1 : 0;
  }
  if (event.hold_target) {
    targets_.held(target, now + *event.hold_target);
  }
  if (shadow->leads || (event.asked && event.outcome != core::Outcome::retry)) {
    targets_.ended(target,
                   {event.record, shadow->sent_at, shadow->attempt_failed_at, event.outcome,
                    event.answered, event.asked},
                   now);
  }
  if (event.asked && event.outcome == core::Outcome::retry) shadow->attempt_failed_at = now;
  Books& books = books_[shadow->route.value];
  if (shadow->orphan) return finish(*shadow, now);
  --books.in_flight;
  const Owned& p = partitions_[shadow->partition.value];
  ++(p.leaving && now >= p.deadline ? books.unsure_attempts
                                    : books.attempts[static_cast<std::size_t>(event.outcome)]);
  learn(event, *shadow, now);
  if (event.outcome == core::Outcome::accepted) {
    ++(p.leaving && now >= p.deadline ? books.unsure : books.delivered);
    return finish(*shadow, now);
  }
  shadow->state = State::waiting;
  ++partitions_[shadow->partition.value].waiting;
  ++line_waiting_[shadow->line.value];
}

// What nobody can be blamed for counts for nobody, and is told apart in smaller requests.
void RecordChecks::learn(const core::DeliveryEnded& event, Shadow& shadow, Instant now) const {
  const core::RouteOptions& route = settings_.gate.routes[shadow.route.value];
  const std::uint32_t attempts = route.attempts;
  shadow.outcome = event.outcome;
  shadow.too_large = event.too_large;
  shadow.together = event.together;
  shadow.failed_at = now;
  shadow.back_by = now + event.wait + route.retry_max;
  // Where it had company it may be behind another in its lane by now, and wait for that one.
  const bool alone = settings_.gate.targets[route.target.value].batch.records == 1;
  shadow.not_before = alone && event.outcome == core::Outcome::retry ? now + event.wait : now;
  if (!event.counts) ++shadow.not_counted;
  const bool refused = event.outcome == core::Outcome::refused;
  const bool last = event.outcome == core::Outcome::retry && event.counts && attempts > 0 &&
                    shadow.attempt - shadow.not_counted >= attempts;
  shadow.spent = last && event.together == 1 && route.dead_letter;
  if (event.outcome == core::Outcome::retry && event.over_one) {
    shadow.most_together = std::max(1u, event.together / 2);
  }
  if (event.together == 1 || !(refused || last)) return;
  if (event.counts) ++shadow.not_counted;
  shadow.most_together = refused ? event.together / 2 : 1;
}

void RecordChecks::dead_letter_ended(const core::DeadLetterEnded& event, Instant now) {
  Shadow* shadow = find(event.record);
  if (!shadow || shadow->state != State::dead_lettering) return;
  if (shadow->orphan) return finish(*shadow, now);
  Books& books = books_[shadow->route.value];
  --books.in_flight;
  shadow->failed_at = now;
  shadow->back_by = now + settings_.gate.routes[shadow->route.value].retry_max;
  const Owned& p = partitions_[shadow->partition.value];
  if (event.acknowledged) {
    ++(p.leaving && now >= p.deadline ? books.unsure
                                      : books.dead[static_cast<std::size_t>(shadow->reason)]);
    return finish(*shadow, now);
  }
  shadow->state = State::waiting;
  ++partitions_[shadow->partition.value].waiting;
}

void RecordChecks::commit_ended(const core::CommitEnded& event) {
  require(commit_.open, "world", "the end of a commit that was not sent");
  commit_.open = false;
  check_kept(commit_);
  if (event.result == core::CommitResult::failed) {
    std::erase_if(commit_.entries, [&](const InCommit& entry) {
      return std::ranges::find(event.settled, entry.partition) == event.settled.end();
    });
  }
  if (event.result != core::CommitResult::fenced) return take_committed(commit_);
  for (Owned& p : partitions_) p.fenced = p.fenced || (p.live && p.before_commit);
}

void RecordChecks::denied_for_good(core::LineId line, std::int64_t cost) {
  hopeless_from_[line.value] = std::min(hopeless_from_[line.value], cost);
}

// An ask says what its first record costs, and not which one it is: of those that cost the same
// each may be the one. What costs something else is ready as before.
void RecordChecks::one_set_aside(core::LineId line, std::int64_t cost, Instant until) {
  for (Shadow& shadow : records_) {
    if (shadow.state != State::waiting || shadow.orphan) continue;
    if (shadow.line == line && shadow.cost == cost) shadow.perhaps_aside_until = until;
  }
}

std::int64_t RecordChecks::wanting(core::LineId line) const {
  return line.value < line_waiting_.size() ? line_waiting_[line.value] : 0;
}

// Asked again, it is as it was when it was asked first.
void RecordChecks::check_flows_named(const core::Ask& ask) const {
  if (ask.flows == nullptr || ask.again) return;
  using Flow = std::pair<std::uint8_t, FlowId>;
  std::map<Flow, std::int64_t> waiting;
  for (const Shadow& shadow : records_) {
    if (shadow.line != ask.line || shadow.state != State::waiting) continue;
    if (!shadow.orphan && !shadow.doomed) ++waiting[{shadow.flow.level, shadow.flow.in_fleet}];
  }
  for (const AskingFlow& flow : ask.flows->flows) {
    require(flow.records >= 1 && flow.records <= waiting[Flow{flow.level, flow.id}], "flows_named",
            std::to_string(flow.records) + " records of flow " + std::to_string(flow.id.value));
  }
}

// Not counting those in flight beyond their partition's deadline: the gate may have given them up.
bool RecordChecks::uses(core::LineId line, Instant now) const {
  if (line.value >= line_records_.size() || line_records_[line.value] == 0) return false;
  return std::any_of(records_.begin(), records_.end(), [&](const Shadow& shadow) {
    if (shadow.state == State::absent || shadow.orphan || shadow.line != line) return false;
    const Owned& p = partitions_[shadow.partition.value];
    return !p.leaving || now < p.deadline || shadow.state == State::waiting;
  });
}

void RecordChecks::line_forgotten(core::LineId line) {
  targets_.line_forgotten(line);
  flows_.begin_anew(line);
  paused_lines_.erase(line);
  if (line.value < hopeless_from_.size()) hopeless_from_[line.value] = kNothingDenied;
}

}  // namespace einlass::simulation
