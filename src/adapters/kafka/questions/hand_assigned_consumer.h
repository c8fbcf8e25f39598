// A consumer that is told by hand which partitions to read, and is no member of its group.
#pragma once

#include <librdkafka/rdkafka.h>

#include "adapters/kafka/client/options.h"

namespace einlass::kafka {

// It tells where a partition ends (that may be no record: a transaction's mark ends it too). An
// offset that is not there any more it tells as RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, and reads the
// partition no further. It logs in by the login of `options`. It has no owner and is never
// destroyed, as the source's is not: it ends with the process. Throws std::runtime_error naming the
// property at fault.
rd_kafka_t* new_hand_assigned_consumer(const SourceOptions& options);

}  // namespace einlass::kafka
