// Who waits most in one shard: the longest lines and the fullest partitions, and no more of them
// than fit on a page, however many tenants there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/source/source.h"
#include "app/views/allowed.h"
#include "app/views/why.h"

namespace einlass::app {

inline constexpr std::size_t kMostLinesShown = 20;
inline constexpr std::size_t kMostPartitionsShown = 20;
inline constexpr std::size_t kMostPausesShown = 100;

struct WaitsView {
  struct Line {
    core::LineStanding standing;
    std::vector<std::string> keys;    // By the index of the limit.
    std::vector<std::string> behind;  // Of the line that holds it up, if that is another.
    std::optional<Allowed> allowed;   // By the limit that it waits for, in records.
    std::optional<Instant> oldest;    // When the oldest was written to Kafka, as far as is known.
  };
  struct Partition {
    std::string topic;
    PartitionNumber number;
    std::int64_t inside = 0;
    std::string route;    // Empty where the gate has none of it yet.
    bool held = false;
    bool paused = false;  // By people: it, its route or the route's target.
    bool revoking = false;
    bool waiting = false;  // To be told where to begin.
    std::string stuck;
    Offset committed{-1};
    std::uint64_t finished_ahead = 0;
    std::optional<std::uint64_t> lag;
    std::optional<WaitingRecord> oldest;
  };
  Instant now;
  std::vector<Line> lines;            // The longest first.
  std::vector<Partition> partitions;  // Those that are stuck, then the fullest.
};

// `source`: the status of the shard's, as it is now.
// REQUIRES: called on the shard's thread, or when that has ended.
WaitsView waits_of(const Shard& shard, const kafka::SourceStatus& source);

// The same order over several shards, each with its own.
bool comes_before(const WaitsView::Partition& a, const WaitsView::Partition& b);

}  // namespace einlass::app
