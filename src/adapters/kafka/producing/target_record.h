// How a target's record is written.
#pragma once

#include "adapters/kafka/producing/producer.h"
#include "adapters/kafka/producing/target.h"

namespace einlass::kafka {

// Its views are those of the record and the options.
inline Produced to_produce(const TargetRecord& record, const TargetOptions& options) {
  Produced produced;
  produced.record = record.record;
  produced.topic = options.topic.c_str();
  if (options.same_partition) produced.partition = record.number;
  produced.timestamp_ms = record.timestamp_ms;
  produced.key = record.key;
  produced.value = record.value;
  produced.headers = record.headers;
  return produced;
}

}  // namespace einlass::kafka
