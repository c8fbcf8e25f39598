#include "record_checks.h"

#include <algorithm>
#include <string>

#include "trace.h"

namespace einlass::simulation {
namespace {

// Records sent back and forth at the very end of a revoke: the last commit may be under way when
// the deadline comes, and it and one more may be slow.
constexpr Duration kGraceAfterDeadline = Duration::seconds(5);

void require(bool holds, const char* check, const std::string& detail) {
  if (!holds) throw Failure(check, detail);
}

std::string text(core::RecordId id) {
  return "record " + std::to_string(id.slot) + " use " + std::to_string(id.use);
}

}  // namespace

RecordChecks::RecordChecks(const Settings& settings)
    : settings_(settings),
      books_(settings.routes.size()),
      in_flight_(settings.gate.targets.size()),
      target_held_until_(settings.gate.targets.size()) {}

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
  fresh.next = fresh.finished_least = fresh.finished_to = event.next;
  partitions_[event.partition.value] = std::move(fresh);
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

// Partitions beyond their deadline do not count: the gate may have given them up.
void RecordChecks::check_bounds(const Owned& to, Instant now) const {
  const core::RouteOptions& options = settings_.gate.routes[to.route.value];
  require(to.records < options.inside_records, "bound_partition_records",
          std::to_string(to.records));
  require(to.bytes < options.inside_bytes.value, "bound_partition_bytes", std::to_string(to.bytes));
  std::int64_t records = 0, bytes = 0;
  for (const Owned& p : partitions_) {
    if (!p.live || (p.leaving && now >= p.deadline)) continue;
    records += p.records;
    bytes += p.bytes;
  }
  require(records < settings_.gate.inside_records, "bound_records", std::to_string(records));
  require(bytes < settings_.gate.inside_bytes.value, "bound_bytes", std::to_string(bytes));
}

void RecordChecks::arrived(const core::RecordArrived& event, Instant now) {
  Owned& p = owned(event.partition, "arrival");
  const core::RouteOptions& options = settings_.gate.routes[p.route.value];
  require(!p.held && !p.leaving, "world", "a record of a held partition");
  check_bounds(p, now);
  if (records_.size() <= event.record.slot) records_.resize(event.record.slot + 1);
  const std::size_t lines = std::max<std::size_t>(line_records_.size(), event.line.value + 1);
  line_records_.resize(lines);
  line_waiting_.resize(lines);
  line_hopeless_.resize(lines);
  Shadow shadow;
  shadow.state = State::waiting;
  shadow.id = event.record;
  shadow.route = p.route;
  shadow.partition = event.partition;
  shadow.line = event.line;
  shadow.offset = event.offset;
  shadow.size = event.size;
  const bool laned =
      options.order == core::Order::partition || (options.order == core::Order::key && event.lane);
  if (options.order == core::Order::key) shadow.lane = event.lane;
  if (laned) p.lanes[shadow.lane].insert(event.offset);
  records_[event.record.slot] = shadow;
  p.arrivals.push_back({event.offset});
  if (p.arrivals.size() == 1) p.finished_to = event.offset;
  ++p.records, ++p.waiting, ++inside_records_, ++open_records_;
  p.bytes += event.size.value;
  ++line_records_[event.line.value], ++line_waiting_[event.line.value];
  ++books_[p.route.value].received, ++books_[p.route.value].inside;
}

// The record's offset is finished: it leaves its lane, and what may be committed moves on.
void RecordChecks::finish(Shadow& shadow) {
  shadow.state = State::finished;
  ++finished_unforgotten_;
  if (shadow.orphan) return;
  Owned& p = partitions_[shadow.partition.value];
  if (const auto lane = p.lanes.find(shadow.lane); lane != p.lanes.end()) {
    lane->second.erase(shadow.offset);
    if (lane->second.empty()) p.lanes.erase(lane);
  }
  const auto at = std::lower_bound(p.arrivals.begin(), p.arrivals.end(), shadow.offset,
                                   [](const Arrival& a, Offset o) { return a.offset < o; });
  at->finished = true;
  while (!p.arrivals.empty() && p.arrivals.front().finished) {
    p.finished_to = p.finished_least = Offset{p.arrivals.front().offset.value + 1};
    p.arrivals.pop_front();
  }
  if (!p.arrivals.empty()) p.finished_to = p.arrivals.front().offset;
}

void RecordChecks::delivery_ended(const core::DeliveryEnded& event, Instant now) {
  Shadow* shadow = find(event.record);
  if (!shadow || shadow->state != State::sent || shadow->attempt != event.attempt.value) return;
  const std::size_t target = settings_.gate.routes[shadow->route.value].target.value;
  --in_flight_[target];
  if (event.hold_target) {
    target_held_until_[target] = std::max(target_held_until_[target], now + *event.hold_target);
  }
  Books& books = books_[shadow->route.value];
  if (shadow->orphan) return finish(*shadow);
  --books.in_flight;
  const Owned& p = partitions_[shadow->partition.value];
  ++(p.leaving && now >= p.deadline ? books.unsure_attempts
                                    : books.attempts[static_cast<std::size_t>(event.outcome)]);
  shadow->outcome = event.outcome;
  shadow->failed_at = now;
  if (event.outcome == core::Outcome::accepted) {
    ++(p.leaving && now >= p.deadline ? books.unsure : books.delivered);
    return finish(*shadow);
  }
  shadow->state = State::waiting;
  ++partitions_[shadow->partition.value].waiting;
  ++line_waiting_[shadow->line.value];
}

void RecordChecks::dead_letter_ended(const core::DeadLetterEnded& event, Instant now) {
  Shadow* shadow = find(event.record);
  if (!shadow || shadow->state != State::dead_lettering) return;
  if (shadow->orphan) return finish(*shadow);
  Books& books = books_[shadow->route.value];
  --books.in_flight;
  shadow->failed_at = now;
  const Owned& p = partitions_[shadow->partition.value];
  if (event.acknowledged) {
    ++(p.leaving && now >= p.deadline ? books.unsure
                                      : books.dead[static_cast<std::size_t>(shadow->reason)]);
    return finish(*shadow);
  }
  shadow->state = State::waiting;
  ++partitions_[shadow->partition.value].waiting;
}

void RecordChecks::commit_ended(core::CommitResult result) {
  require(commit_open_, "world", "the end of a commit that was not sent");
  commit_open_ = false;
  for (std::size_t i = 0; i < in_commit_.size(); ++i) {
    const InCommit& entry = in_commit_[i];
    require(
        commit_entries_[i].partition == entry.partition && commit_entries_[i].next == entry.next,
        "commit_entries_live", "entries of an open commit have changed");
    Owned& p = partitions_[entry.partition.value];
    if (!p.live || p.use != entry.use) continue;
    if (result == core::CommitResult::committed) p.next = entry.next;
    if (result == core::CommitResult::fenced) p.fenced = true;
  }
}

void RecordChecks::line_denied_for_good(core::LineId line) { line_hopeless_[line.value] = true; }

void RecordChecks::check_lane(const Shadow& shadow) const {
  const auto& lanes = partitions_[shadow.partition.value].lanes;
  const auto lane = lanes.find(shadow.lane);
  if (lane == lanes.end() || !lane->second.contains(shadow.offset)) return;
  require(*lane->second.begin() == shadow.offset, "order_in_lane",
          "offset " + std::to_string(shadow.offset.value) + " leaves before " +
              std::to_string(lane->second.begin()->value));
}

void RecordChecks::send(const core::Send& command, Instant now) {
  Shadow* shadow = find(command.record);
  require(shadow && !shadow->orphan, "send_unknown_record", text(command.record));
  require(shadow->state == State::waiting, "one_attempt_at_a_time", text(command.record));
  Owned& p = owned(shadow->partition, "send");
  require(!p.leaving, "send_after_revoke", text(command.record));
  require(!shadow->doomed, "send_dead_letter", text(command.record));
  require(command.attempt.value == shadow->attempt + 1, "attempt_number",
          std::to_string(command.attempt.value));
  const core::RouteOptions& options = settings_.gate.routes[shadow->route.value];
  require(
      options.attempts == 0 || !options.dead_letter || command.attempt.value <= options.attempts,
      "attempts_bound", std::to_string(command.attempt.value));
  require(!options.dead_letter || shadow->outcome != core::Outcome::refused, "send_refused",
          text(command.record));
  require(command.target == options.target, "target", std::to_string(command.target.value));
  require(
      in_flight_[command.target.value] < settings_.gate.targets[command.target.value].max_in_flight,
      "bound_in_flight", std::to_string(in_flight_[command.target.value]));
  require(now >= target_held_until_[command.target.value], "retry_after",
          std::to_string((target_held_until_[command.target.value] - now).us) + " us too early");
  check_lane(*shadow);
  shadow->state = State::sent;
  shadow->attempt = command.attempt.value;
  ++in_flight_[command.target.value], ++books_[shadow->route.value].in_flight;
  --p.waiting, --line_waiting_[shadow->line.value];
}

void RecordChecks::dead_letter(const core::DeadLetter& command) {
  Shadow* shadow = find(command.record);
  require(shadow && !shadow->orphan, "dead_letter_unknown_record", text(command.record));
  require(shadow->state == State::waiting, "dead_letter_once", text(command.record));
  const core::RouteOptions& options = settings_.gate.routes[shadow->route.value];
  require(options.dead_letter, "dead_letter_without_topic", text(command.record));
  check_lane(*shadow);
  if (shadow->doomed) {
    require(command.reason == shadow->reason, "dead_letter_reason", "changed");
  } else if (command.reason == core::DeadLetterReason::refused) {
    require(shadow->outcome == core::Outcome::refused, "dead_letter_reason", "refused");
  } else if (command.reason == core::DeadLetterReason::attempts) {
    require(shadow->outcome == core::Outcome::retry && options.attempts > 0 &&
                shadow->attempt == options.attempts,
            "dead_letter_reason", "attempts");
  } else {
    require(line_hopeless_[shadow->line.value], "dead_letter_reason", "never");
  }
  if (!shadow->doomed) --line_waiting_[shadow->line.value];
  shadow->doomed = true;
  shadow->reason = command.reason;
  shadow->state = State::dead_lettering;
  --partitions_[shadow->partition.value].waiting;
  ++books_[shadow->route.value].in_flight;
}

void RecordChecks::forget(core::RecordId record) {
  Shadow* shadow = find(record);
  require(shadow, "forget_once", text(record));
  require(shadow->state != State::sent && shadow->state != State::dead_lettering,
          "forget_in_flight", text(record));
  const Owned& p = partitions_[shadow->partition.value];
  if (shadow->state == State::finished) {
    --finished_unforgotten_;
  } else {
    require(p.live && p.leaving, "forget_unfinished", text(record));
  }
  left(*shadow);
  --open_records_;
  shadow->state = State::absent;
}

// Out of the partition's and the gate's bounds and of the line. Done once: by an orphan when it
// becomes one.
void RecordChecks::left(Shadow& shadow) {
  if (shadow.orphan) return;
  Owned& p = partitions_[shadow.partition.value];
  --p.records, --inside_records_;
  p.bytes -= shadow.size.value;
  --line_records_[shadow.line.value];
  --books_[shadow.route.value].inside;
  if (shadow.state != State::waiting) return;
  --p.waiting;
  if (!shadow.doomed) --line_waiting_[shadow.line.value];
}

void RecordChecks::hold(core::PartitionId partition) {
  Owned& p = owned(partition, "hold");
  require(!p.held, "hold_twice", std::to_string(partition.value));
  p.held = true;
}

void RecordChecks::read(core::PartitionId partition) {
  Owned& p = owned(partition, "read");
  require(p.held, "read_twice", std::to_string(partition.value));
  require(!p.leaving, "read_after_revoke", std::to_string(partition.value));
  p.held = false;
}

void RecordChecks::commit(const core::Commit& command) {
  require(!commit_open_, "one_commit", "a commit is open");
  require(!command.entries.empty(), "commit_empty", "");
  commit_open_ = true;
  commit_entries_ = command.entries;
  in_commit_.clear();
  for (const core::CommitEntry& entry : command.entries) {
    const Owned& p = owned(entry.partition, "commit");
    require(!p.lost, "commit_lost", std::to_string(entry.partition.value));
    require(!p.fenced, "commit_fenced", std::to_string(entry.partition.value));
    require(
        entry.next <= p.finished_to, "commit_unfinished",
        std::to_string(entry.next.value) + ", finished to " + std::to_string(p.finished_to.value));
    require(entry.next > p.next, "commit_nothing_new", std::to_string(entry.next.value));
    for (const InCommit& other : in_commit_) {
      require(other.partition != entry.partition, "commit_partition_twice", "");
    }
    in_commit_.push_back({entry.partition, p.use, entry.next});
  }
}

void RecordChecks::partition_done(core::PartitionId partition, Instant now) {
  Owned& p = owned(partition, "end");
  const std::string name = std::to_string(partition.value);
  require(p.leaving, "done_unasked", name);
  require(p.waiting == 0, "done_with_records", name);
  if (!p.lost) {
    for (const InCommit& entry : in_commit_) {
      require(!commit_open_ || entry.partition != partition || entry.use != p.use,
              "done_before_commit_ended", name);
    }
    if (now < p.deadline) {
      require(p.records == 0, "done_in_flight", name);
      require(p.fenced || p.next >= p.finished_least, "done_uncommitted", name);
    }
  }
  for (Shadow& shadow : records_) {
    if (shadow.state == State::absent || shadow.orphan || shadow.partition != partition) continue;
    left(shadow);
    shadow.orphan = true;
    Books& books = books_[shadow.route.value];
    if (shadow.state != State::finished) --books.in_flight;
  }
  p.live = false;
}

void RecordChecks::stopped() {
  require(stopping_, "stopped_unasked", "");
  for (const Owned& p : partitions_) require(!p.live, "stopped_before_done", "");
  stopped_ = true;
}

void RecordChecks::check_leaving(core::PartitionId id, const Owned& p, Instant now) const {
  const std::string name = std::to_string(id.value);
  require(!p.lost, "lost_not_done", name);
  require(p.waiting == 0, "returned_at_once", name);
  require(p.deadline == kNever || now <= p.deadline + kGraceAfterDeadline, "done_late", name);
}

// In flight beyond the deadline: the gate may have given them up already, or be about to.
std::uint64_t RecordChecks::may_be_orphans(core::RouteId route, Instant now) const {
  std::int64_t sum = 0;
  for (const Owned& p : partitions_) {
    if (p.live && p.leaving && p.route == route && now >= p.deadline) sum += p.records;
  }
  return static_cast<std::uint64_t>(sum);
}

void RecordChecks::check_books(const core::Gate& gate, core::RouteId route, Instant now) const {
  const core::RouteStats& stats = gate.stats(route);
  const Books& books = books_[route.value];
  const std::uint64_t unsure = may_be_orphans(route, now);
  const auto within = [](std::uint64_t value, std::uint64_t least, std::uint64_t more,
                         const char* name) {
    require(value >= least && value <= least + more, name,
            std::to_string(value) + ", expected " + std::to_string(least) + " to " +
                std::to_string(least + more));
  };
  within(stats.received, books.received, 0, "books_received");
  within(stats.delivered, books.delivered, books.unsure, "books_delivered");
  within(stats.attempts_accepted, books.attempts[0], books.unsure_attempts, "books_attempts");
  within(stats.attempts_retry, books.attempts[1], books.unsure_attempts, "books_attempts");
  within(stats.attempts_refused, books.attempts[2], books.unsure_attempts, "books_attempts");
  std::uint64_t dead = 0;
  for (std::size_t i = 0; i < books.dead.size(); ++i) {
    within(stats.dead_lettered[i], books.dead[i], books.unsure, "books_dead_lettered");
    dead += stats.dead_lettered[i];
  }
  within(stats.inside + unsure, books.inside, unsure, "books_inside");
  require(stats.received == stats.delivered + dead + stats.returned + stats.inside, "books_closed",
          "");
  const core::Waiting w = gate.waiting(route, now);
  within(w.in_flight + unsure, books.in_flight, unsure, "waiting_in_flight");
  const std::uint64_t sum = w.limit + w.target + w.retry + w.order + w.outage + w.in_flight;
  require(sum == stats.inside, "waiting_sum",
          std::to_string(sum) + " of " + std::to_string(stats.inside));
}

void RecordChecks::check(const core::Gate& gate, Instant now) const {
  require(finished_unforgotten_ == 0, "forget_in_turn", std::to_string(finished_unforgotten_));
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const Owned& p = partitions_[i];
    if (!p.live) continue;
    if (p.leaving) check_leaving(core::PartitionId{static_cast<std::uint32_t>(i)}, p, now);
    require(p.leaving || !p.held || inside_records_ > 0, "held_for_nothing", std::to_string(i));
  }
  for (std::size_t i = 0; i < books_.size(); ++i) {
    check_books(gate, core::RouteId{static_cast<std::uint16_t>(i)}, now);
  }
}

