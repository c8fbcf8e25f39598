// Of Gate: how partitions come and go.
#include <algorithm>
#include <span>

#include "core/gate/gate.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// After a revoked partition's deadline: how long the answer to its last commit may still take. The
// group waits for us meanwhile.
constexpr Duration kLastCommitPatience = Duration::seconds(3);

}  // namespace

void Gate::on(const PartitionAssigned& event, Instant now, Commands& commands) {
  CHECK(event.route.value < options_.routes.size());
  intake_.assign(event, commands);
  // Before anything is finished: whoever has the partition next must not begin further on.
  if (event.begun) commits_.mark_begun(event.partition, now);
  if (!stopping_) return;
  intake_.revoke(event.partition, now, commands);
  hand_over(event.partition, now, commands);
}

// The next offset may be past whatever comes next, for whom a policy would choose once more; and it
// has chosen this place, as where a partition begins.
void Gate::on(const PartitionMoved& event, Instant now, Commands& commands) {
  if (!intake_.takes(event.partition)) return;
  const Offset last{event.next.value - 1};
  Ledger& ledger = intake_[event.partition].ledger;
  const Offset before = ledger.committable();
  ledger.knows(last);
  pass_over(event.partition, last, now);
  if (ledger.committable() != before) commits_.mark_begun(event.partition, now);
  intake_.passed_over(event.partition, commands);
}

void Gate::on(const PartitionRevoked& event, Instant now, Commands& commands) {
  if (!intake_.exists(event.partition)) return;
  intake_.revoke(event.partition, event.deadline, commands);
  hand_over(event.partition, now, commands);
}

void Gate::on(const PartitionLost& event, Instant now, Commands& commands) {
  if (!intake_.exists(event.partition)) return;
  intake_[event.partition].fenced = true;
  intake_.revoke(event.partition, now, commands);
  hand_over(event.partition, now, commands);
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
    commits_.arm(now);
    return;
  }
  done(id, commands);
}

void Gate::done(PartitionId id, Commands& commands) {
  deadlines_.clear({Alarm::Kind::partition, id.value});
  intake_.release(id);
  commands.push_back(PartitionDone{id});
  stop_when_done(commands);
}

void Gate::on(const StopRequested& event, Instant now, Commands& commands) {
  stopping_ = true;
  // All are held before the first record is given back: else the room would let others be read.
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    if (intake_.exists(PartitionId{i})) intake_.revoke(PartitionId{i}, event.deadline, commands);
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

// What a revoked partition waits for may be this answer.
void Gate::on(const CommitEnded& event, Instant now, Commands& commands) {
  if (!commits_.is_open()) return;
  const std::span<const PartitionId> parts = commits_.ended(event, now);
  for (std::uint16_t i = 0; i < options_.targets.size(); ++i) {
    if (commits_.transacts(TargetId{i})) admission_.touch(TargetId{i});
  }
  for (const PartitionId id : parts) settle(id, now, commands);
  commits_.arm(now);
}

}  // namespace einlass::core
