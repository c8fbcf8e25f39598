#include "adapters/kafka/client/hand_assigned_consumer.h"

#include <stdexcept>
#include <string>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/login.h"

namespace einlass::kafka {

rd_kafka_t* new_hand_assigned_consumer(const SourceOptions& options) {
  SourceOptions without_group = options;
  without_group.revoke_timeout = Duration{};  // Nobody revokes: it fits each max.poll.interval.ms.
  ConfHandle conf = source_configuration(without_group, rd_kafka_version());
  char reason[512] = "";
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_CONSUMER, conf.get(), reason, sizeof reason);
  if (client == nullptr) throw std::runtime_error(std::string("kafka.properties: ") + reason);
  conf.release();  // librdkafka's now.
  rd_kafka_poll_set_consumer(client);
  if (options.login) options.login->serve(client);
  return client;
}

}  // namespace einlass::kafka
