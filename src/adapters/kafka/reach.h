// For `einlass check`: would the configuration do, and are the brokers and the topics there?
#pragma once

#include <string>
#include <vector>

#include "adapters/kafka/source.h"
#include "adapters/kafka/target.h"
#include "units/time.h"

namespace einlass::kafka {

// Throws std::runtime_error, with the property at fault, if a Source could not be made of this.
void check_configuration(const SourceOptions& options);

// What stands in the way, a sentence each; empty if the brokers answered and every topic of the
// options is there. Joins no group. Waits at most `patience`.
// Throws std::runtime_error, with the property at fault, if librdkafka refuses the configuration.
std::vector<std::string> reach(const SourceOptions& options, Duration patience);

// The same for a target's topic: one sentence, empty if it is there. Writes nothing.
std::string reach(const TargetOptions& options, Duration patience);

}  // namespace einlass::kafka
