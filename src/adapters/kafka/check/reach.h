// For `einlass check`: would the configuration do, and are the brokers and the topics there?
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adapters/kafka/client/options.h"
#include "units/time.h"

namespace einlass::kafka {

// Throws std::runtime_error, with the property at fault, if librdkafka does not take one of these.
void check_configuration(const SourceOptions& options);
void check_configuration(const DeadLettersOptions& options);

// Throws std::runtime_error, as the start of a gate does, if librdkafka makes no client of this: of
// properties that do not go together, or with a file that cannot be used. Connects to nobody.
void try_client(const SourceOptions& options);
void try_client(const DeadLettersOptions& options);
void try_client(const TargetOptions& options);

struct Reached {
  std::vector<std::string> trouble;   // What stands in the way, a sentence each.
  std::vector<std::string> patterns;  // What each pattern fits now, as "^results fits results.a".
};

// Without trouble if the brokers answered, every topic of the options is there, and some for each
// pattern. Joins no group. Waits at most `patience`.
// Throws std::runtime_error, with the property at fault, if librdkafka refuses the configuration.
Reached reach(const SourceOptions& options, Duration patience);

// The same for a target's topic: one sentence, empty if it is there. Writes nothing. A login that
// may write to no topic at all is told; one that may write to others only is not: that shows when
// something is written.
std::string reach(const TargetOptions& options, Duration patience);

// The same for dead letter topics: a sentence for each, in their order.
std::vector<std::string> reach(const DeadLettersOptions& options,
                               std::span<const std::string> topics, Duration patience);

}  // namespace einlass::kafka
