// The third part of Gate: records that are delivered, and offsets that are committed, together.
//
// The offsets of a transaction say of its records that they are finished, so whoever reads on from
// there never sees them again; and if it comes to nothing, they are where they were. For each
// partition the order of what is committed is that of what finished: while a transaction is under
// way nothing else is committed of the partitions of its target's routes, and while such a commit
// is under way no transaction begins. What finished in another way, as a dead letter, is committed
// with the next transaction, or by itself where none is under way.
#include <algorithm>
#include <utility>
#include <variant>

#include "core/gate.h"

namespace einlass::core {

// Records that go together leave here alone.
void Gate::serve_targets(Instant now, Commands& commands) {
  const std::size_t before = commands.size();
  admission_.serve_waiting(now, commands);
  if (!transactional_) return;
  for (std::size_t i = before, end = commands.size(); i < end; ++i) {
    const auto* send = std::get_if<Send>(&commands[i]);
    if (send == nullptr || !transacts(send->target)) continue;
    transactions_[send->target.value].records.push_back(send->record.slot);
    if (!send->more) begin_transaction(send->target, commands);
  }
}

// REQUIRES: its records have just been sent.
void Gate::begin_transaction(TargetId target, Commands& commands) {
  Transaction& transaction = transactions_[target.value];
  transaction.births = intake_.births();
  transaction.entries.clear();
  transaction.dirty.clear();
  std::vector<Slot>& records = transaction.records;
  const auto by_partition = [this](Slot slot) { return records_[slot].partition; };
  std::ranges::sort(records, {}, by_partition);
  for (auto first = records.begin(); first != records.end();) {
    const PartitionId id = by_partition(*first);
    const auto end = std::ranges::upper_bound(first, records.end(), id, {}, by_partition);
    take_part(id, target, {first, end});
    first = end;
  }
  std::erase_if(dirty_, [&](PartitionId id) {
    if (!intake_.exists(id) || !intake_[id].dirty) return true;
    const bool goes = !intake_[id].fenced && target_of(intake_[id].route) == target;
    if (goes) take_part(id, target, {});
    return goes;
  });
  records.clear();
  commands.push_back(Transact{target, transaction.entries});
}

// Once, with all that the transaction has of it.
void Gate::take_part(PartitionId id, TargetId target, std::span<const Slot> records) {
  Transaction& transaction = transactions_[target.value];
  Partition& partition = intake_[id];
  std::vector<Ledger::Entry> finished;
  for (const Slot slot : records) finished.push_back(records_[slot].entry);
  if (std::exchange(partition.dirty, false)) transaction.dirty.push_back(id);
  partition.in_commit = true;
  transaction.entries.push_back(entry_of(id, partition.ledger.after(finished)));
}

// REQUIRES: all of its attempts have ended.
void Gate::end_transaction(TargetId target, Outcome outcome, Instant now, Commands& commands) {
  Transaction& transaction = transactions_[target.value];
  const auto had_part = [&](PartitionId id) {
    return intake_.exists(id) && intake_[id].birth <= transaction.births;
  };
  const bool committed = outcome == Outcome::accepted;
  for (const CommitEntry& entry : transaction.entries) {
    if (!had_part(entry.partition)) continue;
    Partition& partition = intake_[entry.partition];
    partition.in_commit = false;
    // What came meanwhile, behind its records, may have been finished before.
    if (committed && entry.next < partition.ledger.committable()) mark_dirty(entry.partition, now);
  }
  for (const PartitionId id : transaction.dirty) {
    if (!committed && had_part(id)) mark_dirty(id, now);
  }
  for (const CommitEntry& entry : transaction.entries) {
    if (had_part(entry.partition)) settle(entry.partition, now, commands);
  }
  arm_commit(now);
}

// The partition may be here still, and a dead letter of it about to be committed.
void Gate::finish_abandoned(const Record& record) {
  const PartitionId id = record.partition;
  if (!transacts(target_of(record.route)) || !intake_.exists(id)) return;
  if (intake_[id].birth > transactions_[target_of(record.route).value].births) return;
  intake_[id].ledger.finish(record.entry);
}

// While the open commit is under way.
void Gate::let_transactions_wait() {
  if (!transactional_) return;
  for (const CommitEntry& entry : open_commit_) {
    if (transacts(entry.partition)) {
      delivery_.set_committing(target_of(intake_[entry.partition].route), true);
    }
  }
}

void Gate::let_transactions_go_on() {
  if (!transactional_) return;
  for (std::uint16_t i = 0; i < transactions_.size(); ++i) {
    delivery_.set_committing(TargetId{i}, false);
    admission_.touch(TargetId{i});
  }
}

}  // namespace einlass::core
