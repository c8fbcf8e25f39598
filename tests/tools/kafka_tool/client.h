// A librdkafka handle and its lists, with an owner; errors as exceptions, since this is a tool.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace einlass::tools {

using Properties = std::map<std::string, std::string>;

struct Destroy {
  void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
};

using Client = std::unique_ptr<rd_kafka_t, Destroy>;
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t, Destroy>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Destroy>;
using Event = std::unique_ptr<rd_kafka_event_t, Destroy>;
using Message = std::unique_ptr<rd_kafka_message_t, Destroy>;

using Reported = void (*)(rd_kafka_t* client, const rd_kafka_message_t* message, void* opaque);

// Throws std::runtime_error with librdkafka's words for a wrong property. A producer's `reported`
// is told, while it is polled or flushed, of each record what became of it.
Client make_client(rd_kafka_type_t type, const Properties& properties, Reported reported = nullptr,
                   void* opaque = nullptr);

// Throws std::runtime_error as "what: why" unless `error` is none.
void require(rd_kafka_resp_err_t error, const std::string& what);

// How many partitions a topic has. Throws if there is no such topic.
int partition_count(rd_kafka_t* client, const std::string& topic);

// The offset after the last record, for each partition.
std::vector<std::int64_t> end_offsets(rd_kafka_t* client, const std::string& topic);

}  // namespace einlass::tools
