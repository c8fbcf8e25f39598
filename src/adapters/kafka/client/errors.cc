#include "adapters/kafka/client/errors.h"

#include <array>
#include <chrono>

namespace einlass::kafka {
namespace {

// What to call an error and what to do about it. In the advice %b stands for the brokers, %g for
// the group, %i for the instance and %t for the topic.
struct Advice {
  rd_kafka_resp_err_t code;
  const char* what;
  Severity severity;
  Lasts lasts;
  const char* text;
};

constexpr std::array kAdvice = {
    Advice{RD_KAFKA_RESP_ERR__TRANSPORT, "kafka_broker_unreachable", Severity::warning,
           Lasts::connection,
           "a Kafka broker of %b cannot be reached; check kafka.brokers, security.protocol and the "
           "network; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR__RESOLVE, "kafka_unknown_host", Severity::warning, Lasts::connection,
           "a Kafka broker's name cannot be resolved; check kafka.brokers (%b) and the brokers' "
           "advertised.listeners; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "kafka_brokers_down", Severity::error,
           Lasts::connection,
           "no Kafka broker of %b can be reached; nothing is read or committed until one can"},
    Advice{RD_KAFKA_RESP_ERR__SSL, "kafka_tls_failed", Severity::error, Lasts::connection,
           "TLS with the Kafka brokers %b failed; check security.protocol and "
           "ssl.ca.location in kafka.properties; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR__AUTHENTICATION, "kafka_login_refused", Severity::error,
           Lasts::connection,
           "the Kafka brokers %b refuse the login; check sasl.username, sasl.password and "
           "sasl.mechanisms in kafka.properties; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, "kafka_login_refused", Severity::error,
           Lasts::connection,
           "the Kafka brokers %b refuse the login; check sasl.username, sasl.password and "
           "sasl.mechanisms in kafka.properties; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "kafka_group_forbidden", Severity::error,
           Lasts::group,
           "this login may not use the group %g; grant it READ on the group; a running gate keeps "
           "trying"},
    Advice{RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL, "kafka_group_mixed", Severity::error,
           Lasts::group,
           "the other members of the group %g use another partition.assignment.strategy; give all "
           "of them the same; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, "kafka_group_refused", Severity::error,
           Lasts::group,
           "the brokers do not let a member with this session.timeout.ms into the group %g; set it "
           "in kafka.properties to what they allow (group.min.session.timeout.ms to "
           "group.max.session.timeout.ms), and restart the gate"},
    Advice{RD_KAFKA_RESP_ERR_GROUP_MAX_SIZE_REACHED, "kafka_group_refused", Severity::error,
           Lasts::group,
           "the group %g has as many members as the brokers allow (group.max.size); raise that, or "
           "start fewer gates or shards; a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "kafka_unknown_topic", Severity::warning,
           Lasts::topic,
           "the topic %t is not there; create it, or correct the route's topics; a running gate "
           "looks for it every few seconds"},
    Advice{RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, "kafka_unknown_topic", Severity::warning, Lasts::topic,
           "the topic %t is not there; create it, or correct the route's topics; a running gate "
           "looks for it every few seconds"},
    Advice{RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, "kafka_unknown_topic", Severity::warning,
           Lasts::topic,
           "the topic %t, or a partition of it, is not there any more; a running gate looks "
           "for it every few seconds"},
    Advice{RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "kafka_topic_forbidden", Severity::error,
           Lasts::topic,
           "this login may not use the topic %t; grant it READ and DESCRIBE (WRITE for a dead "
           "letter topic); a running gate keeps trying"},
    Advice{RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, "kafka_metadata_refused", Severity::warning,
           Lasts::passing,
           "the brokers take less metadata with an offset than the 3,584 bytes that this gate may "
           "need; set their offset.metadata.max.bytes to 4096 and restart the gate: until then it "
           "commits without, and delivers again what had finished out of order"},
    Advice{RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, "kafka_poll_too_late", Severity::error,
           Lasts::passing,
           "the gate stood still for longer than max.poll.interval.ms and lost its partitions in "
           "the group %g; it joins again"},
    Advice{RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, "kafka_member_unknown", Severity::warning,
           Lasts::passing,
           "the group %g no longer knows this gate, which was silent for too long; it joins again, "
           "and what it had not committed is delivered again"},
    Advice{RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, "kafka_member_unknown", Severity::warning,
           Lasts::passing,
           "the group %g has gone on without this gate, which was silent for too long; it joins "
           "again, and what it had not committed is delivered again"},
    Advice{RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, "kafka_too_large", Severity::error, Lasts::topic,
           "a record is larger than the topic %t takes; raise the topic's max.message.bytes, or "
           "message.max.bytes among the properties for Kafka where that is less (32 MiB for a "
           "Kafka target if it is not there)"},
    Advice{RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, "kafka_write_timed_out", Severity::warning,
           Lasts::connection,
           "the brokers %b did not take a record for the topic %t in time; tried again"},
    Advice{RD_KAFKA_RESP_ERR__PURGE_QUEUE, "kafka_write_not_begun", Severity::warning,
           Lasts::passing,
           "a record for the topic %t was not sent, for librdkafka gave up its producer before; "
           "another producer tries again"},
    Advice{RD_KAFKA_RESP_ERR__QUEUE_FULL, "kafka_write_queue_full", Severity::warning,
           Lasts::connection, "too many records wait to be written to the topic %t; tried again"},
    Advice{
        RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, "kafka_fatal", Severity::error, Lasts::for_ever,
        "Kafka no longer takes this process for the instance %i of the group %g: another process "
        "has joined under that name (give every gate a unique `instance`), or a commit from "
        "before an outage of Kafka reached it late; nothing is lost, start this one again"},
};

std::string fill(std::string_view text, const ErrorContext& context) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      filled += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'b':
        filled += context.brokers;
        break;
      case 'g':
        filled += context.group;
        break;
      case 'i':
        filled += context.instance;
        break;
      default:
        filled += context.topic.empty() ? "of a route" : context.topic;
        break;
    }
  }
  return filled;
}

