#include "adapters/kafka/partitions/topic_configs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace einlass::kafka {
namespace {

constexpr int kEveryTicks = 60;
constexpr int kSoonTicks = 5;  // While there is nothing to ask about, or something is missing.

// librdkafka 2.0.2 ends the process when it is asked while no broker can be reached, and one can be
// meanwhile: so it is not asked then, and what was asked just before is soon given up.
constexpr int kPatienceMs = 1000;

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

TopicConfigs::TopicConfigs(rd_kafka_t* client, Assignment& assignment,
                           std::vector<std::string> named)
    : client_(client),
      assignment_(assignment),
      named_(std::move(named)),
      answers_(rd_kafka_queue_new(client)) {}

void TopicConfigs::set_named(std::vector<std::string> named) {
  if (named == named_) return;
  named_ = std::move(named);
  last_.clear();
  ticks_ = 0;
}

void TopicConfigs::tick(bool reachable) {
  if (rd_kafka_event_t* event = rd_kafka_queue_poll(answers_.get(), 0)) take(event);
  if (--ticks_ <= 0 && reachable) ask();
}

// Those that are meant, a part of them at a time.
void TopicConfigs::ask() {
  std::set<std::string> topics(named_.begin(), named_.end());
  assignment_.for_each([&](const Partition& partition) { topics.insert(partition.topic); });
  const auto is_meant = [&topics](const std::string& topic) { return topics.contains(topic); };
  std::erase_if(retention_, [&](const auto& one) { return !is_meant(one.first); });
  std::erase_if(missing_, [&](const std::string& one) { return !is_meant(one); });
  std::vector<rd_kafka_ConfigResource_t*> resources;
  auto next = topics.upper_bound(last_);
  for (; next != topics.end() && resources.size() < kMostTopics; ++next) {
    resources.push_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, next->c_str()));
  }
  const bool were_all = next == topics.end();
  last_ = were_all ? "" : *std::prev(next);
  ticks_ = were_all && !topics.empty() ? kEveryTicks : kSoonTicks;
  if (resources.empty()) return;
  const AdminOptionsHandle options(
      rd_kafka_AdminOptions_new(client_, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kPatienceMs, nullptr, 0);
  rd_kafka_DescribeConfigs(client_, resources.data(), resources.size(), options.get(),
                           answers_.get());
  rd_kafka_ConfigResource_destroy_array(resources.data(), resources.size());
}

// Where it is not answered, what was said before may still hold.
void TopicConfigs::take(rd_kafka_event_t* event) {
  const EventHandle owned(event);
  const rd_kafka_DescribeConfigs_result_t* result = rd_kafka_event_DescribeConfigs_result(event);
  if (result == nullptr || rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** topics =
      rd_kafka_DescribeConfigs_result_resources(result, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = rd_kafka_ConfigResource_name(topics[i]);
    const auto error = rd_kafka_ConfigResource_error(topics[i]);
    retention_.erase(name);
    missing_.erase(name);
    if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) missing_.insert(name);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    if (const auto kept = retention_of(topics[i])) retention_.emplace(name, *kept);
  }
  if (!missing_.empty()) ticks_ = std::min(ticks_, kSoonTicks);
}

}  // namespace einlass::kafka
