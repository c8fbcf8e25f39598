#include "adapters/kafka/client/library_version.h"

#include <librdkafka/rdkafka.h>

namespace einlass::kafka {

std::string library_version() { return rd_kafka_version_str(); }

}  // namespace einlass::kafka
