#include "adapters/kafka/check/members.h"

#include <librdkafka/rdkafka.h>

#include <string>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/handles.h"

namespace einlass::kafka {
namespace {

std::string text(const char* it) { return it == nullptr ? "" : it; }

// Only asks, and says nothing of what it meets. It has no owner and ends with the process:
// destroying it waits for a look-up of a broker's name at any time.
rd_kafka_t* new_asker(const SourceOptions& options) {
  ConfHandle configuration = source_configuration(options, rd_kafka_version());
  rd_kafka_conf_set_events(configuration.get(), 0);
  rd_kafka_conf_set(configuration.get(), "log.queue", "false", nullptr, 0);
  rd_kafka_conf_set_log_cb(configuration.get(), nullptr);
  return new_client(RD_KAFKA_CONSUMER, std::move(configuration), "kafka.properties");
}

Member member_of(const rd_kafka_MemberDescription_t* it) {
  Member member;
  member.name = text(rd_kafka_MemberDescription_group_instance_id(it));
  member.host = text(rd_kafka_MemberDescription_host(it));
  if (member.host.starts_with('/')) member.host.erase(0, 1);
  const auto* assignment = rd_kafka_MemberDescription_assignment(it);
  for (const auto& one : elements(rd_kafka_MemberAssignment_partitions(assignment))) {
    member.partitions.push_back({one.topic, PartitionNumber{one.partition}});
  }
  return member;
}

}  // namespace

std::variant<std::vector<Member>, std::string> members_of(const SourceOptions& options,
                                                          Duration patience) {
  rd_kafka_t* client = new_asker(options);
  const QueueHandle answers(rd_kafka_queue_new(client));
  const auto patience_ms = static_cast<int>(patience.us / 1'000);
  rd_kafka_AdminOptions_t* asked =
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS);
  rd_kafka_AdminOptions_set_request_timeout(asked, patience_ms, nullptr, 0);
  const char* group = options.group.c_str();
  rd_kafka_DescribeConsumerGroups(client, &group, 1, asked, answers.get());
  rd_kafka_AdminOptions_destroy(asked);
  const EventHandle event(rd_kafka_queue_poll(answers.get(), patience_ms));
  if (event == nullptr) return "the brokers did not answer";
  const auto* result = rd_kafka_event_DescribeConsumerGroups_result(event.get());
  if (result == nullptr) return text(rd_kafka_event_error_string(event.get()));
  std::size_t count = 0;
  const auto* const* groups = rd_kafka_DescribeConsumerGroups_result_groups(result, &count);
  if (count != 1) return text(rd_kafka_event_error_string(event.get()));
  const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(groups[0]);
  if (error != nullptr) return text(rd_kafka_error_string(error));
  std::vector<Member> members;
  for (std::size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(groups[0]); ++i) {
    members.push_back(member_of(rd_kafka_ConsumerGroupDescription_member(groups[0], i)));
  }
  return members;
}

}  // namespace einlass::kafka
