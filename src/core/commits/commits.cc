#include "core/commits/commits.h"

#include <algorithm>

#include "units/check.h"

namespace einlass::core {
namespace {

// Between commits while a partition is given back, or where it begins could not be committed,
// whatever the interval is.
constexpr Duration kHurriedInterval = Duration::millis(100);

// Between commits that go out because many records have finished: a commit costs as much as a dozen
// records, here and at the broker. At 256 a commit this holds up nobody below 25,600 a second.
constexpr Duration kBusyInterval = Duration::millis(10);

}  // namespace

Commits::Commits(const GateOptions& options, const Records& records, Intake& intake,
                 Delivery& delivery, Deadlines& deadlines)
    : options_(options),
      records_(records),
      intake_(intake),
      delivery_(delivery),
      deadlines_(deadlines),
      transactions_(options.targets.size()) {
  CHECK(options.most_finished_text >= kLeastFinishedText);
  for (const TargetOptions& target : options.targets) transactional_ |= target.transactional;
}

void Commits::mark_dirty(PartitionId id, Instant now) {
  Partition& partition = intake_[id];
  if (partition.dirty || partition.fenced) return;
  partition.dirty = true;
  dirty_.push_back(id);
  arm(now);
}

void Commits::mark_finished(PartitionId id, Instant now) {
  mark_dirty(id, now);
  if (++finished_ >= options_.commit_records) arm(now);
}

void Commits::mark_begun(PartitionId id, Instant now) {
  begun_ = intake_[id].begun = true;
  mark_dirty(id, now);
}

bool Commits::may_go(PartitionId id) const {
  if (!transacts(id) || delivery_.idle(target_of(id))) return true;
  const Partition& partition = intake_[id];
  if (!partition.begun || partition.in_commit) return false;
  // Of a partition that was lost meanwhile it may be this very one that the transaction names, as
  // it was before.
  const Transaction& transaction = transactions_[target_of(id).value];
  return std::ranges::all_of(transaction.entries, [&](const CommitEntry& entry) {
    return is_of(entry.partition, transaction.births);
  });
}

void Commits::arm(Instant now) {
  if (is_open_ || dirty_.empty()) return;
  Duration interval = options_.commit_interval;
  if (intake_.revoking() > 0) interval = std::min(interval, kHurriedInterval);
  if (finished_ >= options_.commit_records) interval = std::min(interval, kBusyInterval);
  if (failed_) interval = std::min(interval, retry_);
  if (begun_) interval = Duration{};
  deadlines_.set({Alarm::Kind::commit, 0}, std::max(now, last_ + interval));
}

void Commits::send(Instant now, Commands& commands) {
  if (is_open_) return;
  finished_ = 0;
  begun_ = failed_ = false;
  open_.clear();
  births_ = intake_.births();
  std::erase_if(dirty_, [this](PartitionId id) {
    Partition& partition = intake_[id];
    if (!intake_.exists(id) || !partition.dirty) return true;
    if (!may_go(id)) return false;  // The transaction must not be taken back.
    partition.dirty = false;
    if (partition.fenced) return true;
    partition.in_commit = true;
    open_.push_back(entry_of(id, partition.ledger));
    return true;
  });
  if (open_.empty()) return;
  is_open_ = true;
  let_transactions_wait();
  last_ = now;
  commands.push_back(Commit{open_});
}

CommitEntry Commits::entry_of(PartitionId id, const Ledger& ledger) const {
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

std::span<const PartitionId> Commits::ended(const CommitEnded& event, Instant now) {
  CHECK(is_open_);
  is_open_ = false;
  retry_ =
      event.result == CommitResult::failed ? std::max(kHurriedInterval, retry_ * 2) : Duration{};
  let_transactions_go_on();
  for (const CommitEntry& entry : open_) {
    if (!is_of(entry.partition, births_)) continue;
    Partition& partition = intake_[entry.partition];
    partition.in_commit = false;
    const bool settled = std::ranges::find(event.settled, entry.partition) != event.settled.end();
    if (settled || event.result == CommitResult::committed) partition.begun = false;
    if (settled || event.result != CommitResult::failed) continue;
    failed_ |= partition.begun;
    mark_dirty(entry.partition, now);
  }
  parts_.clear();
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    const PartitionId id{i};
    if (!is_of(id, births_)) continue;
    parts_.push_back(id);
    // The group has a new generation: whatever we had when the commit was sent may be somebody
    // else's now. What was assigned since then is of the new one.
    if (event.result == CommitResult::fenced) intake_[id].fenced = true;
  }
  return parts_;
}

}  // namespace einlass::core
