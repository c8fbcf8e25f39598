#include "core/records/intake.h"

#include <algorithm>
#include <utility>

#include "units/check.h"

namespace einlass::core {
namespace {

// Beyond what is full comes one record more, which makes two numbers at most.
constexpr std::size_t kRoomForOne = 32;

bool reaches(std::int64_t amount, std::int64_t bound, std::int64_t quarters) {
  return amount * 4 >= bound * quarters;
}

}  // namespace

bool Intake::exists(PartitionId id) const {
  return id.value < partitions_.size() && partitions_[id.value].phase != PartitionPhase::absent;
}

bool Intake::takes(PartitionId id) const {
  return exists(id) && partitions_[id.value].phase == PartitionPhase::assigned;
}

Partition& Intake::assign(const PartitionAssigned& event, Commands& commands) {
  const std::size_t index = event.partition.value;
  if (index >= partitions_.size()) partitions_.resize(index + 1);
  Partition& partition = partitions_[index];
  CHECK(partition.phase == PartitionPhase::absent);
  CHECK(partition.records == 0);
  Ledger ledger = std::move(partition.ledger);  // Keeps its room.
  partition = Partition{};
  partition.phase = PartitionPhase::assigned;
  partition.route = event.route;
  partition.birth = ++births_;
  partition.ledger = std::move(ledger);
  partition.ledger.open(event.next, event.finished);
  if (is_paused(partition)) hold(event.partition, PartitionHoldReason::paused, commands);
  if (gate_full(kFull)) hold(event.partition, PartitionHoldReason::gate_full, commands);
  return partition;
}

void Intake::revoke(PartitionId id, Instant deadline, Commands& commands) {
  Partition& partition = partitions_[id.value];
  const bool again = partition.phase == PartitionPhase::revoking;
  if (!again) ++revoking_;
  partition.deadline = again ? std::min(partition.deadline, deadline) : deadline;
  partition.phase = PartitionPhase::revoking;
  hold(id, PartitionHoldReason::given_back, commands);
}

void Intake::release(PartitionId id) {
  Partition& partition = partitions_[id.value];
  CHECK(partition.phase == PartitionPhase::revoking);
  CHECK(partition.records == 0);
  --revoking_;
  partition.phase = PartitionPhase::absent;
}

bool Intake::gate_full(std::int64_t quarters) const {
  return reaches(records_, options_.inside_records, quarters) ||
         reaches(bytes_.value, options_.inside_bytes.value, quarters);
}

Intake::Free Intake::shared() const {
  const auto below = [](std::int64_t bound) { return bound - bound / 4; };
  return {below(options_.inside_records) - records_,
          below(options_.inside_bytes.value) - bytes_.value};
}

bool Intake::takes_too_much(const Partition& partition) const {
  const Free free = shared();
  return partition.records >= free.records || partition.bytes.value >= free.bytes;
}

bool Intake::fits_again(const Partition& partition) const {
  const Free free = shared();
  return partition.records == 0 || (partition.records <= free.records - free.records / 4 &&
                                    partition.bytes.value <= free.bytes - free.bytes / 4);
}

bool Intake::partition_full(const Partition& partition, std::int64_t quarters) const {
  const RouteOptions& route = options_.routes[partition.route.value];
  return reaches(partition.records, route.inside_records, quarters) ||
         reaches(partition.bytes.value, route.inside_bytes.value, quarters);
}

// An empty partition is read whatever was finished before: its next record moves the book on. Where
// records finish in order, only those are finished ahead that were never inside.
bool Intake::ledger_full(const Partition& partition, std::int64_t quarters) const {
  const Ledger& ledger = partition.ledger;
  if (partition.records == 0) return false;
  const RouteOptions& route = options_.routes[partition.route.value];
  const bool in_order = route.order == Order::partition && !route.leads_on;
  return reaches(static_cast<std::int64_t>(ledger.span()),
                 static_cast<std::int64_t>(kMostLedgerSpan), quarters) ||
         ((!in_order || ledger.finished_ahead() > 0) &&
          reaches(static_cast<std::int64_t>(ledger.most_text()),
                  static_cast<std::int64_t>(options_.most_finished_text - kRoomForOne), quarters));
}

bool Intake::held_by_ledger(PartitionId id) const {
  const Partition& partition = partitions_[id.value];
  if (!partition.held || partition.phase != PartitionPhase::assigned) return false;
  const bool has_room =
      !gate_full(kFull) && fits_again(partition) && !partition_full(partition, kFree);
  return has_room && !is_paused(partition) && ledger_full(partition, kFree);
}

void Intake::hold(PartitionId id, PartitionHoldReason reason, Commands& commands) {
  Partition& partition = partitions_[id.value];
  if (partition.held) return;
  partition.held = true;
  commands.push_back(PartitionHold{id, reason});
}

void Intake::read_if_free(PartitionId id, Commands& commands) {
  Partition& partition = partitions_[id.value];
  if (!partition.held || partition.phase != PartitionPhase::assigned) return;
  if (is_paused(partition) || gate_full(kFull) || !fits_again(partition)) return;
  if (partition_full(partition, kFree) || ledger_full(partition, kFree)) return;
  partition.held = false;
  commands.push_back(Read{id});
}

void Intake::enter(const Record& record, Commands& commands) {
  Partition& partition = partitions_[record.partition.value];
  ++partition.records;
  partition.bytes.value += record.size.value;
  ++records_;
  bytes_.value += record.size.value;
  if (partition_full(partition, kFull)) {
    hold(record.partition, PartitionHoldReason::partition_full, commands);
  } else if (takes_too_much(partition)) {
    hold(record.partition, PartitionHoldReason::gate_full, commands);
  } else if (ledger_full(partition, kFull)) {
    hold(record.partition, PartitionHoldReason::ledger_full, commands);
  }
  if (!gate_full(kFull)) return;
  full_ = true;
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
    if (partitions_[i].phase != PartitionPhase::assigned) continue;
    hold(PartitionId{i}, PartitionHoldReason::gate_full, commands);
  }
}

