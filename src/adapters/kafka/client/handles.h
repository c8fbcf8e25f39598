// Owners for what librdkafka's C API gives out.
//
// The client itself (rd_kafka_t) has no owner here: a consumer is left to the end of the process
// (source.cc says why), a producer is destroyed on a thread of its own (producer.cc).
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace einlass::kafka {

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};

using ConfHandle = std::unique_ptr<rd_kafka_conf_t, Destroy<rd_kafka_conf_destroy>>;
using QueueHandle = std::unique_ptr<rd_kafka_queue_t, Destroy<rd_kafka_queue_destroy>>;
using EventHandle = std::unique_ptr<rd_kafka_event_t, Destroy<rd_kafka_event_destroy>>;
using MessageHandle = std::unique_ptr<rd_kafka_message_t, Destroy<rd_kafka_message_destroy>>;
using HeadersHandle = std::unique_ptr<rd_kafka_headers_t, Destroy<rd_kafka_headers_destroy>>;
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, Destroy<rd_kafka_topic_destroy>>;
using AdminOptionsHandle =
    std::unique_ptr<rd_kafka_AdminOptions_t, Destroy<rd_kafka_AdminOptions_destroy>>;
using ErrorHandle = std::unique_ptr<rd_kafka_error_t, Destroy<rd_kafka_error_destroy>>;
using ListHandle = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                   Destroy<rd_kafka_topic_partition_list_destroy>>;
using GroupMemberHandle = std::unique_ptr<rd_kafka_consumer_group_metadata_t,
                                          Destroy<rd_kafka_consumer_group_metadata_destroy>>;
using TopicPartitionHandle =
    std::unique_ptr<rd_kafka_topic_partition_t, Destroy<rd_kafka_topic_partition_destroy>>;

// The elements of a list; none for nullptr.
inline std::span<const rd_kafka_topic_partition_t> elements(
    const rd_kafka_topic_partition_list_t* list) {
  if (list == nullptr) return {};
  return {list->elems, static_cast<std::size_t>(list->cnt)};
}

// The first error in an answer: where only some partitions failed, librdkafka does not always say
// so for the whole.
inline rd_kafka_resp_err_t error_of(rd_kafka_event_t* event) {
  if (const auto error = rd_kafka_event_error(event)) return error;
  for (const auto& entry : elements(rd_kafka_event_topic_partition_list(event))) {
    if (entry.err) return entry.err;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

// The text beside an offset; none where it is empty. librdkafka frees it with the list. `client` is
// any of ours. REQUIRES: the entry has none.
inline void set_metadata(rd_kafka_t* client, rd_kafka_topic_partition_t& entry,
                         std::string_view text) {
  if (text.empty()) return;
  entry.metadata = rd_kafka_mem_malloc(client, text.size());
  entry.metadata_size = text.size();
  std::memcpy(entry.metadata, text.data(), text.size());
}

}  // namespace einlass::kafka
