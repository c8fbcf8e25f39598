// kafka, and targets that are topics.
#include <set>

#include "config/model/address.h"
#include "config/options/kafka_login.h"
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

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

// One text is a list with commas; its parts are trimmed.
void read_broker_text(Reading& reading, const Scalar& scalar, std::vector<std::string>& brokers) {
  std::string_view rest = scalar.text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    Scalar part = scalar;
    part.text = rest.substr(0, comma);
    part.text.erase(0, part.text.find_first_not_of(' '));
    part.text.erase(part.text.find_last_not_of(' ') + 1);
    const auto address = parse_host_port(part.text, kBrokerPort);
    if (const auto* refusal = std::get_if<Refusal>(&address)) {
      reading.wrong(part, refusal->text);
    } else {
      brokers.push_back(to_text(std::get<HostPort>(address)));
    }
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
  }
}

void read_brokers(Section& section, std::vector<std::string>& brokers) {
  const Node* node = section.find();
  if (node == nullptr) return;
  brokers.clear();
  const auto take = [&](const Scalar& item) {
    read_broker_text(section.reading(), item, brokers);
    return std::string();
  };
  if (node->kind != Node::Kind::scalar) {
    return section.read_list(kMostBrokers, take,
                             "no broker; write at least one, as [127.0.0.1:9092]");
  }
  if (const auto scalar = section.reading().scalar(*node, section.path_of())) take(*scalar);
}

template <class S>
Field<S> brokers(std::vector<std::string> S::*member) {
  return custom<S>(
      Kind::list_or_text, "list of HOST:PORT",
      [=](Section& section, S& out) { read_brokers(section, out.*member); },
      [=](PrintedPage& page, const S& from) { page.list(from.*member); });
}

using Properties = std::map<std::string, std::string>;

void read_properties(Section& section, Properties& properties, std::string& password_file) {
  Reading& reading = section.reading();
  read_free_texts(section, Secrets::by_name,
                  [&](const Entry& entry, std::string_view property, std::string value) {
                    const std::string path = below(section.path_of(), property);
                    for (const OwnProperty& own : kOwnProperties) {
                      if (own.name != property) continue;
                      return reading.wrong(entry.position, path,
                                           std::string(own.why) + "; leave it out");
                    }
                    if (property == kSaslPassword && entry.name != property) {
                      password_file = reading.scalar(*entry.value, path)->text;
                    }
                    properties.insert_or_assign(std::string(property), std::move(value));
                  });
}

// What a file holds is no part of it: that changes while the gate runs.
void print_properties(PrintedPage& page, const Properties& properties,
                      const std::string& password_file) {
  Properties shown = properties;
  if (!password_file.empty()) {
    shown.erase(std::string(kSaslPassword));
    shown.emplace(std::string(kSaslPassword) + "_file", password_file);
  }
  page.texts(shown, [](std::string_view name) {
    return is_secret_name(name) && name != std::string(kSaslPassword) + "_file";
  });
}

template <class S>
Field<S> properties() {
  return custom<S>(
      Kind::map, "map",
      [](Section& section, S& out) { read_properties(section, out.properties, out.password_file); },
      [](PrintedPage& page, const S& from) {
        print_properties(page, from.properties, from.password_file);
      });
}

template <class S>
Field<S> security() {
  return choice(&S::security, {"properties", "aws_msk_iam"});
}

template <class S>
Field<S> aws_region() {
  return text(&S::aws_region, parse_aws_region)
      .called("name")
      .defaults_to("see text")
      .only_where([](const S& kafka) { return kafka.security == KafkaSecurity::aws_msk_iam; },
                  {"security"}, "means nothing without security: aws_msk_iam; leave it out");
}

// The brokers end a transaction by themselves that is open for longer than a quarter of an hour.
constexpr Duration kLongestTransaction = seconds(14 * 60);

void check_exactly_once(Section& section, const Kafka& kafka, const KafkaTarget& target) {
  const std::set<std::string> there(target.brokers.begin(), target.brokers.end());
  if (there != std::set<std::string>(kafka.brokers.begin(), kafka.brokers.end())) {
    section.wrong(
        "brokers",
        "cannot stand beside exactly_once: a transaction holds the records and the offsets that "
        "they were read at, so the topic must be in the cluster of kafka.brokers; leave one out");
  }
  if (!kafka.static_membership) {
    section.wrong("exactly_once",
                  "needs kafka.static_membership: the instance's name tells the brokers whose "
                  "transaction to end when a gate comes back");
  }
  if (target.timeout > kLongestTransaction) {
    section.wrong("timeout",
                  "may be at most 14m with exactly_once, for brokers end a transaction after 15m");
  }
  const auto property = [&](const std::string& name) {
    const auto found = kafka.properties.find(name);
    return found == kafka.properties.end() ? std::string() : found->second;
  };
  if (property("partition.assignment.strategy").find("cooperative") != std::string::npos) {
    section.wrong("exactly_once",
                  "needs partitions that are handed over all at once; leave out "
                  "cooperative-sticky in kafka.properties");
  }
  const std::string isolation = property("isolation.level");
  if (!isolation.empty() && isolation != "read_committed") {
    section.wrong("exactly_once",
                  "needs kafka.properties.isolation.level: read_committed, which is the default");
  }
}

}  // namespace

