#include "app/views/why.h"

#include <algorithm>
#include <utility>

#include "app/record/extract.h"
#include "app/views/allowed.h"

namespace einlass::app {
namespace {

void add(WhyAnswer& answer, const Shard& shard, const core::Standing& standing) {
  WhyAnswer::Found found{described(shard, standing), std::nullopt};
  if (standing.waits == core::WaitsFor::order) {
    if (const auto first = shard.gate().standing(standing.first, answer.now)) {
      found.first = described(shard, *first);
    }
  }
  answer.found.push_back(std::move(found));
}

// Why a partition is not read, where that is neither for what is inside nor for people's pauses.
std::string why_not_read(const Shard& shard, const kafka::SourceStatus::Partition& partition) {
  const core::PartitionId id = partition.partition;
  if (is_leaving(shard.gate(), partition)) {
    return shard.source().name_of(id) + " is leaving this gate";
  }
  if (!partition.stuck.empty()) return partition.stuck;
  if (shard.gate().held_by_ledger(id)) {
    return shard.source().name_of(id) + " is read no further, because " +
           std::to_string(core::Intake::kMostLedgerSpan) +
           " records were read after its oldest unfinished one, "
           "or so many are unfinished that a commit could not name all that finish before these";
  }
  const bool waits = partition.waiting && !shard.gate().is_paused(id);
  return waits ? "where to begin to read it is not known yet" : "";
}

void look_for_offset(WhyAnswer& answer, const Shard& shard, const WhyQuestion& question) {
  const kafka::SourceStatus source = shard.source().status();
  for (const auto& one : source.partitions) answer.own.push_back({one.topic, one.number});
  const auto partition =
      std::find_if(source.partitions.begin(), source.partitions.end(), [&](const auto& one) {
        return one.topic == question.topic && one.number == question.partition;
      });
  if (partition == source.partitions.end()) return;
  answer.held = partition->held;
  answer.not_read = why_not_read(shard, *partition);
  if (shard.gate().is_paused(partition->partition)) {
    answer.paused = shard.gate().partitions()[partition->partition.value].route;
  }
  const core::Sought sought = shard.gate().find(partition->partition, question.offset);
  answer.where = sought.where;
  // The source has a partition a moment before the gate.
  if (answer.where == core::Whereabouts::elsewhere) answer.where = core::Whereabouts::not_yet;
  if (answer.where != core::Whereabouts::inside) return;
  if (const auto standing = shard.gate().standing(sought.slot, answer.now)) {
    add(answer, shard, *standing);
  }
}

// Its own, or that of a limit that has keys: one that has none has an empty text in the line.
// `bounded` is the key as buckets go by it. The empty one is asked for of a limit's records only.
bool has_key(const Shard& shard, const core::Record& record, const std::string& key,
             std::string_view bounded, std::vector<std::string_view>& scratch) {
  if (!key.empty() && shard.records()[record.id].key() == key) return true;
  const config::Config& config = shard.config();
  const auto& limits = config.routes[record.route.value].limits;
  shard.limiters().read_keys(record.line, scratch);
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    const bool keyed = config.limits[limits[i]].key.kind != config::KeySource::Kind::none;
    if (keyed && scratch[i] == bounded) return true;
  }
  return false;
}

// The flow of which most goes before the record.
std::string other_flow(const Shard& shard, const core::Standing& standing) {
  if (!standing.flow || standing.flow->other == core::kNoSlot) return "";
  const auto other = shard.gate().standing(standing.flow->other, shard.now());
  const auto share = shard.config().routes[standing.route.value].share;
  if (!other || !share) return "";
  std::string scratch;
  const config::KeySource& by = shard.config().shares[*share].by;
  return std::string(key_of(by, shard.records()[other->id], scratch).value_or(""));
}

}  // namespace

bool is_leaving(const core::Gate& gate, const kafka::SourceStatus::Partition& partition) {
  if (partition.revoking) return true;
  const core::Partition* known = gate.partition(partition.partition);
  // One that is new to the gate is not held yet, and one that it is through with still is.
  return known == nullptr ? partition.held : known->phase == core::PartitionPhase::revoking;
}

WaitingRecord described(const Shard& shard, const core::Standing& standing) {
  const StoredRecord& stored = shard.records()[standing.id];
  WaitingRecord record;
  record.topic = stored.topic();
  record.partition = stored.number;
  record.offset = stored.offset;
  record.standing = standing;
  // Without those of which nothing was sent.
  record.standing.attempt = core::Attempt{stored.attempts};
  record.other_flow = other_flow(shard, standing);
  record.last_error = stored.last_error;
  record.written = stored.written();
  record.unusable =
      shard.target_status(shard.config().routes[standing.route.value].target).unusable;
  std::vector<std::string_view> keys;
  shard.limiters().read_keys(standing.line, keys);
  record.keys.assign(keys.begin(), keys.end());
  if (standing.limit) {
    const auto& in_force = shard.limiters().in_force(standing.line, standing.limit->value);
    const config::Route& route = shard.config().routes[standing.route.value];
    record.allowed =
        records_allowed_by(shard.config().limits[route.limits[standing.limit->value]], in_force);
    record.schedule = shard.limiters().scheduled(standing.line, standing.limit->value);
  }
  return record;
}

std::optional<WhyAnswer> WhyLook::go_on(const Shard& shard) {
  WhyAnswer answer;
  answer.now = shard.now();
  if (!question_.key) {
    look_for_offset(answer, shard, question_);
    return answer;
  }
  const core::Slot slots = shard.gate().record_slots();
  look_for_key(shard, std::min(slots, next_ + kPart));
  if (next_ < slots) return std::nullopt;
  answer.with_key = with_key_;
  answer.partitions.assign(partitions_.begin(), partitions_.end());
  answer.oldest = oldest_;
  answer.routes = routes_;
  for (const auto& one : shard.source().status().partitions) {
    answer.own.push_back({one.topic, one.number});
  }
  std::sort_heap(named_.begin(), named_.end());
  for (const Named& one : named_) {
    const core::Record* record = shard.gate().record(one.record.slot);
    if (record == nullptr || record->id != one.record) continue;  // Gone since.
    if (const auto standing = shard.gate().standing(one.record.slot, answer.now)) {
      add(answer, shard, *standing);
    }
  }
  return answer;
}

void WhyLook::look_for_key(const Shard& shard, core::Slot end) {
  std::string hashed;
  const std::string_view bounded = bounded_key(*question_.key, hashed);
  for (; next_ < end; ++next_) {
    const core::Record* record = shard.gate().record(next_);
    // An abandoned one is Kafka's again, and its line may be gone.
    if (record == nullptr || record->state == core::RecordState::abandoned) continue;
    const core::Partition& partition = shard.gate().partitions()[record->partition.value];
    if (partition.phase != core::PartitionPhase::assigned) continue;
    if (!has_key(shard, *record, *question_.key, bounded, scratch_)) continue;
    ++with_key_;
    const StoredRecord& stored = shard.records()[record->id];
    partitions_.insert({std::string(stored.topic()), stored.number});
    oldest_ = std::min(oldest_, stored.written());
    routes_.insert(record->route);
    name({stored.arrived, record->partition, stored.offset, record->id});
  }
}

void WhyLook::name(const Named& one) {
  if (named_.size() == kMostRecordsNamed) {
    if (named_.front() < one) return;
    std::pop_heap(named_.begin(), named_.end());
    named_.pop_back();
  }
  named_.push_back(one);
  std::push_heap(named_.begin(), named_.end());
}

}  // namespace einlass::app
