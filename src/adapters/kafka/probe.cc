#include "adapters/kafka/probe.h"

namespace einlass::kafka {

void Probe::ask(rd_kafka_t* client, rd_kafka_queue_t* queue) {
  if (open_) return;
  open_ = true;
  const ListHandle partitions(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(partitions.get(), topic_.c_str(), 0);
  const ListOffsetsHandle request(
      rd_kafka_ListConsumerGroupOffsets_new(group_.c_str(), partitions.get()));
  const AdminOptionsHandle options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS));
  char reason[128];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kTimeoutMs, reason, sizeof reason);
  rd_kafka_ListConsumerGroupOffsets_t* requests[] = {request.get()};
  rd_kafka_ListConsumerGroupOffsets(client, requests, 1, options.get(), queue);
}

bool Probe::answered(rd_kafka_event_t* event) {
  open_ = false;
  if (rd_kafka_event_error(event)) return false;
  const auto* result = rd_kafka_event_ListConsumerGroupOffsets_result(event);
  std::size_t count = 0;
  const rd_kafka_group_result_t** groups =
      rd_kafka_ListConsumerGroupOffsets_result_groups(result, &count);
  return count == 1 && rd_kafka_group_result_error(groups[0]) == nullptr;
}

}  // namespace einlass::kafka
