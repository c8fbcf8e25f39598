// What stands in a topic, read without a group.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <string>
#include <vector>

#include "adapters/kafka/harness.h"

namespace einlass::kafka::testing {

// Reads a partition from its start, without a group.
inline std::vector<Taken> read_all(const std::string& brokers, const std::string& topic,
                                   std::size_t count, std::int32_t number = 0) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
  rd_kafka_conf_set(conf, "group.id", "unused", nullptr, 0);
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
  rd_kafka_poll_set_consumer(client);
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, topic.c_str(), number)->offset = 0;
  rd_kafka_assign(client, list);
  rd_kafka_topic_partition_list_destroy(list);
  std::vector<Taken> found;
  const auto deadline = steady_clock::now() + std::chrono::seconds(10);
  while (found.size() < count && steady_clock::now() < deadline) {
    rd_kafka_message_t* message = rd_kafka_consumer_poll(client, 100);
    if (message == nullptr) continue;
    if (!message->err) {
      Taken one;
      one.number = message->partition;
      one.offset = message->offset;
      one.timestamp_ms = rd_kafka_message_timestamp(message, nullptr);
      if (message->payload) one.value.emplace(static_cast<char*>(message->payload), message->len);
      if (message->key) one.key.emplace(static_cast<char*>(message->key), message->key_len);
      rd_kafka_headers_t* headers = nullptr;
      rd_kafka_message_headers(message, &headers);
      const char* name = nullptr;
      const void* data = nullptr;
      std::size_t size = 0;
      for (std::size_t i = 0; headers && !rd_kafka_header_get_all(headers, i, &name, &data, &size);
           ++i) {
        one.headers.emplace_back(name, std::nullopt);
        if (data) one.headers.back().second.emplace(static_cast<const char*>(data), size);
      }
      found.push_back(std::move(one));
    }
    rd_kafka_message_destroy(message);
  }
  rd_kafka_consumer_close(client);
  rd_kafka_destroy(client);
  return found;
}

}  // namespace einlass::kafka::testing
