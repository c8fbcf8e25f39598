#include "adapters/kafka/producing/target_errors.h"

#include <string>

namespace einlass::kafka {
namespace {

// A trouble that stands until the topic takes a record again.
Trouble of_topic(const TargetErrorContext& context, const char* what, const std::string& text) {
  return {Severity::error, what, Lasts::topic, std::string(context.topic), text};
}

}  // namespace

Verdict verdict(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return Verdict::accepted;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    // Not sent, for its producer was given up before: for a right that is missing, as a rule.
    case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
    // The producer was given up, and waits for what it has on its way before another comes.
    case RD_KAFKA_RESP_ERR__FATAL:
      return Verdict::held;
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
      return Verdict::alone;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
      return Verdict::refused;
    default:
      return Verdict::again;
  }
}

Trouble explain_write(rd_kafka_resp_err_t code, std::string_view reason,
                      const TargetErrorContext& context) {
  const std::string topic(context.topic);
  const std::string own(" (" + std::string(reason) + ")");
  switch (code) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      return of_topic(context, "kafka_unknown_topic",
                      "the topic " + topic +
                          " is not there, and is not made by the gate; create "
                          "it, or correct targets." +
                          std::string(context.name) +
                          ".kafka.topic; records wait until it is there");
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return of_topic(context, "kafka_unknown_partition",
                      "the topic " + topic +
                          " has fewer partitions than the records come from; "
                          "give it as many, or write partition: key; those records wait");
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return of_topic(context, "kafka_topic_forbidden",
                      "this login may not write to the topic " + topic +
                          "; grant it WRITE and "
                          "DESCRIBE on the topic; records wait until then" +
                          own);
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return of_topic(context, "kafka_write_forbidden",
                      "this login may not write to any topic of " + std::string(context.brokers) +
                          "; grant it WRITE and DESCRIBE on the topic " + topic +
                          " (brokers older than 2.8: IDEMPOTENT_WRITE on the cluster); records "
                          "wait until then" +
                          own);
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return of_topic(
          context, "kafka_transactions_forbidden",
          "this login may not write in transactions; grant it WRITE and DESCRIBE on the "
          "transactional id " +
              std::string(context.transactional_id) + "; records wait until then" + own);
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
      return {
          Severity::warning,
          "kafka_transaction_fenced",
          Lasts::passing,
          {},
          "the brokers have ended a transaction that took too long, or another gate writes as " +
              std::string(context.transactional_id) +
              ": give each gate a unique instance name; its records are sent again" + own};
    default:
      return explain(code, false, reason, {context.brokers, "", "", context.topic});
  }
}

Trouble explain_transaction(rd_kafka_resp_err_t code, std::string_view reason,
                            const TargetErrorContext& context) {
  if (code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
    return of_topic(context, "kafka_group_forbidden",
                    "this login may not commit with its transactions what has been read; grant it "
                    "READ on the group of kafka.group and on the topics that are read; records "
                    "wait until then (" +
                        std::string(reason) + ")");
  }
  Trouble trouble = explain_write(code, reason, context);
  if (code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
    trouble.detail += "; it needs READ on the topics that are read, too";
  }
  return trouble;
}

Trouble transactions_wait(const TargetErrorContext& context) {
  return of_topic(context, "kafka_transactions_wait",
                  "its transactions stand still, for the brokers " + std::string(context.brokers) +
                      " let none begin or end; as a rule they name none of them as the coordinator "
                      "of transactions, because their topic __transaction_state has no leader, or "
                      "cannot be made: where they are fewer than its replicas, set their "
                      "transaction.state.log.replication.factor and "
                      "transaction.state.log.min.isr; or a partition of the topic " +
                      std::string(context.topic) + " has no leader; records wait until then");
}

Trouble nothing_can_be_written(std::string_view reason, std::string_view brokers) {
  return {Severity::error,
          "kafka_fatal",
          Lasts::for_ever,
          {},
          "nothing can be written any more: librdkafka gave up one producer after the other (" +
              std::string(reason) + "); restart when the brokers " + std::string(brokers) +
              " are healthy again"};
}

// One broker of several out of reach is not enough.
void tell_unusable(TargetStatus& status, const Troubles& troubles, const Login* login) {
  if (login != nullptr) status.unusable = login->trouble();
  if (!status.unusable.empty()) return;
  const bool connection = troubles.has("kafka_brokers_down") ||
                          troubles.has("kafka_login_refused") || troubles.has("kafka_tls_failed") ||
                          troubles.any(Lasts::for_ever);
  // These rights are asked for when the producer begins. It begins anew by itself for transactions,
  // and goes on waiting; otherwise with the next attempt.
  const bool not_tried = status.trouble.empty();
  const bool producer = troubles.has("kafka_transactions_forbidden") ||
                        troubles.has("kafka_transactions_wait") ||
                        (troubles.has("kafka_write_forbidden") && not_tried);
  if (connection || troubles.any(Lasts::topic)) status.unusable = troubles.worst();
  status.by_attempt = !connection && !producer;
}

}  // namespace einlass::kafka
