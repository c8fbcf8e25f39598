// Builds librdkafka's configuration: our defaults, the user's properties above them, and above
// those what the promises of the gate rest on.
#pragma once

#include <string>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/options.h"
#include "units/notice.h"

namespace einlass::kafka {

// All of them throw std::runtime_error naming the property at fault. A property that only means
// something to the other kind of client is checked and then left out. `version` is librdkafka's
// own, as rd_kafka_version() has it.
ConfHandle source_configuration(const SourceOptions& options, int version);
ConfHandle dead_letters_configuration(const DeadLettersOptions& options);
// For single letters beyond what these take.
ConfHandle large_letters_configuration(const DeadLettersOptions& options);
// For what people write into a fleet's table: as dead letters, but given up after 3 s.
ConfHandle fleet_table_configuration(const DeadLettersOptions& options);
// `alone`: each record in a batch of its own.
ConfHandle target_configuration(const TargetOptions& options, bool alone = false);

// A client of that configuration. It has no owner. Throws std::runtime_error with librdkafka's own
// reason behind `path`, which is where its properties stand.
rd_kafka_t* new_client(rd_kafka_type_t type, ConfHandle configuration, const std::string& path);

// Where a target's properties stand in the configuration.
std::string properties_path(const TargetOptions& options);

// Why the user may not set the property to that value; empty if he may.
std::string refusal(const std::string& name, const std::string& value, int version);

// SCRAM by a librdkafka that makes a mistake in it, which Kafka 4 takes for a wrong password.
bool has_old_scram(const rd_kafka_conf_t* configuration, int version);

// Tells of combinations that are known to go wrong later, as SCRAM with an old librdkafka.
void warn_of_known_trouble(const rd_kafka_conf_t* configuration, int version, const Notify& notify);

// The value that a property has in a configuration; empty where librdkafka does not know it.
std::string property(const rd_kafka_conf_t* configuration, const char* name);

}  // namespace einlass::kafka
