// `einlass check`: what reading the configuration alone cannot tell.
#pragma once

#include <string>

#include "config/config.h"

namespace einlass::app {

// Empty if librdkafka takes the kafka section; else why not, as one line.
std::string refused_by_kafka(const config::Config& config);

// Why a file with certificates or a key cannot be used, of the targets, of tracing or of the admin
// pages, as one line that begins with the option; empty if all can. Those of Redis are read for
// each connection, and a gate waits for them.
std::string refused_files(const config::Config& config);

// Why no login at some cluster can succeed, as one line: SCRAM by an old librdkafka at Kafka 4.
// Empty if each may, or where the brokers do not answer within a few seconds.
std::string refused_login(const config::Config& config);

// With --connect: prints a line for the certificate of the admin pages, for Kafka, for each dead
// letter topic, for Redis and for each target, and returns the exit code: 0 if all is well and all
// of them answered. Sends no record and joins no group.
int check_connections(const config::Config& config);

}  // namespace einlass::app
