// The assigned partitions: a slot and a queue for each, and which of them are worth reading.
//
// A queue wakes us only when it goes from empty to not empty. What is left in it when reading
// stops early makes no event, so the set of partitions to read is kept here by hand.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/wakeups.h"
#include "adapters/kafka/partitions/lookup.h"
#include "core/contract/finished_map.h"
#include "core/contract/ids.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::kafka {

enum class Phase : std::uint8_t {
  unused,   // A free slot.
  waiting,  // The gate does not have it yet: where to begin is not known.
  reading,
  revoking,  // The gate was told that it is revoked; waits for partition_done().
  lost,      // As revoking, but it is somebody else's already.
  done,      // The gate is through with it.
};

// Whether it is known which offset comes next.
enum class Finding : std::uint8_t {
  sought,  // Kafka is asked, or will be.
  stuck,   // The policy does not say: it waits for another one.
  found,   // It is `next`, but librdkafka does not know yet.
  read,    // librdkafka reads on from there.
};

// One assignment of one partition. Stays where it is while it is in use.
struct Partition {
  core::PartitionId id;
  core::RouteId route;
  std::string topic;
  PartitionNumber number;
  Phase phase = Phase::unused;
  bool leaving = false;  // In the revocation that waits for partition_done().
  bool held = false;
  bool more = false;       // Its queue may hold something.
  bool queued = false;     // Stands in the ready line.
  std::int64_t next = -1;  // The offset that comes next if none is missing; -1 before it is known.
  Offset committed{-1};
  std::optional<LogBounds> log;  // As Kafka said in the last seconds.
  // When it was asked for that; none where that was to find out where to begin.
  std::optional<Instant> log_asked;
  int unanswered = 0;           // Questions for it in a row that nobody answered, ...
  std::int64_t next_then = -1;  // ... and `next` at the last of them.
  bool offline = false;         // So many that people were told.
  bool uncommitted = false;     // The last commit that the gate wanted has not been acknowledged.
  int not_there = 0;            // Commits in a row that found no such topic.
  std::size_t most_queued = 0;  // The most messages that its queue held of late.
  QueueHandle queue;

  Finding finding = Finding::sought;
  bool anew = false;           // Its log began anew: what is committed means nothing.
  bool same_log = false;       // Lost, but what is committed holds.
  bool told_anew = false;      // The group knows that, or is being told.
  bool begun = false;          // The policy said where to begin, and not the group.
  bool fetched = false;        // librdkafka has been told to read it.
  bool resting = false;        // Not asked about before the next tick.
  std::uint64_t question = 0;  // The open question about it; 0 = none.
  Instant moved;               // When it last went on elsewhere than at `next`.
  std::string why_stuck;
  bool forbidden = false;         // The right to read it is missing, and nothing has come since.
  bool commit_forbidden = false;  // The same right, as the last commit of it was told.
  // What had finished above the committed offset when it was assigned, as that commit says.
  std::vector<core::OffsetRange> finished;

  bool readable() const { return phase == Phase::reading && !held; }
  // Nobody has taken it back.
  bool is_ours() const { return phase == Phase::waiting || phase == Phase::reading; }
  // For people: `results partition 3`.
  std::string name() const { return topic + " partition " + std::to_string(number.value); }
};

class Assignment {
 public:
  explicit Assignment(Wakeups& wakeups) : wakeups_(wakeups) {}
  ~Assignment();
  Assignment(const Assignment&) = delete;
  Assignment& operator=(const Assignment&) = delete;

  // Takes a slot, in Phase::waiting and without a queue.
  Partition& add(const std::string& topic, PartitionNumber number, core::RouteId route);

  // The queue that it is read from; watched from now on.
  void attach(Partition& partition, QueueHandle queue);

  // What is known of the right to read it, also when it is assigned again: librdkafka tells it
  // once.
  void set_forbidden(Partition& partition, bool forbidden);

  // Frees the slot and the queue. The id is not used again before recycle().
  void remove(Partition& partition);
  void recycle();

  // REQUIRES: the id is in use.
  Partition& at(core::PartitionId id);

  // nullptr if there is none.
  Partition* in_use(core::PartitionId id);
  Partition* find(const std::string& topic, PartitionNumber number);

  // For each partition in use, in the order of their ids.
  template <class F>
  void for_each(F&& visit) {
    for (Partition& partition : slots_) {
      if (partition.phase != Phase::unused) visit(partition);
    }
  }

  // The queue behind this id may hold something; ids that are out of use are ignored.
  void woken(std::uint32_t id);
  void more(Partition& partition);   // As woken(); also after it has become readable.
  void empty(Partition& partition);  // Its queue was read until there was nothing.

  // The next partition that is worth reading, or nullptr. It keeps its turn until it is empty, not
  // readable any more, or sent to the end of the line.
  Partition* ready();
  void to_the_end(Partition& partition);

 private:
  Wakeups& wakeups_;
  std::deque<Partition> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> retired_;
  std::map<std::pair<std::string, std::int32_t>, std::uint32_t> ids_;
  std::set<std::pair<std::string, std::int32_t>> forbidden_;
  std::deque<std::uint32_t> line_;  // May hold ids that are not worth reading any more.
};

}  // namespace einlass::kafka
