// What RecordChecks says of records that are delivered, and offsets that are committed, together.
#include <algorithm>
#include <string>

#include "record_checks.h"
#include "trace.h"

namespace einlass::simulation {

bool RecordChecks::transacts(core::TargetId target) const {
  return settings_.gate.targets[target.value].transactional;
}

core::TargetId RecordChecks::target_of(core::RouteId route) const {
  return settings_.gate.routes[route.value].target;
}

// A commit is open that has a partition of one of the target's routes.
bool RecordChecks::commits_of(core::TargetId target) const {
  return commit_.open && transacts(target) &&
         std::any_of(commit_.entries.begin(), commit_.entries.end(),
                     [target](const InCommit& entry) { return entry.target == target; });
}

void RecordChecks::transact(const core::Transact& command, Instant now) {
  const core::TargetId target = command.target;
  const std::string name = std::to_string(target.value);
  Transaction& transaction = transactions_[target.value];
  require(transacts(target), "transact_unasked", name);
  require(!transaction.open, "one_transaction", name);
  require(!commits_of(target), "transact_during_commit", name);
  transaction.open = true;
  transaction.entries.clear();
  transaction.kept = command.entries;
  transaction.left = static_cast<std::uint32_t>(
      std::count_if(records_.begin(), records_.end(),
                    [&](const Shadow& shadow) { return is_of(shadow, transaction); }));
  require(transaction.left > 0, "transact_nothing", name);
  for (const core::CommitEntry& entry : command.entries) {
    const std::uint64_t news = check_entry(transaction, entry, target, now);
    add_entry(transaction, entry, news);
  }
  check_none_left_out(transaction, target, now);
}

bool RecordChecks::is_of(const Shadow& shadow, const Transaction& transaction) {
  return shadow.state == State::sent && !shadow.orphan && shadow.request == transaction.request;
}

// It says what is finished, and of the request's own records that they are. What finishes with it.
std::uint64_t RecordChecks::check_entry(const Transaction& transaction,
                                        const core::CommitEntry& entry, core::TargetId target,
                                        Instant now) const {
  const std::string name = std::to_string(entry.partition.value);
  require(live(entry.partition), "partition_not_assigned", "transaction of partition " + name);
  const Owned& p = partitions_[entry.partition.value];
  require(!p.lost, "transact_lost", name);
  require(target_of(p.route) == target, "transact_target", name);
  Owned after;
  after.arrivals = p.arrivals;
  after.known = p.known;
  after.newest = p.newest;
  after.finished_to = p.finished_to;
  after.finished_least = p.finished_least;
  std::uint64_t own = 0;
  for (const Shadow& shadow : records_) {
    if (!is_of(shadow, transaction) || shadow.partition != entry.partition) continue;
    ++own;
    for (Arrival& arrival : after.arrivals) arrival.finished |= arrival.offset == shadow.offset;
  }
  settle(after);
  // Whoever is fenced may not know it yet of what it sends; nothing else goes with that.
  require(own > 0 || !p.fenced, "transact_fenced", name);
  require(entry.next <= after.finished_to, "transact_unfinished",
          std::to_string(entry.next.value) + ", finished to " +
              std::to_string(after.finished_to.value));
  const bool unsure = p.leaving && now >= p.deadline;
  require(unsure || entry.next >= after.finished_least, "transact_too_little",
          std::to_string(entry.next.value) + ", finished to " +
              std::to_string(after.finished_least.value));
  check_finished(after, entry);
  return p.news + own;
}

// Each record has its partition there, and so has whatever finished in another way.
void RecordChecks::check_none_left_out(const Transaction& transaction, core::TargetId target,
                                       Instant now) const {
  const auto has = [&transaction](core::PartitionId id) {
    return std::any_of(transaction.entries.begin(), transaction.entries.end(),
                       [id](const InCommit& entry) { return entry.partition == id; });
  };
  for (const Shadow& shadow : records_) {
    if (!is_of(shadow, transaction)) continue;
    require(has(shadow.partition), "transact_record_left_out", std::to_string(shadow.id.slot));
  }
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
    const Owned& p = partitions_[i];
    if (!p.live || p.fenced || p.lost || target_of(p.route) != target) continue;
    if (p.news == p.news_committed || (p.leaving && now >= p.deadline)) continue;
    require(has(core::PartitionId{i}), "transact_left_out", std::to_string(i));
  }
}

// After each event: whatever was sent to such a target was sent in a transaction.
void RecordChecks::check_transacted() const {
  for (std::uint16_t i = 0; i < transactions_.size(); ++i) {
    if (!transacts(core::TargetId{i})) continue;
    require((in_flight_[i] > 0) == transactions_[i].open, "transact_missing", std::to_string(i));
  }
}

// The last of its attempts is its end: they all end alike.
void RecordChecks::end_in_transaction(core::TargetId target, core::Outcome outcome) {
  Transaction& transaction = transactions_[target.value];
  require(transaction.open && transaction.left > 0, "world", "an end of no transaction");
  if (--transaction.left > 0) return;
  transaction.open = false;
  --in_flight_[target.value];
  check_kept(transaction);
  if (outcome == core::Outcome::accepted) take_committed(transaction);
}

bool RecordChecks::has(const Sent& sent, core::PartitionId id, const Owned& partition) {
  return sent.open &&
         std::any_of(sent.entries.begin(), sent.entries.end(), [&](const InCommit& entry) {
           return entry.partition == id && entry.use == partition.use;
         });
}

bool RecordChecks::in_transaction(core::PartitionId id, const Owned& partition) const {
  return std::any_of(transactions_.begin(), transactions_.end(),
                     [&](const Transaction& each) { return has(each, id, partition); });
}

// Until its end the entries are the gate's, and stay as they were.
void RecordChecks::check_kept(const Sent& sent) {
  for (std::size_t i = 0; i < sent.entries.size(); ++i) {
    const InCommit& entry = sent.entries[i];
    require(sent.kept[i].partition == entry.partition && sent.kept[i].next == entry.next &&
                sent.kept[i].finished == entry.finished,
            "commit_entries_live", "entries of an open commit have changed");
  }
}

void RecordChecks::take_committed(const Sent& sent) {
  for (const InCommit& entry : sent.entries) {
    Owned& p = partitions_[entry.partition.value];
    if (!p.live || p.use != entry.use) continue;
    p.next = entry.next;
    p.finished = entry.finished;
    p.begun = false;
    p.news_committed = entry.news;
  }
}

bool RecordChecks::idle() const {
  return open_records_ == 0 && !commit_.open &&
         std::none_of(transactions_.begin(), transactions_.end(),
                      [](const Transaction& each) { return each.open; });
}

}  // namespace einlass::simulation
