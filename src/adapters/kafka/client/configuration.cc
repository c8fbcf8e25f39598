#include "adapters/kafka/client/configuration.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

#include "adapters/kafka/client/login.h"
#include "adapters/kafka/client/set_properties.h"
#include "adapters/kafka/client/topic_routes.h"

namespace einlass::kafka {
namespace {

// librdkafka's version numbers: 0xMMmmrrff.
constexpr int kFirstSafeCooperative = 0x020a01ff;
constexpr int kFirstScramForKafka4 = 0x020601ff;

// At revoke the brokers wait for us at most max.poll.interval.ms. This much before its end the
// drain must be over, so that the last commit still counts.
constexpr Duration kRevokeMargin = Duration::seconds(3);

// What may be changed by the user. Properties that an older librdkafka does not have are skipped.
//
// Memory: one partition prefetches at most queued.max.messages.kbytes plus one fetched batch (1 MB
// unless a producer's batch is larger), and some 350 bytes for each message: under 3 MB a partition
// with these where messages have 1 KB. queued.min.messages bounds that where they are tiny.
constexpr std::array kSourceDefaults = {
    Property{"client.id", "einlass"},
    Property{"isolation.level", "read_committed"},
    // Cooperative rebalancing loses its assignment while commits go on, below librdkafka 2.10.1.
    Property{"partition.assignment.strategy", "range"},
    // A broker that is away for less than this costs nobody his partitions.
    Property{"session.timeout.ms", "45000"},
    // And a connection that has fallen silent is given up before that.
    Property{"socket.timeout.ms", "30000"},
    Property{"heartbeat.interval.ms", "1000"},
    Property{"queued.max.messages.kbytes", "1024"},
    Property{"queued.min.messages", "20000"},
    Property{"fetch.queue.backoff.ms", "20"},
    Property{"fetch.wait.max.ms", "100"},
    // How long a topic that is new or was made anew goes unnoticed.
    Property{"topic.metadata.refresh.interval.ms", "5000"},
    // How long it goes unnoticed that the brokers are back, while there is nothing to read or
    // commit.
    Property{"statistics.interval.ms", "5000"},
    Property{"reconnect.backoff.max.ms", "1000"},
    Property{"socket.nagle.disable", "true"},
    Property{"socket.keepalive.enable", "true"},
    Property{"enable.metrics.push", "false"},
};

// What may not be changed, and what to do instead.
const std::map<std::string, const char*, std::less<>> kRefused = {
    {"bootstrap.servers", "set kafka.brokers instead"},
    {"metadata.broker.list", "set kafka.brokers instead"},
    {"group.id", "set kafka.group instead"},
    {"group.instance.id", "set `instance` instead"},
    {"auto.offset.reset", "set kafka.auto_offset_reset instead"},
    {"enable.auto.commit", "the gate commits what is finished, and only that"},
    {"auto.commit.enable", "the gate commits what is finished, and only that"},
    {"enable.auto.offset.store", "the gate commits what is finished, and only that"},
    {"enable.partition.eof", "by it the gate notices the end of a log that has no record there"},
    {"log.queue", "the gate reads the log itself"},
    {"statistics.interval.ms", "by the statistics the gate notices that the brokers are back"},
    {"enable.idempotence", "what the gate writes is always written idempotently"},
    {"acks", "what the gate writes is always acknowledged by all replicas"},
    {"request.required.acks", "what the gate writes is always acknowledged by all replicas"},
    {"transactional.id", "transactions are the gate's own"},
    {"transaction.timeout.ms", "it follows from the target's timeout; set that"},
    {"delivery.report.only.error", "the gate needs every delivery report"},
    {"dr_cb", "the gate needs every delivery report"},
};

std::string version_text(int version) {
  std::ostringstream text;
  text << ((version >> 24) & 0xff) << '.' << ((version >> 16) & 0xff) << '.'
       << ((version >> 8) & 0xff);
  return text.str();
}

struct KnownProperty {
  std::string kind;    // "C" means something only to a consumer, "P" only to a producer.
  std::string values;  // "true, false", "0 .. 300000"; empty: any.
};
using KnownProperties = std::map<std::string, KnownProperty, std::less<>>;

std::string next_cell(std::istringstream& line) {
  std::string cell;
  std::getline(line, cell, '|');
  cell.erase(0, cell.find_first_not_of(' '));
  return cell.erase(cell.find_last_not_of(' ') + 1);
}

// librdkafka's own table: each version has its own.
KnownProperties known_properties() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* memory = ::open_memstream(&text, &size);
  if (memory == nullptr) return {};
  rd_kafka_conf_properties_show(memory);
  std::fclose(memory);
  std::istringstream lines(std::string(text, size));
  std::free(text);
  KnownProperties known;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    const std::string name = next_cell(cells), kind = next_cell(cells);
    known.emplace(name, KnownProperty{kind, next_cell(cells)});
  }
  return known;
}

