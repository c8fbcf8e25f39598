// Why a record waits: the question, and what one shard knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/shard/shard.h"
#include "app/views/allowed.h"
#include "config/model/config.h"
#include "core/contract/standing.h"
#include "text/partition_words.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::app {

// The most records that one answer names; it says how many there are beyond them.
inline constexpr std::size_t kMostRecordsNamed = 16;

// One record by its offset in Kafka, or all with a key.
struct WhyQuestion {
  std::string topic;
  PartitionNumber partition;
  Offset offset;
  std::optional<std::string> key;  // The record's own, or the one that a limit takes from it.
};

// Reads `topic=..&partition=..&offset=..` or `key=..`; else what is wrong with it, as a sentence.
std::variant<WhyQuestion, std::string> parse_why(std::string_view query);

// The same as a query, for the command line.
std::string why_query(const WhyQuestion& question);

// A record inside. Plain values: they live as long as they are wanted.
struct WaitingRecord {
  std::string topic;
  PartitionNumber partition;
  Offset offset;
  core::Standing standing;
  std::vector<std::string> keys;  // By the index of the limit; empty where it has none.
  std::optional<Allowed> allowed;  // To its key, by the limit that it waits for, in records.
  std::optional<LimitValues::Scheduled> schedule;  // To what of its limit's schedule it owes that.
  std::string last_error;  // Why its last attempt failed; empty if none has.
  std::string unusable;    // Why nothing can be delivered to its target; empty if it can.
  Instant written;         // To Kafka, by its timestamp.
  std::string other_flow;  // Of standing.flow->other.
};

// REQUIRES: called on the shard's thread; the record is inside.
WaitingRecord described(const Shard& shard, const core::Standing& standing);

// Whether it is on its way back to Kafka. A stop gives all of them back, and the source hears of
// each only once the gate is through with it.
bool is_leaving(const core::Gate& gate, const kafka::SourceStatus::Partition& partition);

// What one shard says. REQUIRES: made on the shard's thread.
struct WhyAnswer {
  struct Found {
    WaitingRecord record;
    std::optional<WaitingRecord> first;  // With WaitsFor::order.
  };

  Instant now;
  std::vector<TopicPartition> own;  // What the shard has of Kafka.
  core::Whereabouts where = core::Whereabouts::elsewhere;
  bool held = false;                    // Its partition is not read now, because enough is inside.
  std::string not_read;                 // Why its partition is not read, otherwise; empty if it is.
  std::optional<core::RouteId> paused;  // Its route, if it is not read because people paused it.
  std::uint64_t with_key = 0;           // All records with the key,
  std::vector<TopicPartition> partitions;  // in which partitions they are,
  Instant oldest = kNever;                 // when the first of them was written to Kafka,
  std::set<core::RouteId> routes;          // and by which routes they go.
  std::vector<Found> found;                // The oldest first.
};

// One shard's answer. There may be very many records to look at for a key, and the shard's loop
// waits meanwhile: so it is looked at a part of them at a time. Those that come or go meanwhile may
// be among them or not.
class WhyLook {
 public:
  explicit WhyLook(WhyQuestion question) : question_(std::move(question)) {}

  // Looks at one more part; the answer, once that was the last. REQUIRES: called on the shard's
  // thread, and not after that.
  std::optional<WhyAnswer> go_on(const Shard& shard);

 private:
  static constexpr core::Slot kPart = 4'096;  // Takes less than a millisecond.

  struct Named {
    Instant arrived;  // Of those of one turn, in the order of their partition.
    core::PartitionId partition;
    Offset offset;
    core::RecordId record;
    auto operator<=>(const Named&) const = default;
  };

  void look_for_key(const Shard& shard, core::Slot end);
  void name(const Named& one);

  const WhyQuestion question_;
  core::Slot next_ = 0;
  std::uint64_t with_key_ = 0;
  std::set<TopicPartition> partitions_;
  std::set<core::RouteId> routes_;
  Instant oldest_ = kNever;
  std::vector<Named> named_;  // The oldest so far, as a heap: the youngest of them first.
  std::vector<std::string_view> scratch_;
};

}  // namespace einlass::app
