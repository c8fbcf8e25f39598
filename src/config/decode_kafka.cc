#include <algorithm>

#include "config/address.h"
#include "config/decode.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kCommitInterval{Duration::millis(1), Duration::seconds(60)};
constexpr Bounds<std::int64_t> kCommitRecords{1, 1'000'000};
constexpr Bounds<Duration> kRevokeTimeout{{0}, Duration::seconds(300)};
constexpr std::size_t kMostBrokers = 100;
constexpr std::uint16_t kBrokerPort = 9092;

// Properties on which the gate's promises rest, and why each cannot be the user's.
struct OwnProperty {
  std::string_view name;
  std::string_view why;
};
constexpr OwnProperty kOwnProperties[] = {
    {"bootstrap.servers", "is set by kafka.brokers"},
    {"metadata.broker.list", "is set by kafka.brokers"},
    {"group.id", "is set by kafka.group"},
    {"group.instance.id", "is set by instance and kafka.static_membership"},
    {"auto.offset.reset", "is set by kafka.auto_offset_reset"},
    {"enable.auto.commit", "is the gate's own: offsets are committed only once finished"},
    {"enable.auto.offset.store", "is the gate's own: offsets are committed only once finished"},
};

void read_broker(Reading& reading, const Scalar& scalar, std::string_view text,
                 std::vector<std::string>& brokers) {
  const auto address = parse_host_port(text, kBrokerPort);
  if (const auto* refusal = std::get_if<Refusal>(&address)) {
    Scalar one = scalar;
    one.text = text;
    reading.wrong(one, refusal->text);
  } else {
    brokers.push_back(to_text(std::get<HostPort>(address)));
  }
}

// One text is a list with commas; its parts are trimmed.
void read_broker_text(Reading& reading, const Scalar& scalar, std::vector<std::string>& brokers) {
  std::string_view rest = scalar.text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    read_broker(reading, scalar, part, brokers);
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
  }
}

}  // namespace

void decode_brokers(Section& section, std::vector<std::string>& out) {
  const Node* node = section.find("brokers");
  if (node == nullptr) return;
  Reading& reading = section.reading();
  const std::string path = section.path_of("brokers");
  std::vector<std::string> brokers;
  if (node->kind == Node::Kind::scalar) {
    if (const auto scalar = reading.scalar(*node, path)) {
      read_broker_text(reading, *scalar, brokers);
    }
  } else {
    const auto items = list_items(reading, node, path, kMostBrokers);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto scalar = reading.scalar(*items[i], path + "[" + std::to_string(i) + "]");
      if (scalar) read_broker_text(reading, *scalar, brokers);
    }
    if (node->kind == Node::Kind::list && node->items.empty()) {
      reading.wrong(node->place, path, "no broker; write at least one, as [127.0.0.1:9092]");
    }
  }
  out = std::move(brokers);
}

namespace {

Parsed<OffsetReset> parse_offset_reset(const Scalar& scalar) {
  const auto choice = parse_choice(scalar.text, {"error", "earliest", "latest"});
  if (refused(choice)) return std::get<Refusal>(choice);
  return static_cast<OffsetReset>(std::get<std::size_t>(choice));
}

}  // namespace

void decode_kafka_properties(Section& section, std::map<std::string, std::string>& properties) {
  read_free_texts(section, "properties", Secrets::by_name,
                  [&](const Entry& entry, std::string_view name, std::string value) {
                    for (const OwnProperty& own : kOwnProperties) {
                      if (own.name != name) continue;
                      section.reading().wrong(entry.place,
                                              below(section.path_of("properties"), name),
                                              std::string(own.why) + "; leave it out");
                      return;
                    }
                    properties.insert_or_assign(std::string(name), std::move(value));
                  });
}

void decode_kafka(Section& top, Kafka& kafka) {
  Section section(top.reading(), top.find("kafka"), "kafka", "kafka");
  section.refuse_unknown_keys();
  decode_brokers(section, kafka.brokers);
  section.read_name("group", kafka.group);
  section.read_boolean("static_membership", kafka.static_membership);
  section.read_duration("commit_interval", kafka.commit_interval, kCommitInterval);
  section.read_whole("commit_records", kafka.commit_records, kCommitRecords);
  section.read_duration("revoke_timeout", kafka.revoke_timeout, kRevokeTimeout);
  section.read("auto_offset_reset", kafka.auto_offset_reset, parse_offset_reset);
  decode_kafka_properties(section, kafka.properties);
  decode_kafka_oauth(section, "kafka.oauth", kafka.properties, kafka.oauth);
}

}  // namespace einlass::config
