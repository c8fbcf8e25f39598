// For `einlass check`: whether Kafka keeps a topic's newest record of each key.
#pragma once

#include <optional>
#include <string>

#include "adapters/kafka/client/options.h"
#include "units/time.h"

namespace einlass::kafka {

// The topic's cleanup.policy, as "compact" or "compact,delete"; none where the brokers do not tell
// this login. Waits at most twice `patience`. Throws std::runtime_error, with the property at
// fault, if librdkafka refuses the configuration. REQUIRES: the brokers can be reached.
std::optional<std::string> cleanup_policy(const SourceOptions& options, const std::string& topic,
                                          Duration patience);

}  // namespace einlass::kafka
