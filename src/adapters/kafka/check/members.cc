#include "adapters/kafka/check/members.h"

#include <librdkafka/rdkafka.h>

#include <string>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/questions/group_question.h"

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
  ask_for_members(client, options.group, answers.get());
  const auto patience_ms = static_cast<int>(patience.us / 1'000);
  const EventHandle event(rd_kafka_queue_poll(answers.get(), patience_ms));
  if (event == nullptr) return "the brokers did not answer";
  std::string why;
  const auto* group = described_group(event.get(), &why);
  if (group == nullptr) return why;
  std::vector<Member> members;
  for (std::size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(group); ++i) {
    members.push_back(member_of(rd_kafka_ConsumerGroupDescription_member(group, i)));
  }
  return members;
}

}  // namespace einlass::kafka
