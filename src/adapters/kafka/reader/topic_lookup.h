// What Kafka has of a topic now. All of these wait for the answer, and throw std::runtime_error
// with librdkafka's words if it is an error or does not come within `patience`.
#pragma once

#include <librdkafka/rdkafka.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/kafka/reader/topic_reader.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::kafka {

// Each partition with its offsets and what the client's group has committed, by number.
std::vector<PartitionState> look_up_topic(rd_kafka_t* client, const std::string& topic,
                                          Duration patience);

// As TopicReader::offsets_at().
std::vector<std::optional<Offset>> look_up_offsets(rd_kafka_t* client, const std::string& topic,
                                                   std::int64_t time_ms,
                                                   std::span<const PartitionNumber> partitions,
                                                   Duration patience);

}  // namespace einlass::kafka
