// Who else is in the consumer group, and has which partitions: for people who ask the wrong gate.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "adapters/kafka/client/options.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::kafka {

struct Member {
  struct Assigned {
    std::string topic;
    PartitionNumber number;
  };
  std::string name;  // Its instance; empty for one without.
  std::string host;  // As the brokers see it.
  std::vector<Assigned> partitions;
};

// The members of the options' group, as its coordinator knows them; or why that is not known.
// Joins no group. Waits at most `patience`. REQUIRES: no tokens are needed to log in.
// Throws std::runtime_error, with the property at fault, if librdkafka refuses the configuration.
std::variant<std::vector<Member>, std::string> members_of(const SourceOptions& options,
                                                          Duration patience);

}  // namespace einlass::kafka
