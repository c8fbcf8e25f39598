#include "adapters/kafka/rebalance.h"

#include <string_view>
#include <utility>

#include "units/check.h"

namespace einlass::kafka {
namespace {

bool cooperative(rd_kafka_t* client) {
  const char* protocol = rd_kafka_rebalance_protocol(client);
  return protocol != nullptr && std::string_view(protocol) == "COOPERATIVE";
}

std::string text_of(rd_kafka_error_t* error) {
  const ErrorHandle owned(error);
  return error == nullptr ? std::string() : rd_kafka_error_string(error);
}

std::string text_of(rd_kafka_resp_err_t error) {
  return error ? rd_kafka_err2str(error) : std::string();
}

// The queue must be taken from librdkafka's common one before the partition is assigned, or its
// first messages go there.
QueueHandle own_queue(rd_kafka_t* client, const char* topic, PartitionNumber number) {
  QueueHandle queue(rd_kafka_queue_get_partition(client, topic, number.value));
  CHECK(queue != nullptr);
  rd_kafka_queue_forward(queue.get(), nullptr);
  return queue;
}

}  // namespace

Rebalance::Rebalance(const SourceOptions& options, Assignment& assignment, Commits& commits,
                     core::Events& events)
    : assignment_(assignment),
      commits_(commits),
      events_(events),
      revoke_timeout_(options.revoke_timeout) {
  for (const auto& topic : options.topics) routes_[topic.name] = topic.route;
}

std::string Rebalance::handle(rd_kafka_t* client, EventHandle event, Instant now) {
  if (revoking_ == nullptr) return begin(client, std::move(event), now);
  CHECK(waiting_.size() < kMostWaiting);
  waiting_.push_back(std::move(event));
  return {};
}

std::string Rebalance::begin(rd_kafka_t* client, EventHandle event, Instant now) {
  const rd_kafka_topic_partition_list_t* list = rd_kafka_event_topic_partition_list(event.get());
  if (rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    return assign(client, list);
  }
  revoke(list, rd_kafka_assignment_lost(client) != 0, now);
  revoking_ = std::move(event);
  return not_done_ == 0 ? unassign(client) : std::string();
}

std::string Rebalance::assign(rd_kafka_t* client, const rd_kafka_topic_partition_list_t* list) {
  // An id must not mean something new while an open commit may still name it.
  if (!commits_.open()) assignment_.recycle();
  std::vector<Partition*> added;
  std::string strangers;
  const ListHandle ours(rd_kafka_topic_partition_list_new(list->cnt));
  for (const auto& entry : elements(list)) {
    const PartitionNumber number{entry.partition};
    const auto route = routes_.find(entry.topic);
    if (route == routes_.end()) {
      strangers = std::string("it gave us ") + entry.topic +
                  ", which no route reads any more: the group remembers what this instance read "
                  "before its configuration changed. Stop it for longer than session.timeout.ms, "
                  "or give it a new instance name";
      continue;
    }
    rd_kafka_topic_partition_list_add(ours.get(), entry.topic, entry.partition);
    added.push_back(&assignment_.add(entry.topic, number, route->second,
                                     own_queue(client, entry.topic, number)));
  }
  const std::string error = cooperative(client)
                                ? text_of(rd_kafka_incremental_assign(client, ours.get()))
                                : text_of(rd_kafka_assign(client, ours.get()));
  for (Partition* partition : added) {
    if (error.empty()) {
      events_.push_back(
          core::PartitionAssigned{partition->id, partition->route, Offset{partition->next}});
    } else {
      assignment_.remove(*partition);
    }
  }
  joined_ = error.empty();
  return error.empty() ? strangers : error;
}

void Rebalance::revoke(const rd_kafka_topic_partition_list_t* list, bool lost, Instant now) {
  if (lost) {
    joined_ = false;
    commits_.give_up();
  }
  not_done_ = 0;
  for (const auto& entry : elements(list)) {
    Partition* partition = assignment_.find(entry.topic, PartitionNumber{entry.partition});
    if (partition == nullptr || partition->phase == Phase::done) continue;
    partition->leaving = true;
    ++not_done_;
    partition->kept.reset();
    if (partition->phase != Phase::reading) continue;
    partition->phase = lost ? Phase::lost : Phase::revoking;
    if (lost) {
      events_.push_back(core::PartitionLost{partition->id});
    } else {
      events_.push_back(core::PartitionRevoked{partition->id, now + revoke_timeout_});
    }
  }
}

std::string Rebalance::partition_done(rd_kafka_t* client, Partition& partition, Instant now) {
  CHECK(partition.phase != Phase::done);
  if (partition.kept != nullptr) {
    restart(partition);
    return {};
  }
  partition.phase = Phase::done;
  if (!partition.leaving || --not_done_ > 0) return {};
  std::string error = unassign(client);
  while (revoking_ == nullptr && !waiting_.empty()) {
    EventHandle next = std::move(waiting_.front());
    waiting_.pop_front();
    error += begin(client, std::move(next), now);
  }
  return error;
}

// The partition is still ours, but its log began anew: for the gate that is another assignment.
void Rebalance::restart(Partition& partition) {
  QueueHandle queue = std::move(partition.queue);
  MessageHandle first = std::move(partition.kept);
  const std::string topic = partition.topic;
  const PartitionNumber number = partition.number;
  const core::RouteId route = partition.route;
  assignment_.remove(partition);
  if (!commits_.open()) assignment_.recycle();
  Partition& anew = assignment_.add(topic, number, route, std::move(queue));
  anew.kept = std::move(first);
  events_.push_back(core::PartitionAssigned{anew.id, route, Offset{anew.kept->offset}});
}

std::string Rebalance::unassign(rd_kafka_t* client) {
  const EventHandle event = std::move(revoking_);
  const rd_kafka_topic_partition_list_t* list = rd_kafka_event_topic_partition_list(event.get());
  for (const auto& entry : elements(list)) {
    Partition* partition = assignment_.find(entry.topic, PartitionNumber{entry.partition});
    if (partition != nullptr) assignment_.remove(*partition);
  }
  return cooperative(client) ? text_of(rd_kafka_incremental_unassign(client, list))
                             : text_of(rd_kafka_assign(client, nullptr));
}

}  // namespace einlass::kafka