void Intake::passed_over(PartitionId id, Commands& commands) {
  if (ledger_full(partitions_[id.value], kFull)) {
    hold(id, PartitionHoldReason::ledger_full, commands);
  }
}

void Intake::leave(const Record& record, Commands& commands) {
  Partition& partition = partitions_[record.partition.value];
  --partition.records;
  partition.bytes.value -= record.size.value;
  --records_;
  bytes_.value -= record.size.value;
  CHECK(partition.records >= 0);
  CHECK(partition.bytes.value >= 0);
  if (full_ && !gate_full(kFree)) {
    full_ = false;
    for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
      read_if_free(PartitionId{i}, commands);
    }
    return;
  }
  read_if_free(record.partition, commands);
  look_at_others(commands);
}

// The room that one partition makes may be what another waits for, whose own records do not leave.
// A few at a time: each has its turn long before all that is inside has left.
void Intake::look_at_others(Commands& commands) {
  constexpr int kLooks = 2;
  for (int i = 0; i < kLooks; ++i) {
    if (++next_look_ >= partitions_.size()) next_look_ = 0;
    read_if_free(PartitionId{static_cast<std::uint32_t>(next_look_)}, commands);
  }
}

void Intake::look_again(Commands& commands) {
  full_ = gate_full(full_ ? kFree : kFull);
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
    const Partition& partition = partitions_[i];
    if (partition.phase != PartitionPhase::assigned) continue;
    if (partition_full(partition, kFull)) {
      hold(PartitionId{i}, PartitionHoldReason::partition_full, commands);
    } else if (gate_full(kFull) || (partition.records > 0 && takes_too_much(partition))) {
      hold(PartitionId{i}, PartitionHoldReason::gate_full, commands);
    }
    read_if_free(PartitionId{i}, commands);
  }
}

void Intake::pause(RouteId route, bool paused, Commands& commands) {
  paused_routes_[route.value] = paused;
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
    if (partitions_[i].phase != PartitionPhase::assigned || partitions_[i].route != route) continue;
    paused ? hold(PartitionId{i}, PartitionHoldReason::paused, commands)
           : read_if_free(PartitionId{i}, commands);
  }
}

void Intake::pause(PartitionId id, bool paused, Commands& commands) {
  if (!takes(id)) return;
  partitions_[id.value].paused = paused;
  paused ? hold(id, PartitionHoldReason::paused, commands) : read_if_free(id, commands);
}

}  // namespace einlass::core
