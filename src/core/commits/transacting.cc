// The second half of Commits: records that are delivered, and offsets that are committed, together.
#include <algorithm>
#include <utility>
#include <variant>

#include "core/commits/commits.h"

namespace einlass::core {

void Commits::begin_transactions(std::size_t from, Commands& commands) {
  if (!transactional_) return;
  for (std::size_t i = from, end = commands.size(); i < end; ++i) {
    const auto* send = std::get_if<Send>(&commands[i]);
    if (send == nullptr || !transacts(send->target)) continue;
    transactions_[send->target.value].records.push_back(send->record.slot);
    if (!send->more) begin_transaction(send->target, commands);
  }
}

void Commits::begin_transaction(TargetId target, Commands& commands) {
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
    const bool goes = !intake_[id].fenced && target_of(id) == target;
    if (goes) take_part(id, target, {});
    return goes;
  });
  records.clear();
  commands.push_back(Transact{target, transaction.entries});
}

// Once, with all that the transaction has of it.
void Commits::take_part(PartitionId id, TargetId target, std::span<const Slot> records) {
  Transaction& transaction = transactions_[target.value];
  Partition& partition = intake_[id];
  std::vector<Ledger::Entry> finished;
  for (const Slot slot : records) finished.push_back(records_[slot].entry);
  if (std::exchange(partition.dirty, false)) transaction.dirty.push_back(id);
  partition.in_commit = true;
  transaction.entries.push_back(entry_of(id, partition.ledger.after(finished)));
}

std::span<const PartitionId> Commits::end_transaction(TargetId target, Outcome outcome,
                                                      Instant now) {
  const Transaction& transaction = transactions_[target.value];
  const bool committed = outcome == Outcome::accepted;
  parts_.clear();
  for (const CommitEntry& entry : transaction.entries) {
    if (!is_of(entry.partition, transaction.births)) continue;
    parts_.push_back(entry.partition);
    Partition& partition = intake_[entry.partition];
    partition.in_commit = false;
    if (committed) partition.begun = false;
    failed_ |= partition.begun;
    // What came meanwhile, behind its records, may have been finished before.
    if (committed && entry.next < partition.ledger.committable()) mark_dirty(entry.partition, now);
  }
  for (const PartitionId id : transaction.dirty) {
    if (!committed && is_of(id, transaction.births)) mark_dirty(id, now);
  }
  return parts_;
}

void Commits::finish_abandoned(const Record& record) {
  const TargetId target = options_.routes[record.route.value].target;
  if (!transacts(target)) return;
  if (!is_of(record.partition, transactions_[target.value].births)) return;
  intake_[record.partition].ledger.finish(record.entry);
}

// None begins while a commit is open of partitions of its target.
void Commits::let_transactions_wait() {
  if (!transactional_) return;
  for (const CommitEntry& entry : open_) {
    if (transacts(entry.partition)) delivery_.set_committing(target_of(entry.partition), true);
  }
}

// Some of its partitions may be others by now.
void Commits::let_transactions_go_on() {
  if (!transactional_) return;
  for (std::uint16_t i = 0; i < transactions_.size(); ++i) {
    delivery_.set_committing(TargetId{i}, false);
  }
}

}  // namespace einlass::core
