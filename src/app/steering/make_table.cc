#include "app/steering/make_table.h"

#include "adapters/kafka/table/topic_table.h"
#include "adapters/redis/table/hash_table.h"
#include "app/process/run_id.h"
#include "app/setup/wiring.h"

namespace einlass::app {

std::unique_ptr<FleetTable> make_table(boost::asio::io_context& io, const config::Config& config,
                                       const KafkaLogins& logins, FleetTable::Listener& listener,
                                       const Notify& notify) {
  if (config.quotas->redis) {
    return std::make_unique<redis::HashTable>(io, redis_options(config, random_run_id()), listener);
  }
  kafka::TopicTableOptions options = quotas_options(config);
  options.login = logins.of_source();
  return std::make_unique<kafka::TopicTable>(io, std::move(options), listener, notify);
}

}  // namespace einlass::app
