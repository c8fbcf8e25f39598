// Opens the table of quotas and pauses that the configuration names.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "app/setup/kafka_logins.h"
#include "config/model/config.h"
#include "units/fleet_table.h"
#include "units/notice.h"

namespace einlass::app {

// Throws std::runtime_error if librdkafka refuses the configuration. REQUIRES: config.quotas; what
// is given outlives the table.
std::unique_ptr<FleetTable> make_table(boost::asio::io_context& io, const config::Config& config,
                                       const KafkaLogins& logins, FleetTable::Listener& listener,
                                       const Notify& notify);

}  // namespace einlass::app
