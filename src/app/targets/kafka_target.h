// Targets that are Kafka topics: hand each record to the adapter as it was read.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/kafka/producing/target.h"
#include "adapters/kafka/producing/transactional_target.h"
#include "app/targets/target.h"
#include "core/contract/event.h"
#include "units/notice.h"

namespace einlass::app {

// `Topic` is the adapter.
template <class Topic>
class TopicTarget : public Target {
 public:
  // Throws std::runtime_error as the adapter does.
  TopicTarget(boost::asio::io_context& io, kafka::TargetOptions options, core::Events& events,
              const Notify& notify)
      : topic_(io, std::move(options), events, notify) {}

  void start(core::TargetId id) final { topic_.start(id); }

  void send(const StoredRecord& record, const core::Send& send, bool) final {
    headers_.clear();
    for (std::size_t i = 0; i < record.header_count(); ++i) headers_.push_back(record.header(i));
    topic_.send({send.record, send.attempt, record.number, record.timestamp_ms, record.key(),
                 record.value(), headers_});
  }

  void reconfigure(const config::Target& target) final {
    topic_.set_topic(target.kafka()->topic, target.kafka()->same_partition);
  }

  TargetStatus status() const final { return topic_.status(); }

 protected:
  Topic topic_;

 private:
  std::vector<kafka::Header> headers_;  // Used again for each record.
};

using KafkaTarget = TopicTarget<kafka::Target>;

// With exactly_once: true.
class ExactlyOnceTarget final : public TopicTarget<kafka::TransactionalTarget> {
 public:
  using TopicTarget::TopicTarget;

  // As the adapter's.
  void transact(std::optional<kafka::GroupOffsets> offsets,
                std::function<void(kafka::TransactionEnd)> ended) {
    topic_.transact(std::move(offsets), std::move(ended));
  }
};

}  // namespace einlass::app
