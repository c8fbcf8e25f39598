// A target that is a Kafka topic: hands each record to the adapter as it was read.
#pragma once

#include <boost/asio/io_context.hpp>
#include <vector>

#include "adapters/kafka/producing/target.h"
#include "adapters/kafka/producing/transactional_target.h"
#include "app/targets/target.h"
#include "core/event.h"
#include "units/notice.h"

namespace einlass::app {

class KafkaTarget final : public Target {
 public:
  // Throws std::runtime_error as kafka::Target does.
  KafkaTarget(boost::asio::io_context& io, kafka::TargetOptions options, core::Events& events,
              const Notify& notify, AttemptFailed failed);

  void send(const StoredRecord& record, const core::Send& send, bool limited) override;
  void reconfigure(const config::Target& target) override;
  TargetStatus status() const override;

 private:
  kafka::Target target_;
  std::vector<kafka::Header> headers_;  // Used again for each record.
};

// The same, with exactly_once: true.
class ExactlyOnceTarget final : public Target {
 public:
  // Throws as KafkaTarget's.
  ExactlyOnceTarget(boost::asio::io_context& io, kafka::TargetOptions options, core::Events& events,
                    const Notify& notify, AttemptFailed failed);

  void start(core::TargetId id) override { target_.start(id); }
  void send(const StoredRecord& record, const core::Send& send, bool limited) override;
  void transact(std::optional<kafka::GroupOffsets> offsets,
                std::function<void(kafka::TransactionEnd)> ended) override;
  void reconfigure(const config::Target& target) override;
  TargetStatus status() const override;

 private:
  kafka::TransactionalTarget target_;
  std::vector<kafka::Header> headers_;  // As above.
};

}  // namespace einlass::app
