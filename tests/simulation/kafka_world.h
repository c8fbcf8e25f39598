// The brokers and the group's coordinator: logs that grow, who owns which partition, how far each
// is committed. A gate sees its part of it through Assignment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/command.h"
#include "core/contract/finished_map.h"
#include "core/contract/ids.h"
#include "draw.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::simulation {

class Instance;

struct LogRecord {
  Offset offset;
  std::int64_t key = 0;
  bool ordered = true;  // Has a lane, where the route is ordered by key.
  Bytes size;
  Permits cost{1};
  Instant appended;
  bool bad = false;      // The target fails it, as long as there are faults.
  bool bad_key = false;  // It can only be a dead letter.
  Instant not_before{};  // What it says of its own time.
  Instant expires = kNever;
  std::optional<core::RouteId> handed_on;  // To that route.
  bool filtered = false;   // Its route leaves it out.
  bool deleted = false;    // Nobody will read it any more.
  bool finished = false;   // The target, or the dead letter topic, has it.
  bool delivered = false;  // The target, by a transaction.
};

// One partition in the hands of one gate. A new one each time that it changes hands.
struct Assignment {
  std::size_t partition = 0;
  Instance* owner = nullptr;
  core::PartitionId id;
  std::size_t position = 0;                 // In the log: what is read next.
  std::vector<core::OffsetRange> finished;  // Committed with the offset to start at.
  bool held = false;
  bool leaving = false;  // Revoked or lost: nothing is read any more.
  bool lost = false;     // The gate has been told so.
};

// A record's own time is no further from when it was appended.
inline constexpr Duration kLongestEarly = Duration::seconds(3);

class KafkaWorld {
 public:
  explicit KafkaWorld(const Settings& settings);

  std::size_t partitions() const { return partitions_.size(); }
  core::RouteId route(std::size_t partition) const;
  const std::vector<LogRecord>& log(std::size_t partition) const {
    return partitions_[partition].log;
  }
  std::vector<LogRecord>& log(std::size_t partition) { return partitions_[partition].log; }

  // Where a new owner starts to read: what is committed, or the beginning.
  Offset start(std::size_t partition) const;
  bool has_commit(std::size_t partition) const {
    return partitions_[partition].committed.has_value();
  }

  // The group's view. Null: nobody's.
  const std::shared_ptr<Assignment>& current(std::size_t partition) const;
  std::shared_ptr<Assignment> assign(std::size_t partition, Instance& owner, core::PartitionId id);
  // Takes the partition away from this assignment. False if it has it no longer.
  bool take_away(const Assignment& assignment);

  // What the broker does with a commit: false, and nothing is stored, if one of the partitions has
  // another owner by now. Throws Failure if it would pass a record that nobody has finished, or
  // name one as finished.
  struct Entry {
    std::shared_ptr<Assignment> assignment;
    Offset next;
    std::string finished;
  };
  bool commit(const std::vector<Entry>& entries);

  // The same, where these records are delivered with it, or not at all. Throws Failure if one of
  // them was before.
  bool transact(const std::vector<LogRecord*>& records, const std::vector<Entry>& entries);

  // True if every record is finished and committed.
  bool all_done() const;
  // What is missing for that, for people.
  std::string missing() const;
  std::int64_t unfinished() const;

 private:
  struct Partition {
    core::RouteId route;
    std::vector<LogRecord> log;
    std::optional<Offset> committed;
    std::string finished;
    std::shared_ptr<Assignment> current;
  };

  bool owned(const std::vector<Entry>& entries) const;
  void check(const Entry& entry) const;
  Partition fill(std::size_t route, const Settings& settings, Dice& dice) const;

  std::vector<Partition> partitions_;
};

}  // namespace einlass::simulation