const Rows<Kafka> kKafka = {
    {"brokers", brokers(&Kafka::brokers),
     "Bootstrap brokers; a list or one comma-separated string."},
    {"group", name(&Kafka::group), "The consumer group that the whole fleet shares."},
    {"static_membership", truth(&Kafka::static_membership),
     "Join the group as a static member under the instance's name, so that a quick restart moves "
     "no partitions."},
    {"commit_interval", duration(&Kafka::commit_interval, millis(1), seconds(60)).live(),
     "How often finished offsets are committed."},
    {"commit_records", number(&Kafka::commit_records, 1, 1'000'000).live(),
     "Commit as soon as this many records of a shard have finished, without waiting for the "
     "interval (at most every 10 ms). It bounds what a crash delivers again."},
    {"revoke_timeout", duration(&Kafka::revoke_timeout, {}, seconds(300)).live(),
     "How long a revoked partition may finish its attempts in flight before it is given up. Its "
     "records that wait are given back at once."},
    {"auto_offset_reset", choice(&Kafka::auto_offset_reset, {"error", "earliest", "latest"}).live(),
     "Where to start a partition that has no committed offset, or whose next offset Kafka no "
     "longer has: at the start of the log, at its end, or (`error`) stop and wait until you set it "
     "to one of these and reload, or set an offset while no gate runs."},
    {"properties", properties<Kafka>(),
     "Properties of librdkafka, for example `security.protocol`, but for those that are the gate's "
     "own; secrets also as `NAME_file`. `sasl.password_file` is read again when it changes."},
    {"security", security<Kafka>(),
     "How to log in: as `properties` say, or at Amazon MSK by IAM (`aws_msk_iam`), with tokens "
     "that "
     "are signed with the AWS credentials of the gate, and renewed."},
    {"aws_region", aws_region<Kafka>(),
     "The cluster's region, with `aws_msk_iam`. Default: `AWS_REGION`, else `AWS_DEFAULT_REGION`, "
     "of the environment."},
    {"oauth", section(&Kafka::oauth, kKafkaOauth),
     "Log in with access tokens (OAUTHBEARER), requested by client credentials (RFC 6749, 4.4) and "
     "renewed."},
};

void check_kafka(Section& section, Kafka& kafka) {
  check_kafka_login(section, kafka.security, kafka.aws_region, kafka.properties);
}

const Rows<KafkaTarget> kKafkaTarget = {
    {"topic", name(&KafkaTarget::topic).called("topic").required("TOPIC").live(),
     "The topic; each record is written to it unchanged."},
    {"brokers", brokers(&KafkaTarget::brokers).defaults_to("see text"),
     "Bootstrap brokers, if they differ from those of `kafka`; a list or one comma-separated "
     "string."},
    {"properties", properties<KafkaTarget>(),
     "Properties of librdkafka, as those of `kafka`; secrets also as `NAME_file`. Without "
     "`brokers` those of `kafka` apply too, unless overridden here."},
    {"security", security<KafkaTarget>().defaults_to("see text"),
     "How to log in. Default: as `kafka` does, if the target has neither `brokers` nor a login of "
     "its own; else `properties`."},
    {"aws_region", aws_region<KafkaTarget>(),
     "The cluster's region, with `aws_msk_iam`. Default: that of `kafka`, else `AWS_REGION`, else "
     "`AWS_DEFAULT_REGION`, of the environment."},
    {"oauth", section(&KafkaTarget::oauth, kKafkaOauth).defaults_to("see text"),
     "Log in with access tokens. Default: that of `kafka`, if the target has neither `brokers` nor "
     "a login of its own."},
    {"partition", choice(&KafkaTarget::same_partition, {"key", "same"}).live(),
     "Which partition: by the record's key, as Java producers choose it (`murmur2_random`), or the "
     "number that the record was read from."},
    {"exactly_once", truth(&KafkaTarget::exactly_once),
     "Write records and commit their offsets in one transaction, so that consumers with "
     "`isolation.level: read_committed` see each record once, whatever fails. Only for a topic in "
     "the cluster of `kafka`, with `kafka.static_membership`."},
    {"max_in_flight",
     number(&KafkaTarget::max_in_flight, 1, 100'000)
         .only_where([](const KafkaTarget& target) { return !target.exactly_once; },
                     {"exactly_once"},
                     "means nothing with exactly_once: one transaction is under way at a time; "
                     "leave it out")
         .live(),
     "Records in flight at a time."},
    {"timeout", duration(&KafkaTarget::timeout, millis(100), hours(1)),
     "Time from an attempt's start to the acknowledgement of all in-sync replicas; transient "
     "errors are retried within it."},
};

void check_kafka_target(Section& section, KafkaTarget& target) {
  const Kafka& kafka = section.reading().config.kafka;
  for (const auto& [said, wrong] : kSaidByOptions) {
    const std::string name(said);
    if (!target.properties.contains(name)) continue;
    section.reading().wrong(section.position_of("properties", name),
                            below(section.path_of("properties"), name), wrong);
  }
  if (target.security == KafkaSecurity::aws_msk_iam && target.aws_region.empty()) {
    target.aws_region = kafka.aws_region;
  }
  check_kafka_login(section, target.security, target.aws_region, target.properties);
  target.own_cluster = section.has("brokers");
  target.own_login = section.has("security") || section.has("oauth");
  if (!target.own_cluster) log_in_as_source(kafka, target);
  if (target.exactly_once) check_exactly_once(section, kafka, target);
}

}  // namespace einlass::config
