#include "app/why.h"

#include <algorithm>
#include <utility>

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

void look_for_offset(WhyAnswer& answer, const Shard& shard, const WhyQuestion& question) {
  const kafka::SourceStatus source = shard.source().status();
  const auto partition =
      std::find_if(source.partitions.begin(), source.partitions.end(), [&](const auto& one) {
        return one.topic == question.topic && one.number == question.partition;
      });
  if (partition == source.partitions.end()) return;
  answer.held = partition->held;
  answer.not_read = partition->stuck;
  if (partition->waiting && answer.not_read.empty()) {
    answer.not_read = "where to begin to read it is not known yet";
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

bool has_key(const Shard& shard, const core::Record& record, const std::string& key,
             std::vector<std::string_view>& scratch) {
  if (shard.records()[record.id].key() == key) return true;
  shard.limiters().read_keys(record.line, scratch);
  return std::find(scratch.begin(), scratch.end(), key) != scratch.end();
}

void look_for_key(WhyAnswer& answer, const Shard& shard, const std::string& key) {
  std::vector<std::string_view> scratch;
  for (const core::Partition& partition : shard.gate().partitions()) {
    if (partition.phase != core::PartitionPhase::assigned) continue;
    partition.ledger.for_each_unfinished([&](core::Slot slot) {
      const core::Record* record = shard.gate().record(slot);
      if (record == nullptr || !has_key(shard, *record, key, scratch)) return;
      if (++answer.with_key > kMostRecordsNamed) return;
      add(answer, shard, *shard.gate().standing(slot, answer.now));
    });
  }
}

}  // namespace

WaitingRecord described(const Shard& shard, const core::Standing& standing) {
  const StoredRecord& stored = shard.records()[standing.id];
  WaitingRecord record;
  record.topic = stored.topic();
  record.partition = stored.number;
  record.offset = stored.offset;
  record.standing = standing;
  record.last_error = stored.last_error;
  std::vector<std::string_view> keys;
  shard.limiters().read_keys(standing.line, keys);
  record.keys.assign(keys.begin(), keys.end());
  return record;
}

WhyAnswer why(const Shard& shard, const WhyQuestion& question) {
  WhyAnswer answer;
  answer.now = shard.now();
  if (question.key) {
    look_for_key(answer, shard, *question.key);
  } else {
    look_for_offset(answer, shard, question);
  }
  return answer;
}

}  // namespace einlass::app
