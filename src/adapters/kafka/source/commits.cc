#include "adapters/kafka/source/commits.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/partitions/fetching.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

// A broker that has just come up does not know its topics either.
constexpr int kMostNotThere = 5;

// One topic's, whatever the others of the list had.
bool is_of_topic(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
}

core::CommitResult result_of(rd_kafka_t* client, rd_kafka_resp_err_t error) {
  return commit_result(error, is_cooperative(client) && !rd_kafka_assignment_lost(client));
}

core::PartitionId id_of(const rd_kafka_topic_partition_t& entry) {
  return core::PartitionId{
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(entry.opaque))};
}

// The same, as one list for each topic.
std::vector<ListHandle> by_topic(rd_kafka_t* client, const rd_kafka_topic_partition_list_t& sent) {
  std::map<std::string_view, ListHandle> lists;
  for (const auto& entry : elements(&sent)) {
    ListHandle& list = lists[entry.topic];
    if (list == nullptr) list.reset(rd_kafka_topic_partition_list_new(sent.cnt));
    auto& copy = *rd_kafka_topic_partition_list_add(list.get(), entry.topic, entry.partition);
    copy.offset = entry.offset;
    copy.opaque = entry.opaque;
    set_metadata(client, copy, {static_cast<const char*>(entry.metadata), entry.metadata_size});
  }
  std::vector<ListHandle> parts;
  for (auto& [topic, list] : lists) parts.push_back(std::move(list));
  return parts;
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
  part_failed_ = false;
  settled_.clear();
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

void Commits::tell_began_anew(rd_kafka_t* client, rd_kafka_queue_t* queue) {
  if (open_ || on_way_ || fenced_ || rd_kafka_assignment_lost(client)) return;
  ListHandle list(rd_kafka_topic_partition_list_new(1));
  assignment_.for_each([&](Partition& partition) {
    const bool stuck = partition.phase == Phase::waiting && partition.finding == Finding::stuck;
    if (!stuck || !partition.anew || partition.told_anew) return;
    add(client, list.get(), partition,
        {partition.id, partition.log->start, std::string(kBeganAnew)});
    partition.told_anew = true;
  });
  if (list->cnt == 0) return;
  const auto error = rd_kafka_commit_queue(client, list.get(), queue, nullptr, nullptr);
  if (error) return told_anew(*list, false);
  sent_ = std::move(list);
  on_way_ = true;
  generation_on_way_ = generation_;
}

// What became of that; the gate's commits are none of waiting partitions.
void Commits::told_anew(const rd_kafka_topic_partition_list_t& sent, bool committed) {
  for (const auto& entry : elements(&sent)) {
    Partition* partition = assignment_.in_use(id_of(entry));
    if (partition == nullptr || partition->phase != Phase::waiting) continue;
    if (!partition->told_anew) continue;  // The id was another partition's then.
    partition->told_anew = committed;
    if (committed) partition->committed = Offset{entry.offset};
  }
}

ListHandle Commits::list_of(rd_kafka_t* client, std::span<const core::CommitEntry> entries) {
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(entries.size())));
  for (const core::CommitEntry& entry : entries) {
    Partition* partition = committable(entry.partition);
    if (partition == nullptr) continue;
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
  added->opaque = reinterpret_cast<void*>(std::uintptr_t{entry.partition.value});
  // Where a log began anew that is said all the same: it is short, and without it the next one to
  // have the partition would take the offset for what the group has read.
  const bool is_short = entry.finished == kBeganAnew;
  if (!metadata_refused_ || is_short) set_metadata(client, *added, entry.finished);
}

// Of the open commit the gate has seen to it that it does not, but not of one that was given up.
bool Commits::on_way_names(const Partition& partition) const {
  return on_way_ && rd_kafka_topic_partition_list_find(sent_.get(), partition.topic.c_str(),
                                                       partition.number.value) != nullptr;
}

