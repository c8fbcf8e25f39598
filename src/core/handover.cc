// The second half of Gate: how partitions come and go, and what is committed of them.
#include <algorithm>

#include "core/gate.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// After a revoked partition's deadline: how long the answer to its last commit may still take. The
// group waits for us meanwhile.
constexpr Duration kLastCommitPatience = Duration::seconds(3);

// Between commits while a partition is given back, whatever the interval is.
constexpr Duration kHurriedInterval = Duration::millis(100);

// Between commits that go out because many records have finished: a commit costs as much as a dozen
// records, here and at the broker. At 256 a commit this holds up nobody below 25,600 a second.
constexpr Duration kBusyInterval = Duration::millis(10);

}  // namespace

void Gate::on(const PartitionAssigned& event, Instant now, Commands& commands) {
  CHECK(event.route.value < options_.routes.size());
  intake_.assign(event, commands);
  // Before anything is finished: whoever has the partition next must not begin further on.
  if (event.begun) mark_dirty(event.partition, now);
  if (!stopping_) return;
  revoke(event.partition, now, commands);
  hand_over(event.partition, now, commands);
}

// The next offset may be past whatever comes next, for whom a policy would choose once more.
void Gate::on(const PartitionMoved& event, Instant now, Commands&) {
  if (!intake_.takes(event.partition)) return;
  const Offset last{event.next.value - 1};
  intake_[event.partition].ledger.knows(last);
  pass_over(event.partition, last, now);
}

void Gate::on(const PartitionRevoked& event, Instant now, Commands& commands) {
  if (!intake_.exists(event.partition)) return;
  revoke(event.partition, event.deadline, commands);
  hand_over(event.partition, now, commands);
}

void Gate::on(const PartitionLost& event, Instant now, Commands& commands) {
  if (!intake_.exists(event.partition)) return;
  intake_[event.partition].fenced = true;
  revoke(event.partition, now, commands);
  hand_over(event.partition, now, commands);
}

// Reads it no further. A second revocation can only bring the deadline forward.
void Gate::revoke(PartitionId id, Instant deadline, Commands& commands) {
  Partition& partition = intake_[id];
  const bool again = partition.phase == PartitionPhase::revoking;
  if (!again) ++revoking_;
  partition.deadline = again ? std::min(partition.deadline, deadline) : deadline;
  partition.phase = PartitionPhase::revoking;
  intake_.stop(id, commands);
}

void Gate::hand_over(PartitionId id, Instant now, Commands& commands) {
  give_back_waiting(id, now, commands);
  settle(id, now, commands);
}

void Gate::give_back_waiting(PartitionId id, Instant now, Commands& commands) {
  slots_.clear();
  intake_[id].ledger.for_each_unfinished([&](Slot slot) {
    const RecordState state = records_[slot].state;
    const bool here = records_[slot].partition == id;
    if (here && (state == RecordState::behind || state == RecordState::early ||
                 state == RecordState::ready || state == RecordState::backing_off)) {
      slots_.push_back(slot);
    }
  });
  // The newest first, so that nobody's leaving makes the next one of its lane ready.
  std::reverse(slots_.begin(), slots_.end());
  for (const Slot slot : slots_) {
    ++stats_[records_[slot].route.value].returned;
    take_leave(records_[slot], now, commands);
  }
}

void Gate::abandon_all(PartitionId id, Instant now, Commands& commands) {
  slots_.clear();
  intake_[id].ledger.for_each_unfinished([&](Slot slot) {
    const RecordState state = records_[slot].state;
    if (records_[slot].partition == id &&
        (state == RecordState::attempting || state == RecordState::dead_lettering)) {
      slots_.push_back(slot);
    }
  });
  for (const Slot slot : slots_) abandon(records_[slot], now, commands);
}

// Brings a revoked partition as far as it can go now: attempts end, then the last commit, then it
// is done.
void Gate::settle(PartitionId id, Instant now, Commands& commands) {
  Partition& partition = intake_[id];
  if (partition.phase != PartitionPhase::revoking) return;
  const Alarm alarm{Alarm::Kind::partition, id.value};
  if (records_.busy(id) > 0 && now < partition.deadline) {
    deadlines_.set(alarm, partition.deadline);
    return;
  }
  if (records_.busy(id) > 0) abandon_all(id, now, commands);
  const Instant last = partition.deadline + kLastCommitPatience;
  if (!partition.fenced && (partition.dirty || partition.in_commit) && now < last) {
    deadlines_.set(alarm, last);
    arm_commit(now);
    return;
  }
  done(id, commands);
}

