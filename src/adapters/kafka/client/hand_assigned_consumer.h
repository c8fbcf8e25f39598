// A consumer that is told by hand which partitions to read, and is no member of its group.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>

#include "adapters/kafka/client/options.h"

namespace einlass::kafka {

enum class Deleted : std::uint8_t {
  passed_over,  // Reading goes on behind it.
  told,         // As RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET; the partition is not read any further.
};

// It tells where a partition ends (that may be no record: a transaction's mark ends it too), and
// does as `deleted` says with an offset that is not there any more. It logs in with the tokens of
// `options`. It has no owner and is never destroyed, as the source's is not: it ends with the
// process. Throws std::runtime_error naming the property at fault.
rd_kafka_t* new_hand_assigned_consumer(const SourceOptions& options,
                                       Deleted deleted = Deleted::passed_over);

}  // namespace einlass::kafka
