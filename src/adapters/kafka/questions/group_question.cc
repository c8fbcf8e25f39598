#include "adapters/kafka/questions/group_question.h"

#include "adapters/kafka/client/handles.h"

namespace einlass::kafka {
namespace {

// The most that librdkafka takes. It must not give such a question up while it looks for the
// group's coordinator: once that is found it would use what it has freed, and end the process or
// stand still for ever (its issue 4605, in every version so far).
constexpr int kPatienceMs = 3'600'000;

}  // namespace

void ask_for_members(rd_kafka_t* client, const std::string& group, rd_kafka_queue_t* answers) {
  const AdminOptionsHandle options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kPatienceMs, nullptr, 0);
  const char* name = group.c_str();
  rd_kafka_DescribeConsumerGroups(client, &name, 1, options.get(), answers);
}

const rd_kafka_ConsumerGroupDescription_t* described_group(rd_kafka_event_t* answer,
                                                           std::string* why) {
  const auto* result = rd_kafka_event_DescribeConsumerGroups_result(answer);
  std::size_t count = 0;
  const auto* const* groups =
      result ? rd_kafka_DescribeConsumerGroups_result_groups(result, &count) : nullptr;
  const auto* error = count == 1 ? rd_kafka_ConsumerGroupDescription_error(groups[0]) : nullptr;
  if (count == 1 && error == nullptr) return groups[0];
  const char* text = error ? rd_kafka_error_string(error) : rd_kafka_event_error_string(answer);
  if (why != nullptr) *why = text == nullptr ? "" : text;
  return nullptr;
}

}  // namespace einlass::kafka
