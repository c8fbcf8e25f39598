#include "adapters/kafka/questions/hand_assigned_consumer.h"

#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/login.h"

namespace einlass::kafka {

rd_kafka_t* new_hand_assigned_consumer(const SourceOptions& options) {
  SourceOptions without_group = options;
  without_group.revoke_timeout = Duration{};  // Nobody revokes: it fits each max.poll.interval.ms.
  ConfHandle conf = source_configuration(without_group, rd_kafka_version());
  rd_kafka_t* client = new_client(RD_KAFKA_CONSUMER, std::move(conf), "kafka.properties");
  rd_kafka_poll_set_consumer(client);
  if (options.login) options.login->serve(client);
  return client;
}

}  // namespace einlass::kafka
