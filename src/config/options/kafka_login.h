// As whom clients log in at Kafka: what contradicts a login with access tokens, and which login a
// target has.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "config/model/config.h"
#include "config/tables/section.h"
#include "config/text/values.h"

namespace einlass::config {

// The property whose value may come from a file that is read again while the gate runs.
inline constexpr std::string_view kSaslPassword = "sasl.password";

// What options of a Kafka target say, by librdkafka's names, and what to do about it.
inline constexpr std::array<std::pair<std::string_view, const char*>, 3> kSaidByOptions = {{
    {"message.timeout.ms", "is set by timeout; leave it out"},
    {"delivery.timeout.ms", "is set by timeout; leave it out"},
    {"queue.buffering.max.messages", "is bounded by max_in_flight; leave it out"},
}};

// Whether a Kafka or a KafkaTarget logs in with access tokens.
bool logs_in_with_tokens(const auto& kafka) {
  return kafka.oauth || kafka.security == KafkaSecurity::aws_msk_iam;
}

// The name of one, as eu-west-1; it becomes part of a host's name.
Parsed<std::string> parse_aws_region(const Scalar& scalar);

// Tells what of the section's `oauth`, `properties` and `security` cannot stand beside the others,
// and fills in the region where `security` needs one and the section names none.
void check_kafka_login(Section& section, KafkaSecurity security, std::string& aws_region,
                       const std::map<std::string, std::string>& properties);

// Of a target in the cluster that is read: fills in its brokers, the login if it has none of its
// own, and the properties but for those that say how another one logs in, or what options say.
void log_in_as_source(const Kafka& kafka, KafkaTarget& target);

}  // namespace einlass::config
