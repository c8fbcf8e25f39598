#include "app/kafka_target.h"

#include <utility>

namespace einlass::app {

KafkaTarget::KafkaTarget(boost::asio::io_context& io, kafka::TargetOptions options,
                         core::Events& events, const Notify& notify, AttemptFailed failed)
    : target_(io, std::move(options), events, notify) {
  target_.tell_failures(
      [failed = std::move(failed)](core::RecordId record, std::string_view reason) {
        failed(record, 0, reason);
      });
}

void KafkaTarget::send(const StoredRecord& record, const core::Send& send, bool) {
  headers_.clear();
  for (std::size_t i = 0; i < record.header_count(); ++i) headers_.push_back(record.header(i));
  target_.send({send.record, send.attempt, record.number, record.timestamp_ms, record.key(),
                record.value(), headers_});
}

void KafkaTarget::reconfigure(const config::Target& target) {
  target_.set_topic(target.kafka->topic, target.kafka->same_partition);
}

TargetStatus KafkaTarget::status() const {
  kafka::TargetStatus status = target_.status();
  return {status.in_flight, 0, std::move(status.trouble), std::move(status.unusable)};
}

}  // namespace einlass::app