// librdkafka repeats the client's nonce in its last message, which Kafka 4 checks.
bool is_old_scram(const Trouble& trouble, std::string_view reason) {
  constexpr int kFirstScramForKafka4 = 0x020601ff;
  return rd_kafka_version() < kFirstScramForKafka4 &&
         std::string_view(trouble.what) == "kafka_login_refused" &&
         reason.find("SCRAM") != std::string_view::npos;
}

// A right that the login does not have.
bool is_right(const Trouble& trouble) {
  return std::string_view(trouble.what).ends_with("_forbidden");
}

// The rank among troubles: the reason before its consequences.
int weight(const Trouble& trouble) {
  const std::string_view what = trouble.what;
  if (trouble.lasts == Lasts::for_ever) return 5;
  if (what == "kafka_broker_unreachable") return 0;
  if (what == "kafka_transactions_wait") return 1;
  if (what == "kafka_brokers_down") return 2;
  return trouble.lasts == Lasts::connection || trouble.lasts == Lasts::group ? 4 : 3;
}

}  // namespace

Trouble explain(rd_kafka_resp_err_t code, bool fatal, std::string_view reason,
                const ErrorContext& context) {
  Trouble trouble{Severity::warning, "kafka_error", Lasts::passing, std::string(context.topic),
                  std::string("Kafka says ") + rd_kafka_err2name(code)};
  for (const Advice& advice : kAdvice) {
    if (advice.code != code) continue;
    trouble.severity = advice.severity;
    trouble.what = advice.what;
    trouble.lasts = advice.lasts;
    trouble.detail = fill(advice.text, context);
    break;
  }
  if (fatal) {
    trouble.severity = Severity::error;
    trouble.what = "kafka_fatal";
    trouble.lasts = Lasts::for_ever;
  }
  if (!reason.empty()) trouble.detail.append(" (").append(reason).append(")");
  if (is_old_scram(trouble, reason)) {
    trouble.detail += std::string("; it need not be the password: librdkafka ") +
                      rd_kafka_version_str() +
                      " makes a mistake in SCRAM that Kafka 4 takes for a wrong one; with Kafka 4 "
                      "use librdkafka 2.6.1 or later, or PLAIN over TLS";
  }
  return trouble;
}

std::string_view topic_in(std::string_view reason) {
  constexpr std::string_view kColon = ": ";  // No topic's name has one.
  const std::size_t before = reason.find(kColon);
  if (before == std::string_view::npos) return {};
  reason.remove_prefix(before + kColon.size());
  return reason.substr(0, reason.find(kColon));
}

Trouble no_coordinator(const ErrorContext& context) {
  return {Severity::error,
          "kafka_no_coordinator",
          Lasts::group,
          {},
          fill("the brokers %b name none of them as the coordinator of the group %g, without which "
               "nothing is read or committed; their topic __consumer_offsets has no leader, or "
               "cannot be made: where they are fewer than its replicas, set their "
               "offsets.topic.replication.factor; a running gate keeps trying",
               context)};
}

std::string nobody_leads(const std::string& partitions) {
  return "no broker answers for " + partitions +
         ", so nothing of it is read until one does; its leader is away, or it has none "
         "(kafka-topics.sh --describe --unavailable-partitions)";
}

