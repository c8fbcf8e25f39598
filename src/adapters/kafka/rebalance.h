// Answers the group's rebalances, which arrive as events: nothing blocks, and the group waits until
// the gate is through with what it has to give back.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "adapters/kafka/assignment.h"
#include "adapters/kafka/commits.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/source.h"
#include "core/event.h"
#include "units/time.h"

namespace einlass::kafka {

class Rebalance {
 public:
  // `events` gets what happens to partitions.
  Rebalance(const SourceOptions& options, Assignment& assignment, Commits& commits,
            core::Events& events);

  // Takes a RD_KAFKA_EVENT_REBALANCE. One that comes before the last is done with waits. Returns
  // an error of librdkafka, empty if there is none.
  std::string handle(rd_kafka_t* client, EventHandle event, Instant now);

  // The gate is through with the partition. Gives back what was waiting for that.
  std::string partition_done(rd_kafka_t* client, Partition& partition, Instant now);

  // Has been given partitions, or told that there are none for it, and has not lost them since.
  bool joined() const { return joined_; }

 private:
  static constexpr std::size_t kMostWaiting = 16;  // librdkafka itself sends one at a time.

  std::string begin(rd_kafka_t* client, EventHandle event, Instant now);
  std::string assign(rd_kafka_t* client, const rd_kafka_topic_partition_list_t* list);
  void revoke(const rd_kafka_topic_partition_list_t* list, bool lost, Instant now);
  void restart(Partition& partition);
  std::string unassign(rd_kafka_t* client);

  Assignment& assignment_;
  Commits& commits_;
  core::Events& events_;
  std::map<std::string, core::RouteId, std::less<>> routes_;
  Duration revoke_timeout_;
  EventHandle revoking_;      // The revocation that waits for the gate.
  std::size_t not_done_ = 0;  // Partitions that it still waits for.
  std::deque<EventHandle> waiting_;
  bool joined_ = false;
};

}  // namespace einlass::kafka
