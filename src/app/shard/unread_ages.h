// How old the oldest record of a partition can be while none of it is inside the gate, as while its
// topic is paused: what is not read has a timestamp that nobody knows, but it was written after
// what was read last, and after the end of the log was the last that there was.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/ids.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::app {

class Shard;
class StoredRecord;

class UnreadAges {
 public:
  // What is known of a partition now.
  struct Seen {
    std::string topic;
    PartitionNumber number;
    std::optional<std::uint64_t> lag;
    std::optional<Instant> oldest;     // When the oldest that is inside was written.
    std::optional<Instant> lag_asked;  // When Kafka was asked for the lag.
  };

  // Asks at most once a second.
  void look(const std::function<std::vector<Seen>()>& seen, Instant now);

  // No record of it that is not inside was written earlier; none while nothing is known, as before
  // the first record since the partition came.
  std::optional<Instant> written_after(const std::string& topic, PartitionNumber number) const;

 private:
  using Key = std::pair<std::string, std::int32_t>;

  std::map<Key, Instant> written_after_;  // Of the partitions that are here.
  Instant next_look_;
};

// Of a partition that is the gate's; null where none is inside.
const StoredRecord* oldest_inside(const Shard& shard, core::PartitionId partition);

std::vector<UnreadAges::Seen> partitions_seen(const Shard& shard);

}  // namespace einlass::app