// A commit of other partitions may be on its way meanwhile, in either order: the group keeps each
// partition's offset by itself, neither request changes who is in the group, and both are refused
// alike once it has gone on.
std::optional<GroupOffsets> Commits::offsets_for(rd_kafka_t* client,
                                                 std::span<const core::CommitEntry> entries) {
  if (fenced_ || member_ == nullptr || rd_kafka_assignment_lost(client)) return std::nullopt;
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(entries.size())));
  for (const core::CommitEntry& entry : entries) {
    Partition* partition = committable(entry.partition);
    if (partition == nullptr || on_way_names(*partition)) return std::nullopt;
    add(client, list.get(), *partition, entry);
  }
  ++transactions_;
  return GroupOffsets{std::move(list), member_};
}

void Commits::transaction_ended(std::span<const core::CommitEntry> entries, TransactionEnd end) {
  --transactions_;
  if (end == TransactionEnd::metadata_refused) metadata_refused_ = true;
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
  if (error) return end(result_of(client, error));
  sent_ = std::move(list);
  on_way_ = true;
  generation_on_way_ = generation_;
}

rd_kafka_resp_err_t Commits::ended(rd_kafka_t* client, rd_kafka_queue_t* queue,
                                   rd_kafka_event_t* event) {
  const rd_kafka_resp_err_t error = error_of(event);
  const core::CommitResult result = result_of(client, error);
  const bool current = generation_on_way_ == generation_;
  ListHandle sent = std::move(sent_);
  on_way_ = false;
  told_anew(*sent, !error);
  if (current && result == core::CommitResult::fenced) fenced_ = true;
  if (waiting_ != nullptr) {
    send_waiting(client, queue);
    return error;
  }
  if (!open_) return error;
  if (error == RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE && current && !metadata_refused_) {
    metadata_refused_ = true;
    drop_metadata(client, sent.get());
    send(client, queue, std::move(sent));
    return error;
  }
  if (result == core::CommitResult::fenced) {
    end(result);
    return error;
  }
  std::vector<ListHandle> parts;
  if (is_of_topic(error) && current) parts = by_topic(client, *sent);
  if (parts.size() > 1) {
    parts_ = std::move(parts);
  } else {
    settle(*sent, error);
    const bool stop = !current || (error && !is_of_topic(error));
    part_failed_ = part_failed_ || error || (stop && !parts_.empty());
    if (stop) parts_.clear();
  }
  go_on(client, queue);
  return error;
}

// What was on its way may have been of the same generation, and told that the group has gone on.
void Commits::send_waiting(rd_kafka_t* client, rd_kafka_queue_t* queue) {
  ListHandle list = std::move(waiting_);
  if (fenced_) return end(core::CommitResult::fenced);
  send(client, queue, std::move(list));
}

// With the next topic of the open commit; after the last one it has ended.
void Commits::go_on(rd_kafka_t* client, rd_kafka_queue_t* queue) {
  if (parts_.empty()) {
    return end(part_failed_ ? core::CommitResult::failed : core::CommitResult::committed);
  }
  ListHandle next = std::move(parts_.back());
  parts_.pop_back();
  send(client, queue, std::move(next));
}

void Commits::settle(const rd_kafka_topic_partition_list_t& sent, rd_kafka_resp_err_t error) {
  const bool forbidden = error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  for (const auto& entry : elements(&sent)) {
    Partition* partition = assignment_.in_use(id_of(entry));
    if (partition != nullptr) partition->commit_forbidden = forbidden;
    if (error && error != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) continue;
    const bool again = error && partition && ++partition->not_there < kMostNotThere;
    if (again) continue;
    settled_.push_back(id_of(entry));
    if (partition == nullptr || error) continue;
    partition->not_there = 0;
    partition->committed = Offset{entry.offset};
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
  parts_.clear();
  events_.push_back(core::CommitEnded{result, settled_});
}

}  // namespace einlass::kafka
