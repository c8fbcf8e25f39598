#include "adapters/kafka/commits.h"

#include <cstring>
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

// librdkafka frees it with the list.
void set_metadata(rd_kafka_t* client, rd_kafka_topic_partition_t& entry, const std::string& text) {
  if (text.empty()) return;
  entry.metadata = rd_kafka_mem_malloc(client, text.size());
  entry.metadata_size = text.size();
  std::memcpy(entry.metadata, text.data(), text.size());
}

void drop_metadata(rd_kafka_t* client, rd_kafka_topic_partition_list_t* list) {
  for (int i = 0; i < list->cnt; ++i) {
    rd_kafka_topic_partition_t& entry = list->elems[i];
    if (entry.metadata == nullptr) continue;
    rd_kafka_mem_free(client, entry.metadata);
    entry.metadata = nullptr;
    entry.metadata_size = 0;
  }
}

}  // namespace

void Commits::begin(rd_kafka_t* client, rd_kafka_queue_t* queue,
                    std::span<const core::CommitEntry> entries, bool reachable) {
  CHECK(!open_);
  open_ = true;
  if (entries.empty()) return end(core::CommitResult::committed);
  ListHandle list = list_of(client, entries);
  if (fenced_) return end(core::CommitResult::fenced);
  // All of it was lost meanwhile, and the gate knows; that says nothing of other partitions.
  if (list->cnt == 0 || !reachable) return end(core::CommitResult::failed);
  if (on_way_) {
    waiting_ = std::move(list);
  } else {
    send(client, queue, std::move(list));
  }
}

ListHandle Commits::list_of(rd_kafka_t* client, std::span<const core::CommitEntry> entries) {
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(entries.size())));
  ids_.clear();
  for (const core::CommitEntry& entry : entries) {
    Partition* partition = committable(entry.partition);
    if (partition == nullptr) continue;
    ids_.push_back(entry.partition);
    partition->uncommitted = true;
    add(client, list.get(), *partition, entry);
  }
  return list;
}

// Null where it is lost, or not the gate's, whatever that says.
Partition* Commits::committable(core::PartitionId id) const {
  Partition* partition = assignment_.in_use(id);
  if (partition == nullptr || partition->phase == Phase::lost) return nullptr;
  return partition->phase == Phase::waiting ? nullptr : partition;
}

void Commits::add(rd_kafka_t* client, rd_kafka_topic_partition_list_t* list,
                  const Partition& partition, const core::CommitEntry& entry) const {
  rd_kafka_topic_partition_t* added =
      rd_kafka_topic_partition_list_add(list, partition.topic.c_str(), partition.number.value);
  added->offset = entry.next.value;
  if (!metadata_refused_) set_metadata(client, *added, entry.finished);
}

std::optional<GroupOffsets> Commits::offsets_for(rd_kafka_t* client,
                                                 std::span<const core::CommitEntry> entries) {
  if (fenced_ || on_way_ || member_ == nullptr || rd_kafka_assignment_lost(client)) {
    return std::nullopt;
  }
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(entries.size())));
  for (const core::CommitEntry& entry : entries) {
    Partition* partition = committable(entry.partition);
    if (partition == nullptr) return std::nullopt;
    add(client, list.get(), *partition, entry);
  }
  ++transactions_;
  return GroupOffsets{std::move(list), member_};
}

void Commits::transaction_ended(std::span<const core::CommitEntry> entries, TransactionEnd end) {
  --transactions_;
  if (end != TransactionEnd::committed) return;
  for (const core::CommitEntry& entry : entries) {
    Partition* partition = assignment_.in_use(entry.partition);
    if (partition == nullptr) continue;
    partition->committed = entry.next;
    partition->uncommitted = false;
  }
}

void Commits::send(rd_kafka_t* client, rd_kafka_queue_t* queue, ListHandle list) {
  if (rd_kafka_assignment_lost(client)) return end(core::CommitResult::fenced);
  const auto error = rd_kafka_commit_queue(client, list.get(), queue, nullptr, nullptr);
  if (error) return end(commit_result(error));
  sent_ = std::move(list);
  on_way_ = true;
  generation_on_way_ = generation_;
}

rd_kafka_resp_err_t Commits::ended(rd_kafka_t* client, rd_kafka_queue_t* queue,
                                   rd_kafka_event_t* event) {
  const rd_kafka_resp_err_t error = error_of(event);
  const core::CommitResult result = commit_result(error);
  const bool current = generation_on_way_ == generation_;
  ListHandle sent = std::move(sent_);
  on_way_ = false;
  if (current && result == core::CommitResult::fenced) fenced_ = true;
  if (waiting_ != nullptr) {
    send(client, queue, std::move(waiting_));
    return error;
  }
  if (!open_) return error;
  if (error == RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE && current && !metadata_refused_) {
    metadata_refused_ = true;
    drop_metadata(client, sent.get());
    send(client, queue, std::move(sent));
    return error;
  }
  if (!error) acknowledge(*sent);
  end(result);
  return error;
}

void Commits::acknowledge(const rd_kafka_topic_partition_list_t& sent) {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    Partition* partition = assignment_.in_use(ids_[i]);
    if (partition == nullptr) continue;
    partition->committed = Offset{sent.elems[i].offset};
    partition->uncommitted = false;
  }
}

void Commits::give_up() {
  fenced_ = true;
  waiting_.reset();
  if (open_) end(core::CommitResult::fenced);
}

void Commits::begin_generation(GroupMemberHandle member) {
  ++generation_;
  member_ = std::move(member);
  fenced_ = false;
  if (waiting_ == nullptr) return;
  waiting_.reset();
  end(core::CommitResult::failed);
}

void Commits::end(core::CommitResult result) {
  open_ = false;
  events_.push_back(core::CommitEnded{result});
}

}  // namespace einlass::kafka
