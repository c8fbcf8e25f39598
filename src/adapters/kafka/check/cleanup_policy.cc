#include "adapters/kafka/check/cleanup_policy.h"

#include <librdkafka/rdkafka.h>

#include <cstddef>
#include <string_view>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/questions/hand_assigned_consumer.h"

namespace einlass::kafka {
namespace {

constexpr const char* kPolicy = "cleanup.policy";

// librdkafka 2.0.2 may end the process when it is asked for a configuration before it is connected.
bool connects(rd_kafka_t* client, const std::string& topic, int patience_ms) {
  const TopicHandle handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const struct rd_kafka_metadata* metadata = nullptr;
  if (!handle || rd_kafka_metadata(client, 0, handle.get(), &metadata, patience_ms)) return false;
  rd_kafka_metadata_destroy(metadata);
  return true;
}

std::optional<std::string> policy_in(const rd_kafka_ConfigResource_t* topic) {
  std::size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(topic, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    const bool found = std::string_view(rd_kafka_ConfigEntry_name(entries[i])) == kPolicy;
    if (found && value != nullptr) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> cleanup_policy(const SourceOptions& options, const std::string& topic,
                                          Duration patience) {
  rd_kafka_t* client = new_hand_assigned_consumer(options);
  const int patience_ms = static_cast<int>(patience.us / 1000);
  if (!connects(client, topic, patience_ms)) return std::nullopt;
  const QueueHandle answers(rd_kafka_queue_new(client));
  const AdminOptionsHandle how(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  rd_kafka_AdminOptions_set_request_timeout(how.get(), patience_ms, nullptr, 0);
  rd_kafka_ConfigResource_t* asked =
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str());
  rd_kafka_DescribeConfigs(client, &asked, 1, how.get(), answers.get());
  rd_kafka_ConfigResource_destroy(asked);
  const EventHandle event(rd_kafka_queue_poll(answers.get(), patience_ms));
  const auto* result = event ? rd_kafka_event_DescribeConfigs_result(event.get()) : nullptr;
  if (result == nullptr) return std::nullopt;
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** topics =
      rd_kafka_DescribeConfigs_result_resources(result, &count);
  return count == 1 ? policy_in(topics[0]) : std::nullopt;
}

}  // namespace einlass::kafka
