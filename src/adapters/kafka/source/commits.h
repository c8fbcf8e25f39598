// Commits, one at a time, and each answered exactly once.
//
// The broker does not check who owns a partition: a commit of an old generation that arrived in a
// new one would take the new owner back. So after the first sign that the group has gone on without
// us nothing is committed before it has given us a new assignment.
//
// Where librdkafka says that a commit failed for one of its topics, it does not say for which, and
// the broker has committed the others: then each topic is committed by itself. One that is not
// there is soon not tried again: it may be made anew any moment, and what is committed of it then
// would be the old log's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adapters/kafka/client/group_offsets.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/partitions/assignment.h"
#include "core/contract/command.h"
#include "core/contract/event.h"

namespace einlass::kafka {

class Commits {
 public:
  // `events` gets the results.
  Commits(Assignment& assignment, core::Events& events)
      : assignment_(assignment), events_(events) {}

  // Commits asynchronously; the result comes to `queue`. Entries of partitions that are lost, out
  // of use, or not the gate's now are left out. Ends as core::CommitEnded, at once if nothing can
  // be sent, as when no broker is `reachable`. REQUIRES: none is open.
  void begin(rd_kafka_t* client, rd_kafka_queue_t* queue,
             std::span<const core::CommitEntry> entries, bool reachable = true);

  // Tells the group of the partitions that are stuck in a log that began anew: it may have an
  // offset of the old one, and whoever has the partition next would read on from there. The gate
  // does not hear of this. To be called now and then.
  void tell_began_anew(rd_kafka_t* client, rd_kafka_queue_t* queue);

  // What a transaction is to commit in this generation; none where a partition is lost, or a commit
  // of it is on its way, which must not come after this one.
  std::optional<GroupOffsets> offsets_for(rd_kafka_t* client,
                                          std::span<const core::CommitEntry> entries);
  // REQUIRES: it got its offsets here, and this was not said before.
  void transaction_ended(std::span<const core::CommitEntry> entries, TransactionEnd end);

  // Takes librdkafka's answer. Returns its error code.
  rd_kafka_resp_err_t ended(rd_kafka_t* client, rd_kafka_queue_t* queue, rd_kafka_event_t* event);

  // The assignment is lost: the open commit ends as fenced, and so does every further one. What
  // librdkafka has already cannot be called back, so the next generation's first commit waits until
  // that has been answered: two on the way could arrive in the wrong order.
  void give_up();

  // The group has given us an assignment, as that member: from now on commits are of that.
  void begin_generation(GroupMemberHandle member);

  bool open() const { return open_; }

  // Partitions' ids stand in a commit or a transaction, and must not mean other partitions yet.
  bool names_partitions() const { return open_ || transactions_ > 0; }

 private:
  Partition* committable(core::PartitionId id) const;
  bool on_way_names(const Partition& partition) const;
  void add(rd_kafka_t* client, rd_kafka_topic_partition_list_t* list, const Partition& partition,
           const core::CommitEntry& entry) const;
  ListHandle list_of(rd_kafka_t* client, std::span<const core::CommitEntry> entries);
  void send(rd_kafka_t* client, rd_kafka_queue_t* queue, ListHandle list);
  void send_waiting(rd_kafka_t* client, rd_kafka_queue_t* queue);
  void go_on(rd_kafka_t* client, rd_kafka_queue_t* queue);
  void told_anew(const rd_kafka_topic_partition_list_t& sent, bool committed);
  void settle(const rd_kafka_topic_partition_list_t& sent, rd_kafka_resp_err_t error);
  void end(core::CommitResult result);

  Assignment& assignment_;
  core::Events& events_;
  bool open_ = false;              // The gate waits for an answer.
  int transactions_ = 0;           // That have their offsets, and have not ended.
  bool on_way_ = false;            // librdkafka has a commit that it has not answered.
  bool fenced_ = false;            // The group has gone on without us.
  bool metadata_refused_ = false;  // The brokers take less than it needs: they get none any more.
  std::uint64_t generation_ = 0;
  std::shared_ptr<const rd_kafka_consumer_group_metadata_t> member_;  // Of that generation.
  std::uint64_t generation_on_way_ = 0;  // Of the commit that librdkafka has.
  ListHandle sent_;                      // That commit.
  ListHandle waiting_;  // The open commit, while one that was given up is still on its way.
  std::vector<ListHandle> parts_;           // What of the open commit is to be sent yet.
  bool part_failed_ = false;                // And is worth another try.
  std::vector<core::PartitionId> settled_;  // Of the open commit.
};

}  // namespace einlass::kafka
