// What a transaction commits for the consumer group that its records were read by.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

// librdkafka's own: a list of partitions with their offsets, and who somebody is in a group.
struct rd_kafka_topic_partition_list_s;
struct rd_kafka_consumer_group_metadata_s;

namespace einlass::kafka {

// The metadata of the offset where a log begins that took another one's place, and of which nobody
// has decided yet where it is to be read from.
inline constexpr std::string_view kBeganAnew = "anew";

// `member` is of the generation in which the partitions were assigned: once the group has gone on
// without us the brokers refuse the offsets, and with them the whole transaction (KIP-447).
struct GroupOffsets {
  std::shared_ptr<rd_kafka_topic_partition_list_s> offsets;
  std::shared_ptr<const rd_kafka_consumer_group_metadata_s> member;
};

enum class TransactionEnd : std::uint8_t {
  committed,
  aborted,
  metadata_refused,  // Aborted, for the brokers take less metadata than the offsets have.
  unknown,           // Nobody can say which of the two.
};

}  // namespace einlass::kafka
