// Where logs begin and end.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <vector>

#include "units/id.h"

namespace einlass::kafka {

// What a partition's log holds: the offsets from `start` up to, not including, `end`.
struct LogBounds {
  Offset start;
  Offset end;
};

// The logs' beginnings (RD_KAFKA_OFFSET_BEGINNING) or ends (RD_KAFKA_OFFSET_END), in one call for
// all partitions of the list and in their order; it fails if some could not be had. Waits for the
// answer. What else the list says is lost.
rd_kafka_resp_err_t look_up_edge(rd_kafka_t* client, std::int64_t which,
                                 rd_kafka_topic_partition_list_t* list, int patience_ms,
                                 std::vector<Offset>& edges);

}  // namespace einlass::kafka
