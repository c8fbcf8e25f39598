#include "adapters/kafka/source/rebalance.h"

#include <optional>
#include <utility>
#include <vector>

#include "text/partition_words.h"
#include "units/check.h"

namespace einlass::kafka {

Rebalance::Rebalance(const SourceOptions& options, const RebalanceParts& parts)
    : parts_(parts), routes_(options), revoke_timeout_(options.revoke_timeout) {}

std::string Rebalance::handle(EventHandle event, Instant now) {
  if (revoking_ == nullptr) return begin(std::move(event), now);
  CHECK(waiting_.size() < kMostWaiting);
  waiting_.push_back(std::move(event));
  return {};
}

std::string Rebalance::begin(EventHandle event, Instant now) {
  const rd_kafka_topic_partition_list_t* list = rd_kafka_event_topic_partition_list(event.get());
  if (rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    return assign(list);
  }
  revoke(list, parts_.fetching.may_be_lost(list), now);
  if (not_done_ == 0) return parts_.fetching.give_back(list);
  revoking_ = std::move(event);
  return {};
}

// The group has its answer at once, though nothing can be read before the committed offsets are
// known: it would wait, and with it the other members, for brokers that may be away.
std::string Rebalance::assign(const rd_kafka_topic_partition_list_t* list) {
  parts_.commits.begin_generation(parts_.fetching.member());
  // An id must not mean something new while a commit or a transaction may still name it.
  if (!parts_.commits.names_partitions()) parts_.assignment.recycle();
  const std::string error = parts_.fetching.accept();
  if (!error.empty()) {
    joined_ = false;
    return error;
  }
  std::vector<TopicPartition> strangers;
  for (const auto& entry : elements(list)) {
    const PartitionNumber number{entry.partition};
    const std::optional<core::RouteId> route = routes_.find(entry.topic);
    if (!route) {
      strangers.push_back({entry.topic, number});
      continue;
    }
    parts_.positions.seek(parts_.assignment.add(entry.topic, number, *route));
  }
  joined_ = true;
  if (strangers.empty()) return {};
  return "it gave us " + partitions_in_words(std::move(strangers)) +
         ", which no route reads any more: the group remembers what this instance read before its "
         "configuration changed. Stop it for longer than session.timeout.ms, or give it a new "
         "instance name";
}

void Rebalance::revoke(const rd_kafka_topic_partition_list_t* list, bool lost, Instant now) {
  if (lost) {
    joined_ = false;
    parts_.commits.give_up();
  }
  not_done_ = 0;
  bool was_ours = false;
  for (const auto& entry : elements(list)) {
    Partition* partition = parts_.assignment.find(entry.topic, PartitionNumber{entry.partition});
    if (partition == nullptr || partition->phase == Phase::done) continue;
    was_ours = true;
    if (partition->phase == Phase::waiting) {
      partition->phase = Phase::done;
      continue;
    }
    partition->leaving = true;
    ++not_done_;
    if (partition->phase != Phase::reading) continue;
    partition->phase = lost ? Phase::lost : Phase::revoking;
    if (lost) {
      ++lost_;
      parts_.events.push_back(core::PartitionLost{partition->id});
    } else {
      parts_.events.push_back(core::PartitionRevoked{partition->id, now + revoke_timeout_});
    }
  }
  if (lost && was_ours) ++losses_;
}

std::string Rebalance::partition_done(Partition& partition, Instant now) {
  CHECK(partition.phase != Phase::done);
  if (partition.phase == Phase::lost && !partition.leaving) {
    restart(partition);
    return {};
  }
  partition.phase = Phase::done;
  if (!partition.leaving || --not_done_ > 0) return {};
  const EventHandle event = std::move(revoking_);
  std::string error = parts_.fetching.give_back(rd_kafka_event_topic_partition_list(event.get()));
  while (revoking_ == nullptr && !waiting_.empty()) {
    EventHandle next = std::move(waiting_.front());
    waiting_.pop_front();
    error += begin(std::move(next), now);
  }
  return error;
}

// The partition is still ours, but its log began anew, or nobody knows what is committed of it: for
// the gate that is another assignment.
void Rebalance::restart(Partition& partition) {
  const std::string topic = partition.topic;
  const PartitionNumber number = partition.number;
  const core::RouteId route = partition.route;
  const bool fetched = partition.fetched;
  // Where nothing of the new log is known to be committed, the group may have the old one's still.
  const bool anew_still = partition.anew && partition.committed.value < 0;
  const bool begins_anew = !partition.same_log || anew_still;
  parts_.assignment.remove(partition);
  if (!parts_.commits.names_partitions()) parts_.assignment.recycle();
  Partition& anew = parts_.assignment.add(topic, number, route);
  anew.anew = begins_anew;
  anew.fetched = fetched;
  parts_.positions.seek(anew);
}

}  // namespace einlass::kafka