void check_revoke_timeout(const rd_kafka_conf_t* conf, Duration revoke_timeout) {
  const auto longest =
      Duration::millis(std::atoll(property(conf, "max.poll.interval.ms").c_str())) - kRevokeMargin;
  if (revoke_timeout < Duration{} || revoke_timeout > longest) {
    throw std::runtime_error(
        "kafka.revoke_timeout: must be at least 3 s shorter than max.poll.interval.ms, when the "
        "brokers stop waiting for this gate");
  }
}

// To librdkafka it is as if these topics were not there.
void leave_out(rd_kafka_conf_t* conf, const SourceOptions& options) {
  const TopicRoutes routes(options);
  if (!routes.has_patterns()) return;
  std::string patterns = property(conf, "topic.blacklist");
  for (const std::string& topic : routes.left_out()) {
    patterns += patterns.empty() ? "^" : ",^";
    for (const char c : topic) patterns += c == '.' ? std::string("\\.") : std::string(1, c);
    patterns += '$';
  }
  set_own_property(conf, "topic.blacklist", patterns, "kafka.properties.topic.blacklist");
}

// Why librdkafka does not take it; empty if it does. Its own words have the value in them, which
// may be a secret, or come from a variable.
std::string set_user_property(rd_kafka_conf_t* conf, const std::string& name,
                              const std::string& value, const std::string& possible) {
  char reason[512] = "";
  const rd_kafka_conf_res_t result =
      rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason);
  if (result == RD_KAFKA_CONF_OK) return "";
  if (result == RD_KAFKA_CONF_UNKNOWN) {
    return std::string("librdkafka ") + rd_kafka_version_str() + " has no such property";
  }
  return "librdkafka does not accept the value" +
         (possible.empty() ? "" : "; it takes " + possible);
}

}  // namespace

void set_user_properties(rd_kafka_conf_t* conf, const UserProperties& given, int version) {
  KnownProperties known = known_properties();
  const ConfHandle scratch(rd_kafka_conf_new());
  std::string wrong;  // All of it, each on a line.
  for (const auto& [name, value] : given.properties) {
    std::string reason = refusal(name, value, version);
    if (reason.empty()) {
      const auto& [kind, possible] = known[name];
      const bool foreign = kind == std::string(1, given.others);
      reason = set_user_property(foreign ? scratch.get() : conf, name, value, possible);
    }
    if (reason.empty()) continue;
    wrong += (wrong.empty() ? "" : "\n") + given.path + "." + name + ": " + reason;
  }
  if (!wrong.empty()) throw std::runtime_error(wrong);
}

void set_own_property(rd_kafka_conf_t* conf, const char* name, const std::string& value,
                      const char* option) {
  char reason[512] = "";
  if (rd_kafka_conf_set(conf, name, value.c_str(), reason, sizeof reason) != RD_KAFKA_CONF_OK) {
    throw std::runtime_error(std::string(option) + ": " + reason);
  }
}

void set_default(rd_kafka_conf_t* conf, const Property& property) {
  char reason[512];
  rd_kafka_conf_set(conf, property.first, property.second, reason, sizeof reason);
}

