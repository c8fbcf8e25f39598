#include "app/shard/unread_ages.h"

#include <algorithm>

#include "app/shard/shard.h"

namespace einlass::app {
namespace {

constexpr Duration kEach = Duration::seconds(1);

}  // namespace

void UnreadAges::look(const std::function<std::vector<Seen>()>& seen, Instant now) {
  if (now < next_look_) return;
  next_look_ = now + kEach;
  std::map<Key, Instant> known;
  for (const Seen& one : seen()) {
    const std::optional<Instant> before = written_after(one.topic, one.number);
    const Key key{one.topic, one.number.value};
    if (one.oldest) {
      known[key] = std::min(*one.oldest, now);
    } else if (one.lag == 0u && one.lag_asked) {
      known[key] = *one.lag_asked;
    } else if (before) {
      known[key] = *before;
    }
  }
  written_after_ = std::move(known);
}

std::optional<Instant> UnreadAges::written_after(const std::string& topic,
                                                 PartitionNumber number) const {
  const auto found = written_after_.find({topic, number.value});
  if (found == written_after_.end()) return std::nullopt;
  return found->second;
}

// What was given back is unfinished in the ledger, and its slot may be another's by now.
const StoredRecord* oldest_inside(const Shard& shard, core::PartitionId partition) {
  const core::Partition* known = shard.gate().partition(partition);
  if (known == nullptr || known->phase != core::PartitionPhase::assigned) return nullptr;
  const auto slot = known->ledger.oldest_unfinished();
  return slot ? &shard.records().in(*slot) : nullptr;
}

std::vector<UnreadAges::Seen> partitions_seen(const Shard& shard) {
  std::vector<UnreadAges::Seen> seen;
  for (const auto& partition : shard.source().status().partitions) {
    const StoredRecord* oldest = oldest_inside(shard, partition.partition);
    seen.push_back({partition.topic, partition.number, partition.lag,
                    oldest ? std::optional(oldest->written()) : std::nullopt, partition.lag_asked});
  }
  return seen;
}

}  // namespace einlass::app
