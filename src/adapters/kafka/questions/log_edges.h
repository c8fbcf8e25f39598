// Where logs begin and end.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>

#include "units/id.h"

namespace einlass::kafka {

// What a partition's log holds: the offsets from `start` up to, not including, `end`.
struct LogBounds {
  Offset start;
  Offset end;
};

// The logs' beginnings (RD_KAFKA_OFFSET_BEGINNING) or ends (RD_KAFKA_OFFSET_END), in one call for
// all partitions of the list: each then has its offset, or an error, as one without a leader where
// another has one. A leader that does not answer fails the call. Waits for the answer. What else
// the list says is lost. REQUIRES: it says nothing of errors.
rd_kafka_resp_err_t look_up_edge(rd_kafka_t* client, std::int64_t which,
                                 rd_kafka_topic_partition_list_t* list, int patience_ms);

}  // namespace einlass::kafka
