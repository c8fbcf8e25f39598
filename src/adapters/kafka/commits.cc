#include "adapters/kafka/commits.h"

#include <utility>

#include "adapters/kafka/errors.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

// The first error in an answer: where only some partitions failed, librdkafka does not always say
// so for the whole.
rd_kafka_resp_err_t error_of(rd_kafka_event_t* event) {
  if (const auto error = rd_kafka_event_error(event)) return error;
  for (const auto& entry : elements(rd_kafka_event_topic_partition_list(event))) {
    if (entry.err) return entry.err;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace

void Commits::begin(rd_kafka_t* client, rd_kafka_queue_t* queue,
                    std::span<const core::CommitEntry> entries) {
  CHECK(!open_);
  open_ = true;
  if (entries.empty()) return end(core::CommitResult::committed);
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(entries.size())));
  for (const core::CommitEntry& entry : entries) {
    const Partition* partition = assignment_.in_use(entry.partition);
    if (partition == nullptr || partition->phase == Phase::lost) continue;
    rd_kafka_topic_partition_list_add(list.get(), partition->topic.c_str(), partition->number.value)
        ->offset = entry.next.value;
  }
  // All of it was lost meanwhile, and the gate knows; that says nothing of other partitions.
  if (list->cnt == 0) return end(core::CommitResult::failed);
  if (on_way_) {
    waiting_ = std::move(list);
  } else {
    send(client, queue, std::move(list));
  }
}

void Commits::send(rd_kafka_t* client, rd_kafka_queue_t* queue, ListHandle list) {
  if (rd_kafka_assignment_lost(client)) return end(core::CommitResult::fenced);
  const auto error = rd_kafka_commit_queue(client, list.get(), queue, nullptr, nullptr);
  if (error) return end(commit_result(error));
  on_way_ = true;
}

rd_kafka_resp_err_t Commits::ended(rd_kafka_t* client, rd_kafka_queue_t* queue,
                                   rd_kafka_event_t* event) {
  const rd_kafka_resp_err_t error = error_of(event);
  on_way_ = false;
  if (waiting_ != nullptr) {
    send(client, queue, std::exchange(waiting_, nullptr));
    return error;
  }
  if (!open_) return error;
  for (const auto& entry : elements(rd_kafka_event_topic_partition_list(event))) {
    Partition* partition = assignment_.find(entry.topic, PartitionNumber{entry.partition});
    if (!error && partition != nullptr) partition->committed = Offset{entry.offset};
  }
  end(commit_result(error));
  return error;
}

void Commits::give_up() {
  waiting_.reset();
  if (open_) end(core::CommitResult::fenced);
}

void Commits::end(core::CommitResult result) {
  open_ = false;
  events_.push_back(core::CommitEnded{result});
}

}  // namespace einlass::kafka