void set_login(rd_kafka_conf_t* conf, const Login* login) {
  if (login == nullptr || login->by() != Login::By::token) return;
  set_default(conf, {"security.protocol", "sasl_ssl"});
  set_default(conf, {"sasl.mechanisms", "OAUTHBEARER"});
  // Tokens are brought to it (see Login) before it would ask.
  rd_kafka_conf_set_oauthbearer_token_refresh_cb(conf, [](rd_kafka_t*, const char*, void*) {});
}

std::string refusal(const std::string& name, const std::string& value, int version) {
  if (const auto found = kRefused.find(name); found != kRefused.end()) {
    return std::string("cannot be set: ") + found->second;
  }
  if (name == "group.protocol" && value != "classic") {
    return "only classic: the gate has not been tried with the others";
  }
  if (name == "check.crcs" && value != "false") {
    return "only false: behind a batch with a wrong checksum librdkafka loses its place in the log "
           "and may pass over records that are sound, or read the log from its start";
  }
  if (name == "partition.assignment.strategy" && version < kFirstSafeCooperative &&
      value.find("cooperative") != std::string::npos) {
    return "cooperative-sticky loses partitions when commits meet a rebalance, below librdkafka "
           "2.10.1 (this is " +
           version_text(version) + "); use range or roundrobin";
  }
  return {};
}

std::string property(const rd_kafka_conf_t* configuration, const char* name) {
  std::size_t size = 0;
  if (rd_kafka_conf_get(configuration, name, nullptr, &size) != RD_KAFKA_CONF_OK) return {};
  std::string value(size, '\0');
  rd_kafka_conf_get(configuration, name, value.data(), &size);
  value.resize(size > 0 ? size - 1 : 0);
  return value;
}

ConfHandle source_configuration(const SourceOptions& options, int version) {
  ConfHandle conf(rd_kafka_conf_new());
  for (const Property& property : kSourceDefaults) set_default(conf.get(), property);
  set_login(conf.get(), options.login.get());
  set_user_properties(conf.get(), {"kafka.properties", options.properties, 'P'}, version);
  leave_out(conf.get(), options);
  set_own_property(conf.get(), "bootstrap.servers", options.brokers, "kafka.brokers");
  set_own_property(conf.get(), "group.id", options.group, "kafka.group");
  if (!options.instance.empty()) {
    set_own_property(conf.get(), "group.instance.id", options.instance, "instance");
  }
  set_own_property(conf.get(), "enable.auto.commit", "false", "kafka");
  set_own_property(conf.get(), "enable.auto.offset.store", "false", "kafka");
  set_own_property(conf.get(), "enable.partition.eof", "true", "kafka");
  set_own_property(conf.get(), "log.queue", "true", "kafka");
  // We are told, and decide: see Positions.
  set_own_property(conf.get(), "auto.offset.reset", "error", "kafka");
  check_revoke_timeout(conf.get(), options.revoke_timeout);
  rd_kafka_conf_set_events(conf.get(), RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT |
                                           RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG |
                                           RD_KAFKA_EVENT_STATS);
  return conf;
}

rd_kafka_t* new_client(rd_kafka_type_t type, ConfHandle configuration, const std::string& path) {
  char reason[512] = "";
  rd_kafka_t* client = rd_kafka_new(type, configuration.get(), reason, sizeof reason);
  if (client == nullptr) throw std::runtime_error(path + ": " + reason);
  (void)configuration.release();  // librdkafka's now.
  return client;
}

bool has_old_scram(const rd_kafka_conf_t* configuration, int version) {
  return version < kFirstScramForKafka4 &&
         property(configuration, "security.protocol").starts_with("sasl") &&
         property(configuration, "sasl.mechanisms").starts_with("SCRAM");
}

void warn_of_known_trouble(const rd_kafka_conf_t* configuration, int version,
                           const Notify& notify) {
  if (has_old_scram(configuration, version)) {
    notify({Severity::warning, "kafka_old_scram",
            "librdkafka " + version_text(version) +
                " repeats a mistake in SCRAM that Kafka 4 brokers refuse as invalid credentials; "
                "use librdkafka 2.6.1 or later, or PLAIN over TLS"});
  }
}

}  // namespace einlass::kafka
