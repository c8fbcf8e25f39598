// What the rest of the world does not take of a configuration that reads well: found before
// anything runs.
#pragma once

#include <string>

#include "config/model/config.h"
#include "units/time.h"

namespace einlass::app {

// Empty if librdkafka takes the kafka section and the targets that are topics; else all that it
// does not take, each on a line.
std::string refused_by_kafka(const config::Config& config);

// The same, and what librdkafka says only when it makes a client: of properties that do not go
// together, and of files that they name. Takes longer, and connects to nobody.
std::string refused_clients(const config::Config& config);

// Why certificates or keys cannot be used, those that sign among them, of the targets, of tracing
// or of the admin pages, each on a line that begins with the option; empty if all can.
std::string refused_files(const config::Config& config);

// The same of Redis. These are read for each connection, and a gate waits for them.
std::string refused_files_of_redis(const config::Config& config);

// For the brokers of the source, and for those of all targets. A gate starts this much later where
// they are away.
inline constexpr Duration kLoginPatience = Duration::seconds(2);

// Why no login at some cluster can succeed, as one line: SCRAM by an old librdkafka at Kafka 4.
// Empty if each may, or where the brokers do not answer within kLoginPatience.
std::string refused_login(const config::Config& config);

// Why the certificate cannot be shown; empty if it can, or there is to be none.
std::string refused_certificate(const config::Admin& admin);

}  // namespace einlass::app
