#include "app/targets/kafka_target.h"

#include <utility>

namespace einlass::app {
namespace {

// Its headers are put into `headers`.
kafka::TargetRecord to_write(const StoredRecord& record, const core::Send& send,
                             std::vector<kafka::Header>& headers) {
  headers.clear();
  for (std::size_t i = 0; i < record.header_count(); ++i) headers.push_back(record.header(i));
  return {send.record,  send.attempt,   record.number, record.timestamp_ms,
          record.key(), record.value(), headers};
}

// A Kafka target has no status of an answer.
auto without_status(AttemptFailed failed) {
  return [failed = std::move(failed)](core::RecordId record, std::string_view reason) {
    failed(record, 0, reason);
  };
}

TargetStatus shown(kafka::TargetStatus status) {
  return {status.in_flight, 0, std::move(status.trouble), std::move(status.unusable)};
}

}  // namespace

KafkaTarget::KafkaTarget(boost::asio::io_context& io, kafka::TargetOptions options,
                         core::Events& events, const Notify& notify, AttemptFailed failed)
    : target_(io, std::move(options), events, notify) {
  target_.tell_failures(without_status(std::move(failed)));
}

void KafkaTarget::send(const StoredRecord& record, const core::Send& send, bool) {
  target_.send(to_write(record, send, headers_));
}

void KafkaTarget::reconfigure(const config::Target& target) {
  target_.set_topic(target.kafka()->topic, target.kafka()->same_partition);
}

TargetStatus KafkaTarget::status() const { return shown(target_.status()); }

ExactlyOnceTarget::ExactlyOnceTarget(boost::asio::io_context& io, kafka::TargetOptions options,
                                     core::Events& events, const Notify& notify,
                                     AttemptFailed failed)
    : target_(io, std::move(options), events, notify) {
  target_.tell_failures(without_status(std::move(failed)));
}

void ExactlyOnceTarget::send(const StoredRecord& record, const core::Send& send, bool) {
  target_.send(to_write(record, send, headers_));
}

void ExactlyOnceTarget::transact(std::optional<kafka::GroupOffsets> offsets,
                                 std::function<void(kafka::TransactionEnd)> ended) {
  target_.transact(std::move(offsets), std::move(ended));
}

void ExactlyOnceTarget::reconfigure(const config::Target& target) {
  target_.set_topic(target.kafka()->topic, target.kafka()->same_partition);
}

TargetStatus ExactlyOnceTarget::status() const { return shown(target_.status()); }

}  // namespace einlass::app
