// Finds out, before anything is read, whether a login by SCRAM cannot work: librdkafka before 2.6.1
// makes a mistake in it that Kafka 4 takes for a wrong password.
//
// Brokers tell nobody which Kafka they are, but before the login they tell which versions of each
// request they understand. librdkafka asks for that itself, over the TLS that it is configured for,
// and writes the answer to its log: a client that lives for nothing else reads it there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/kafka/client/options.h"
#include "units/time.h"

namespace einlass::kafka {

// Why no login can succeed, as one sentence; empty if it may, or if no broker has answered within
// `patience`. Asks nobody where SCRAM is not used or librdkafka is new enough. Waits for the
// answer, so it is not for the loop's thread.
// Throws std::runtime_error, with the property at fault, if librdkafka refuses the configuration.
std::string refused_scram(const SourceOptions& source, Duration patience);
std::string refused_scram(std::span<const TargetOptions> targets, Duration patience);

// The oldest version of a request that a broker understands.
struct OldestVersion {
  int request = 0;  // By Kafka's number for it.
  int version = 0;
};

// Out of a line of librdkafka's log as "...:   ApiKey Fetch (1) Versions 4..18"; none if it is
// another.
std::optional<OldestVersion> read_oldest_version(std::string_view line);

}  // namespace einlass::kafka
