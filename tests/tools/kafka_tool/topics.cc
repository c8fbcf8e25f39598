// Topics and offsets.
#include <array>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/kafka_tool/verbs.h"

namespace einlass::tools {
namespace {

using Json = nlohmann::json;

// Longer than a transaction may be open: until it ends nobody is told what its group has committed.
constexpr int kTimeoutMs = 60'000;

Event wait_for(rd_kafka_queue_t* queue, const std::string& what) {
  Event event(rd_kafka_queue_poll(queue, kTimeoutMs));
  if (!event) throw std::runtime_error(what + ": no answer");
  require(rd_kafka_event_error(event.get()), what);
  return event;
}

// A broker that has just come up, or has just given a group to another, says so for a moment.
bool not_yet(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_NOT_COORDINATOR ||
         error == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS;
}

// What a group has committed of these partitions, filled in.
void read_committed(rd_kafka_t* client, rd_kafka_topic_partition_list_t* list,
                    const std::string& group) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTimeoutMs);
  rd_kafka_resp_err_t error = rd_kafka_committed(client, list, kTimeoutMs);
  while (not_yet(error) && std::chrono::steady_clock::now() < deadline) {
    rd_kafka_poll(client, 50);
    error = rd_kafka_committed(client, list, kTimeoutMs);
  }
  require(error, "committed of " + group);
  for (int i = 0; i < list->cnt; ++i) require(list->elems[i].err, "committed of " + group);
}

void require_topics(const rd_kafka_topic_result_t** results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    require(rd_kafka_topic_result_error(results[i]), rd_kafka_topic_result_name(results[i]));
  }
}

rd_kafka_NewTopic_t* describe(const std::string& topic, int partitions,
                              const std::vector<std::string>& configs) {
  std::array<char, 512> error{};
  rd_kafka_NewTopic_t* wanted =
      rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, error.data(), error.size());
  if (wanted == nullptr) throw std::runtime_error(error.data());
  for (const std::string& config : configs) {
    const auto equals = config.find('=');
    if (equals == std::string::npos) throw std::runtime_error("not NAME=VALUE: " + config);
    rd_kafka_NewTopic_set_config(wanted, config.substr(0, equals).c_str(),
                                 config.substr(equals + 1).c_str());
  }
  return wanted;
}

}  // namespace

void create_topic(const Properties& properties, const std::string& topic, int partitions,
                  const std::vector<std::string>& configs) {
  const Client client = make_client(RD_KAFKA_PRODUCER, properties);
  const Queue queue(rd_kafka_queue_new(client.get()));
  rd_kafka_NewTopic_t* wanted = describe(topic, partitions, configs);
  rd_kafka_CreateTopics(client.get(), &wanted, 1, nullptr, queue.get());
  rd_kafka_NewTopic_destroy(wanted);
  const Event event = wait_for(queue.get(), "create " + topic);
  std::size_t count = 0;
  const auto* result = rd_kafka_event_CreateTopics_result(event.get());
  require_topics(rd_kafka_CreateTopics_result_topics(result, &count), count);
  std::cout << Json{{"topic", topic}, {"partitions", partitions}} << '\n';
}

void delete_topic(const Properties& properties, const std::string& topic) {
  const Client client = make_client(RD_KAFKA_PRODUCER, properties);
  const Queue queue(rd_kafka_queue_new(client.get()));
  rd_kafka_DeleteTopic_t* doomed = rd_kafka_DeleteTopic_new(topic.c_str());
  rd_kafka_DeleteTopics(client.get(), &doomed, 1, nullptr, queue.get());
  rd_kafka_DeleteTopic_destroy(doomed);
  const Event event = wait_for(queue.get(), "delete " + topic);
  std::size_t count = 0;
  const auto* result = rd_kafka_event_DeleteTopics_result(event.get());
  require_topics(rd_kafka_DeleteTopics_result_topics(result, &count), count);
  std::cout << Json{{"topic", topic}} << '\n';
}

void print_end_offsets(const Properties& properties, const std::string& topic) {
  const Client client = make_client(RD_KAFKA_PRODUCER, properties);
  std::cout << Json(end_offsets(client.get(), topic)) << '\n';
}

void print_committed(const Properties& properties, const std::string& topic,
                     const std::string& group) {
  Properties all = properties;
  all["group.id"] = group;
  const Client client = make_client(RD_KAFKA_CONSUMER, all);
  const int partitions = partition_count(client.get(), topic);
  const PartitionList list(rd_kafka_topic_partition_list_new(partitions));
  for (int i = 0; i < partitions; ++i) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i);
  }
  read_committed(client.get(), list.get(), group);
  Json answer = Json::array();
  for (int i = 0; i < list->cnt; ++i) {
    const auto& element = list->elems[i];
    const std::string metadata(static_cast<const char*>(element.metadata), element.metadata_size);
    answer.push_back(
        {{"offset", element.offset < 0 ? Json() : Json(element.offset)}, {"metadata", metadata}});
  }
  std::cout << answer << '\n';
}

}  // namespace einlass::tools
