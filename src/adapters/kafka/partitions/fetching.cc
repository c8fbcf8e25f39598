#include "adapters/kafka/partitions/fetching.h"

#include <string_view>

#include "adapters/kafka/client/handles.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

std::string text_of(rd_kafka_error_t* error) {
  const ErrorHandle owned(error);
  return error == nullptr ? std::string() : rd_kafka_error_string(error);
}

std::string text_of(rd_kafka_resp_err_t error) {
  return error ? rd_kafka_err2str(error) : std::string();
}

ListHandle new_list() { return ListHandle(rd_kafka_topic_partition_list_new(8)); }

// It must be taken from librdkafka's common one before the partition is assigned, or its first
// messages go there; and not long before, for librdkafka may replace a partition that nobody reads.
QueueHandle own_queue(rd_kafka_t* client, const Partition& partition) {
  QueueHandle queue(
      rd_kafka_queue_get_partition(client, partition.topic.c_str(), partition.number.value));
  CHECK(queue != nullptr);
  rd_kafka_queue_forward(queue.get(), nullptr);
  return queue;
}

void add(const ListHandle& list, const Partition& partition) {
  rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.number.value)
      ->offset = partition.next;
}

}  // namespace

bool is_cooperative(rd_kafka_t* client) {
  const char* protocol = rd_kafka_rebalance_protocol(client);
  return protocol != nullptr && std::string_view(protocol) == "COOPERATIVE";
}

std::string Fetching::accept() {
  const ListHandle none = new_list();
  return is_cooperative(client_) ? text_of(rd_kafka_incremental_assign(client_, none.get()))
                                 : text_of(rd_kafka_assign(client_, none.get()));
}

std::string Fetching::read_on(std::span<Partition* const> moved) {
  for (Partition* partition : moved) {
    if (partition->queue == nullptr) assignment_.attach(*partition, own_queue(client_, *partition));
  }
  std::string error;
  if (is_cooperative(client_)) {
    const ListHandle before = new_list(), after = new_list();
    for (const Partition* partition : moved) {
      if (partition->fetched) add(before, *partition);
      add(after, *partition);
    }
    // Of nothing it would be the answer to a revocation that we have not seen yet.
    if (before->cnt > 0) {
      error = text_of(rd_kafka_incremental_unassign(client_, before.get()));
    }
    if (error.empty()) {
      for (Partition* partition : moved) partition->fetched = false;
      error = text_of(rd_kafka_incremental_assign(client_, after.get()));
    }
  } else {
    const ListHandle all = new_list();
    assignment_.for_each([&](const Partition& partition) {
      const bool known = partition.finding == Finding::found || partition.finding == Finding::read;
      if (partition.is_ours() && known) add(all, partition);
    });
    error = text_of(rd_kafka_assign(client_, all.get()));
  }
  unsure_ = true;
  if (!error.empty()) return error;
  for (Partition* partition : moved) partition->fetched = true;
  // What was in their queues is gone, and no event tells of what came into them meanwhile.
  assignment_.for_each([this](Partition& partition) { assignment_.more(partition); });
  return {};
}

std::string Fetching::give_back(const rd_kafka_topic_partition_list_t* list) {
  const ListHandle fetched = new_list();
  for (const auto& entry : elements(list)) {
    Partition* partition = assignment_.find(entry.topic, PartitionNumber{entry.partition});
    if (partition == nullptr) continue;
    if (partition->fetched) add(fetched, *partition);
    assignment_.remove(*partition);
  }
  return is_cooperative(client_) ? text_of(rd_kafka_incremental_unassign(client_, fetched.get()))
                                 : text_of(rd_kafka_assign(client_, nullptr));
}

bool Fetching::may_be_lost() const { return unsure_ || rd_kafka_assignment_lost(client_) != 0; }

bool Fetching::may_be_lost(const rd_kafka_topic_partition_list_t* list) const {
  bool all = true;
  assignment_.for_each([&](const Partition& partition) {
    all &= rd_kafka_topic_partition_list_find(list, partition.topic.c_str(),
                                              partition.number.value) != nullptr;
  });
  return all && may_be_lost();
}

}  // namespace einlass::kafka