void Gate::done(PartitionId id, Commands& commands) {
  deadlines_.clear({Alarm::Kind::partition, id.value});
  intake_.release(id);
  --revoking_;
  commands.push_back(PartitionDone{id});
  stop_when_done(commands);
}

void Gate::on(const StopRequested& event, Instant now, Commands& commands) {
  stopping_ = true;
  // All are held before the first record is given back: else the room would let others be read.
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    if (intake_.exists(PartitionId{i})) revoke(PartitionId{i}, event.deadline, commands);
  }
  // And all are given back before the first attempt is given up: its place would let another begin.
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    if (intake_.exists(PartitionId{i})) give_back_waiting(PartitionId{i}, now, commands);
  }
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    if (intake_.exists(PartitionId{i})) settle(PartitionId{i}, now, commands);
  }
  stop_when_done(commands);
}

void Gate::stop_when_done(Commands& commands) {
  if (!stopping_ || stopped_) return;
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    if (intake_.exists(PartitionId{i})) return;
  }
  stopped_ = true;
  commands.push_back(Stopped{});
}

// ---- commits ----

void Gate::mark_dirty(PartitionId id, Instant now) {
  Partition& partition = intake_[id];
  if (partition.dirty || partition.fenced) return;
  partition.dirty = true;
  dirty_.push_back(id);
  arm_commit(now);
}

void Gate::mark_finished(PartitionId id, Instant now) {
  mark_dirty(id, now);
  if (++finished_ >= options_.commit_records) arm_commit(now);
}

void Gate::arm_commit(Instant now) {
  if (commit_is_open_ || dirty_.empty()) return;
  Duration interval = options_.commit_interval;
  if (revoking_ > 0) interval = std::min(interval, kHurriedInterval);
  if (finished_ >= options_.commit_records) interval = std::min(interval, kBusyInterval);
  deadlines_.set({Alarm::Kind::commit, 0}, std::max(now, last_commit_ + interval));
}

void Gate::commit(Instant now, Commands& commands) {
  if (commit_is_open_) return;
  finished_ = 0;
  open_commit_.clear();
  open_commit_births_ = intake_.births();
  std::erase_if(dirty_, [this](PartitionId id) {
    Partition& partition = intake_[id];
    if (!intake_.exists(id) || !partition.dirty) return true;
    // A transaction is under way that commits it, and must not be taken back.
    if (transacts(id) && !delivery_.idle(target_of(partition.route))) return false;
    partition.dirty = false;
    if (partition.fenced) return true;
    partition.in_commit = true;
    open_commit_.push_back(entry_of(id, partition.ledger));
    return true;
  });
  if (open_commit_.empty()) return;
  commit_is_open_ = true;
  let_transactions_wait();
  last_commit_ = now;
  commands.push_back(Commit{open_commit_});
}

CommitEntry Gate::entry_of(PartitionId id, const Ledger& ledger) const {
  CommitEntry entry{id, ledger.committable(), {}};
  std::vector<OffsetRange> ranges = ledger.finished_ranges();
  // What was restored may be of another order, or of another gate. What is left out is delivered
  // again after a restart.
  do {
    entry.finished = write_finished(entry.next, ranges);
    ranges.resize(ranges.size() / 2);
  } while (entry.finished.size() > options_.most_finished_text);
  return entry;
}

void Gate::on(const CommitEnded& event, Instant now, Commands& commands) {
  if (!commit_is_open_) return;
  commit_is_open_ = false;
  let_transactions_go_on();
  const auto had_part = [this](PartitionId id) {
    return intake_.exists(id) && intake_[id].birth <= open_commit_births_;
  };
  for (const CommitEntry& entry : open_commit_) {
    if (!had_part(entry.partition)) continue;
    intake_[entry.partition].in_commit = false;
    if (event.result != CommitResult::failed) continue;
    const bool settled = std::ranges::find(event.settled, entry.partition) != event.settled.end();
    if (!settled) mark_dirty(entry.partition, now);
  }
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    const PartitionId id{i};
    if (!had_part(id)) continue;
    // The group has a new generation: whatever we had when the commit was sent may be somebody
    // else's now. What was assigned since then is of the new one.
    if (event.result == CommitResult::fenced) intake_[id].fenced = true;
    settle(id, now, commands);
  }
  arm_commit(now);
}

}  // namespace einlass::core