std::optional<Trouble> explain_log(rd_kafka_event_t* event) {
  constexpr int kWarning = 4, kError = 3;  // As syslog has them.
  const char* facility = nullptr;
  const char* text = nullptr;
  int level = 0;
  if (rd_kafka_event_log(event, &facility, &text, &level) != 0) return {};
  const Severity severity = level <= kError     ? Severity::error
                            : level <= kWarning ? Severity::warning
                                                : Severity::debug;
  return Trouble{severity, "kafka_log", Lasts::passing, facility,
                 std::string("librdkafka says: ") + text};
}

bool is_too_large(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
         code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

core::CommitResult commit_result(rd_kafka_resp_err_t code, bool keeps) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return core::CommitResult::committed;
    case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
      return keeps ? core::CommitResult::failed : core::CommitResult::fenced;
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
    case RD_KAFKA_RESP_ERR__FATAL:
    case RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
      return core::CommitResult::fenced;
    default:
      return core::CommitResult::failed;
  }
}

// They know each connection's state; only one that is logged in is "UP". (Asking the brokers
// anything by the admin API would do as well, but ends the process on 2.0.2 when they come back
// meanwhile.)
bool a_broker_is_up(std::string_view statistics) {
  return statistics.find("\"state\":\"UP\"") != std::string_view::npos;
}

Instant notice_time() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(now).count()};
}

bool Troubles::add(const Trouble& trouble, Instant now) {
  if (trouble.severity == Severity::debug) return true;
  const std::string key = trouble.what + (" " + trouble.topic);
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() >= kMost) {
      std::erase_if(entries_, [&](const auto& one) {
        return !one.second.stands && now - one.second.told >= quiet_;
      });
    }
    // Those of no topic are few.
    if (entries_.size() >= kMost && !trouble.topic.empty()) return true;
    found = entries_.emplace(key, Entry{trouble, now, false}).first;
  } else if (found->second.stands || now - found->second.told < quiet_) {
    found->second.trouble = trouble;
    found->second.stands = trouble.lasts != Lasts::passing;
    return false;
  }
  found->second = Entry{trouble, now, trouble.lasts != Lasts::passing};
  return true;
}

void Troubles::brokers_answer() {
  for (auto& [key, entry] : entries_) {
    if (entry.trouble.lasts == Lasts::connection) entry.stands = false;
  }
}

void Troubles::connection_works() {
  brokers_answer();
  for (auto& [key, entry] : entries_) {
    if (entry.trouble.lasts == Lasts::group) entry.stands = false;
  }
}

std::set<std::string> Troubles::topics() const {
  std::set<std::string> topics;
  for (const auto& [key, entry] : entries_) {
    if (entry.stands && entry.trouble.lasts == Lasts::topic) topics.insert(entry.trouble.topic);
  }
  return topics;
}

void Troubles::topic_works(std::string_view topic) {
  for (auto& [key, entry] : entries_) {
    if (entry.trouble.lasts == Lasts::topic && entry.trouble.topic == topic) {
      entry.stands = false;
    }
  }
}

void Troubles::end(std::string_view what) {
  for (auto& [key, entry] : entries_) {
    if (entry.trouble.what == what) entry.stands = false;
  }
}

bool Troubles::any(Lasts lasts) const {
  for (const auto& [key, entry] : entries_) {
    if (entry.stands && entry.trouble.lasts == lasts) return true;
  }
  return false;
}

bool Troubles::has(std::string_view what) const {
  for (const auto& [key, entry] : entries_) {
    if (entry.stands && entry.trouble.what == what) return true;
  }
  return false;
}

bool Troubles::has(std::string_view what, std::string_view topic) const {
  const auto found = entries_.find(std::string(what) + " " + std::string(topic));
  return found != entries_.end() && found->second.stands;
}

std::string Troubles::worst(std::string_view besides) const {
  const Trouble* worst = nullptr;
  for (const auto& [key, entry] : entries_) {
    if (!entry.stands || entry.trouble.what == besides) continue;
    if (worst == nullptr || weight(entry.trouble) > weight(*worst)) worst = &entry.trouble;
  }
  if (worst == nullptr) return {};
  // Rights are granted one by one, and whether one was is only seen when the others are there too.
  std::string all = worst->detail;
  for (const auto& [key, entry] : entries_) {
    const bool another = entry.stands && &entry.trouble != worst && is_right(entry.trouble);
    if (another && is_right(*worst)) all += "; " + entry.trouble.detail;
  }
  return all;
}

}  // namespace einlass::kafka
