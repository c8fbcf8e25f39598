// Answers the group's rebalances, which arrive as events: nothing blocks, and the group waits until
// the gate is through with what it has to give back.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/topic_routes.h"
#include "adapters/kafka/partitions/assignment.h"
#include "adapters/kafka/partitions/fetching.h"
#include "adapters/kafka/source/commits.h"
#include "adapters/kafka/source/positions.h"
#include "adapters/kafka/source/source.h"
#include "core/contract/event.h"
#include "units/time.h"

namespace einlass::kafka {

// What a Rebalance does its work with.
struct RebalanceParts {
  Assignment& assignment;
  Fetching& fetching;
  Positions& positions;
  Commits& commits;
  core::Events& events;  // Gets what happens to partitions.
};

class Rebalance {
 public:
  Rebalance(const SourceOptions& options, const RebalanceParts& parts);

  // Takes a RD_KAFKA_EVENT_REBALANCE. One that comes while the last revocation waits for the gate
  // waits too. Returns what went wrong: an error of librdkafka's, or a partition that no route
  // reads; empty if nothing did.
  std::string handle(EventHandle event, Instant now);

  // The gate is through with the partition. Gives back what was waiting for that. One that the gate
  // alone has lost, and that the group has not taken away, is asked about again as if it were new.
  // `partition` may be freed by either. Returns as handle(). REQUIRES: the gate was given it, and
  // this was not said of it before.
  std::string partition_done(Partition& partition, Instant now);

  // Of revocations from here on.
  void set_revoke_timeout(Duration timeout) { revoke_timeout_ = timeout; }

  // Has been given partitions, or told that there are none for it, and has not lost them since.
  bool joined() const { return joined_; }

  // How often partitions were taken away without asking; and how many in all, of those being read.
  int losses() const { return losses_; }
  std::uint64_t lost() const { return lost_; }

 private:
  static constexpr std::size_t kMostWaiting = 16;  // librdkafka itself sends one at a time.

  std::string begin(EventHandle event, Instant now);
  std::string assign(const rd_kafka_topic_partition_list_t* list);
  void revoke(const rd_kafka_topic_partition_list_t* list, bool lost, Instant now);
  void restart(Partition& partition);

  RebalanceParts parts_;
  TopicRoutes routes_;
  Duration revoke_timeout_;
  EventHandle revoking_;      // The revocation that waits for the gate.
  std::size_t not_done_ = 0;  // Partitions that it still waits for.
  std::deque<EventHandle> waiting_;
  bool joined_ = false;
  int losses_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace einlass::kafka
