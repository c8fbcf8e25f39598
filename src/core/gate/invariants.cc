// What holds the parts of the gate together, as their headers number it (Admission's are in
// admission/admission_invariants.cc), and the books of the whole. Slow: for tests.
#include <algorithm>
#include <vector>

#include "core/gate/gate.h"
#include "units/check.h"

namespace einlass::core {
namespace {

template <class Visit>
void for_each_record(const Records& records, Visit visit) {
  for (Slot slot = 0; slot < records.slots(); ++slot) {
    if (const Record* record = records.in(slot)) visit(*record);
  }
}

// An abandoned one is Kafka's again.
bool is_inside(const Record& record) { return record.state != RecordState::abandoned; }

bool is_at_target(const Record& record) {
  return record.state == RecordState::attempting || (!is_inside(record) && !record.doom);
}

}  // namespace

void Delivery::check_invariants(Instant now) const {
  std::vector<std::uint32_t> in_flight(targets_.size());
  for_each_record(records_, [&](const Record& record) {
    const TargetId target = options_.routes[record.route.value].target;
    const bool counts = record.leads || options_.targets[target.value].transactional;
    in_flight[target.value] += counts && is_at_target(record);
  });
  for (std::uint16_t i = 0; i < targets_.size(); ++i) {
    CHECK(targets_[i].in_flight == in_flight[i]);
    const Instant until = held_until(TargetId{i});
    CHECK(until <= now || deadlines_.when({Alarm::Kind::target, i}) == until);
  }
}

void Intake::check_invariants(const Records& records) const {
  std::vector<Free> inside(partitions_.size());
  Free all;
  for_each_record(records, [&](const Record& record) {
    if (!is_inside(record)) return;
    for (Free* one : {&inside[record.partition.value], &all}) {
      ++one->records;
      one->bytes += record.size.value;
    }
  });
  CHECK(records_ == all.records && bytes_.value == all.bytes);
  std::uint32_t revoking = 0;
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const Partition& partition = partitions_[i];
    CHECK(partition.records == inside[i].records && partition.bytes.value == inside[i].bytes);
    if (partition.phase == PartitionPhase::absent) continue;
    const bool given_back = partition.phase == PartitionPhase::revoking;
    revoking += given_back;
    CHECK(partition.held || !(given_back || is_paused(partition) || gate_full(kFull)));
    CHECK(!partition.held || given_back || is_paused(partition) || full_ || partition.records > 0);
    std::int64_t unfinished = 0;
    partition.ledger.for_each_unfinished([&](Slot) { ++unfinished; });
    // A record that was given back is unfinished in the ledger, but no longer inside.
    CHECK(unfinished >= partition.records);
  }
  CHECK(revoking_ == revoking);
}

void Lanes::check_invariants(const Records& records) const {
  std::uint32_t in_order = 0, in_lanes = 0, with_records = 0;
  for_each_record(records,
                  [&](const Record& one) { in_order += is_inside(one) && one.lane != kNone; });
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    if (lane.records.empty()) continue;
    CHECK(index_.find(lane.hash) == i);
    const Record& head = records[lane.records.front()];
    CHECK(head.state != RecordState::behind);
    const Record* last = nullptr;
    for (Slot slot = lane.records.front(); slot != kNoSlot; slot = records[slot].in_lane.next) {
      const Record& record = records[slot];
      CHECK(record.lane == i && is_inside(record));
      CHECK(record.route == head.route && record.partition == head.partition);
      CHECK(last == nullptr || last->entry < record.entry);
      last = &record;
      ++in_lanes;
    }
    ++with_records;
  }
  CHECK(in_lanes == in_order);
  CHECK(index_.size() == with_records && lanes_.size() == with_records + unused_.size());
}

void Commits::check_invariants() const {
  std::vector<bool> in_commit(intake_.all().size());
  const auto add = [&](const std::vector<CommitEntry>& entries, std::uint64_t births) {
    for (const CommitEntry& entry : entries) {
      if (is_of(entry.partition, births)) in_commit[entry.partition.value] = true;
    }
  };
  if (is_open_) add(open_, births_);
  for (std::uint16_t i = 0; i < transactions_.size(); ++i) {
    if (!transacts(TargetId{i}) || delivery_.idle(TargetId{i})) continue;
    add(transactions_[i].entries, transactions_[i].births);
  }
  for (const CommitEntry& entry : open_) {
    if (!is_open_ || !is_of(entry.partition, births_) || !transacts(entry.partition)) continue;
    const TargetId target = target_of(entry.partition);
    if (delivery_.idle(target)) continue;
    const Transaction& transaction = transactions_[target.value];
    CHECK(!is_of(entry.partition, transaction.births) ||
          std::ranges::find(transaction.entries, entry.partition, &CommitEntry::partition) ==
              transaction.entries.end());
  }
  bool dirty = false;
  for (std::uint32_t i = 0; i < intake_.all().size(); ++i) {
    const PartitionId id{i};
    if (!intake_.exists(id)) continue;
    CHECK(intake_[id].in_commit == in_commit[i]);
    if (!intake_[id].dirty) continue;
    CHECK(std::ranges::find(dirty_, id) != dirty_.end());
    dirty |= may_go(id);
  }
  CHECK(!dirty || is_open_ || deadlines_.when({Alarm::Kind::commit, 0}));
}

// Each record that came is somewhere, and what is said of those inside is said of each once.
void Gate::check_books() const {
  const std::vector<Waiting> waits = waiting(now_);
  for (std::size_t i = 0; i < stats_.size(); ++i) {
    const RouteStats& stats = stats_[i];
    const RouteId route{static_cast<std::uint16_t>(i)};
    std::uint64_t gone = stats.delivered + stats.returned + stats.filtered;
    for (const std::uint64_t dead : stats.dead_lettered) gone += dead;
    CHECK(stats.received == gone + stats.inside);
    std::uint64_t present = 0;
    for (const RecordState state :
         {RecordState::behind, RecordState::early, RecordState::ready, RecordState::attempting,
          RecordState::backing_off, RecordState::dead_lettering}) {
      present += records_.count(route, state);
    }
    CHECK(present == stats.inside);
    const Waiting& waiting = waits[i];
    std::uint64_t all = 0, behind = 0, first = 0;
    for (const std::uint64_t count : waiting.records.counts) all += count;
    for (const std::uint64_t count : waiting.behind.counts) behind += count;
    for (const Cause cause : {Cause::limit, Cause::target, Cause::outage, Cause::paused}) {
      first += waiting.records[cause] - waiting.behind[cause];
    }
    CHECK(all == stats.inside);
    CHECK(behind == records_.count(route, RecordState::behind));
    CHECK(first == records_.count(route, RecordState::ready) + stats.never);
  }
}

void Gate::check_invariants() const {
  admission_.check_invariants(now_);
  delivery_.check_invariants(now_);
  intake_.check_invariants(records_);
  lanes_.check_invariants(records_);
  commits_.check_invariants();
  check_books();
}

}  // namespace einlass::core
