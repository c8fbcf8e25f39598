#include <algorithm>
#include <set>

#include "config/decode.h"
#include "config/names.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kTimeout{Duration::millis(100), Duration::seconds(3600)};
constexpr Bounds<std::int64_t> kInFlight{1, 100'000};

Parsed<bool> parse_partition(const Scalar& scalar) {
  const auto choice = parse_choice(scalar.text, {"key", "same"});
  if (refused(choice)) return std::get<Refusal>(choice);
  return std::get<std::size_t>(choice) == 1;
}

// librdkafka's names for what `timeout` says.
void refuse_timeouts(Section& section, const std::map<std::string, std::string>& properties) {
  for (const std::string_view name : {"message.timeout.ms", "delivery.timeout.ms"}) {
    if (!properties.contains(std::string(name))) continue;
    section.reading().wrong(section.place_of("properties"),
                            below(section.path_of("properties"), name),
                            "is set by timeout; leave it out");
  }
}

void refuse(Section& section, std::string_view option, const char* why) {
  section.reading().wrong(section.place_of(option), section.path_of(option), why);
}

// The brokers end a transaction by themselves that is open for longer than a quarter of an hour.
constexpr Duration kLongestTransaction = Duration::seconds(14 * 60);

void decode_exactly_once(Section& section, const Kafka& kafka, KafkaTarget& target) {
  section.read_boolean("exactly_once", target.exactly_once);
  if (!target.exactly_once) return;
  const std::set<std::string> there(target.brokers.begin(), target.brokers.end());
  if (there != std::set<std::string>(kafka.brokers.begin(), kafka.brokers.end())) {
    refuse(
        section, "brokers",
        "cannot stand beside exactly_once: a transaction holds the records and the offsets that "
        "they were read at, so the topic must be in the cluster of kafka.brokers; leave one out");
  }
  if (section.has("max_in_flight")) {
    refuse(section, "max_in_flight",
           "means nothing with exactly_once: one transaction is under way at a time; leave it out");
  }
  if (!kafka.static_membership) {
    refuse(section, "exactly_once",
           "needs kafka.static_membership: the instance's name tells the brokers whose transaction "
           "to end when a gate comes back");
  }
  if (target.timeout > kLongestTransaction) {
    refuse(section, "timeout",
           "may be at most 14m with exactly_once, for brokers end a transaction after 15m");
  }
  const auto strategy = kafka.properties.find("partition.assignment.strategy");
  if (strategy != kafka.properties.end() &&
      strategy->second.find("cooperative") != std::string::npos) {
    refuse(section, "exactly_once",
           "needs partitions that are handed over all at once; leave out cooperative-sticky in "
           "kafka.properties");
  }
  const auto isolation = kafka.properties.find("isolation.level");
  if (isolation != kafka.properties.end() && isolation->second != "read_committed") {
    refuse(section, "exactly_once",
           "needs kafka.properties.isolation.level: read_committed, which is the default");
  }
}

}  // namespace

void decode_kafka_target(Section& section, const Kafka& kafka, KafkaTarget& target) {
  section.refuse_unknown_keys();
  if (section.require("topic", "write topic: TOPIC")) {
    section.read("topic", target.topic, parse_kafka_name);
  }
  target.own_cluster = section.has("brokers");
  target.brokers = kafka.brokers;
  decode_brokers(section, target.brokers);
  decode_kafka_properties(section, target.properties);
  refuse_timeouts(section, target.properties);
  target.own_oauth = section.has("oauth");
  decode_kafka_oauth(section, "targets.NAME.kafka.oauth", target.properties, target.oauth);
  const bool logs_in_alike = !target.own_cluster && !has_login(target.properties);
  if (!target.own_oauth && logs_in_alike) target.oauth = kafka.oauth;
  for (const auto& property : kafka.properties) {
    const bool is_of_its_login = target.own_oauth && hinders_oauth(property.first, property.second);
    if (!target.own_cluster && !is_of_its_login) target.properties.insert(property);
  }
  section.read("partition", target.same_partition, parse_partition);
  section.read_whole("max_in_flight", target.max_in_flight, kInFlight);
  section.read_duration("timeout", target.timeout, kTimeout);
  decode_exactly_once(section, kafka, target);
}

}  // namespace einlass::config
