#include "adapters/kafka/source/retention.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace einlass::kafka {
namespace {

constexpr int kEveryTicks = 60;
constexpr int kSoonTicks = 2;  // While nothing is assigned yet.

// None: for ever, which is written as -1; or the topic is compacted and deletes nothing by age.
std::optional<Duration> retention_of(const rd_kafka_ConfigResource_t* topic) {
  std::size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(topic, &count);
  std::optional<Duration> kept;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = rd_kafka_ConfigEntry_name(entries[i]);
    const char* text = rd_kafka_ConfigEntry_value(entries[i]);
    const std::string_view value = text ? text : "";
    if (name == "cleanup.policy" && value.find("delete") == std::string_view::npos) return {};
    if (name != "retention.ms") continue;
    std::int64_t ms = -1;
    std::from_chars(value.data(), value.data() + value.size(), ms);
    constexpr std::int64_t kMostMs = 9'000'000'000'000;  // What is longer is for ever.
    if (ms >= 0 && ms < kMostMs) kept = Duration::millis(ms);
  }
  return kept;
}

}  // namespace

Retention::Retention(rd_kafka_t* client, Assignment& assignment)
    : client_(client), assignment_(assignment), answers_(rd_kafka_queue_new(client)) {}

void Retention::tick() {
  if (rd_kafka_event_t* event = rd_kafka_queue_poll(answers_.get(), 0)) take(event);
  if (--ticks_ <= 0) ask();
}

void Retention::ask() {
  std::set<std::string> topics;
  assignment_.for_each([&](const Partition& partition) {
    if (topics.size() < kMostTopics) topics.insert(partition.topic);
  });
  ticks_ = topics.empty() ? kSoonTicks : kEveryTicks;
  std::vector<rd_kafka_ConfigResource_t*> resources;
  for (const std::string& topic : topics) {
    resources.push_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  }
  if (resources.empty()) return;
  rd_kafka_DescribeConfigs(client_, resources.data(), resources.size(), nullptr, answers_.get());
  rd_kafka_ConfigResource_destroy_array(resources.data(), resources.size());
}

// Where it is not answered, what was said before may still hold.
void Retention::take(rd_kafka_event_t* event) {
  const EventHandle owned(event);
  const rd_kafka_DescribeConfigs_result_t* result = rd_kafka_event_DescribeConfigs_result(event);
  if (result == nullptr || rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** topics =
      rd_kafka_DescribeConfigs_result_resources(result, &count);
  by_topic_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (rd_kafka_ConfigResource_error(topics[i]) != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    if (const auto kept = retention_of(topics[i])) {
      by_topic_.emplace(rd_kafka_ConfigResource_name(topics[i]), *kept);
    }
  }
}

}  // namespace einlass::kafka
