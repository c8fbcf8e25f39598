// Who is in a group, and what each member was given: one question to the group's coordinator.
#pragma once

#include <librdkafka/rdkafka.h>

#include <string>

namespace einlass::kafka {

// The answer comes to `answers` as one event, however long that takes: give up waiting for it, and
// never the question.
void ask_for_members(rd_kafka_t* client, const std::string& group, rd_kafka_queue_t* answers);

// The group in such an answer, which lives as long as the event does; nullptr where it says nothing
// of the group, and `why`, if given, then has the reason.
const rd_kafka_ConsumerGroupDescription_t* described_group(rd_kafka_event_t* answer,
                                                           std::string* why = nullptr);

}  // namespace einlass::kafka