void RecordChecks::check_waiting(const core::Gate& gate, Instant now) const {
  std::vector<std::uint64_t> backing_off(books_.size());
  for (const Shadow& shadow : records_) {
    const Duration most = settings_.gate.routes[shadow.route.value].retry_max;
    if (shadow.state == State::waiting && !shadow.orphan && shadow.failed_at + most > now) {
      ++backing_off[shadow.route.value];
    }
  }
  for (std::size_t i = 0; i < books_.size(); ++i) {
    const core::Waiting waiting = gate.waiting(core::RouteId{static_cast<std::uint16_t>(i)}, now);
    const std::uint64_t retry = waiting.retry;
    const std::size_t target = settings_.gate.routes[i].target.value;
    const bool room = now >= target_held_until_[target] &&
                      in_flight_[target] < settings_.gate.targets[target].max_in_flight;
    require(waiting.target == 0 || !room, "room_unused",
            std::to_string(waiting.target) + " wait for the target");
    require(
        retry <= backing_off[i], "backoff_too_long",
        std::to_string(retry) + " wait to try again, " + std::to_string(backing_off[i]) + " may");
  }
}

std::int64_t RecordChecks::wanting(core::LineId line) const {
  return line.value < line_waiting_.size() ? line_waiting_[line.value] : 0;
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
  if (line.value < line_hopeless_.size()) line_hopeless_[line.value] = false;
}

}  // namespace einlass::simulation
