// What each kind of target does with what its producer tells it, and what people are shown of that.
#pragma once

#include <string>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/options.h"
#include "adapters/kafka/producing/producer.h"
#include "adapters/kafka/producing/target_errors.h"
#include "core/contract/event.h"
#include "units/notice.h"
#include "units/target_status.h"

namespace einlass::kafka {

struct TargetSink : ProducerSink {
  TargetSink(TargetOptions given, core::Events& gate_events, Notify notify_people);

  void trouble(rd_kafka_resp_err_t error, std::string_view reason) override {
    tell(explain_write(error, reason, error_context()));
  }
  void logged(const Trouble& trouble) override { tell(trouble); }
  void given_up(std::string_view reason) override {
    tell(nothing_can_be_written(reason, options.brokers));
  }
  void brokers_answer() override { troubles.brokers_answer(); }

  TargetErrorContext error_context() const {
    return {options.name, options.brokers, options.topic, options.transactional_id};
  }

  void tell(const Trouble& trouble);
  void worked(std::string_view topic);  // An attempt did.
  // Tells of an attempt that did not; why is last_failure then. `topic`: its own, which since a
  // reload may be another than that of the options.
  void failed(rd_kafka_resp_err_t error, std::string_view reason, std::string_view topic);
  // A transaction as such.
  void transaction_failed(rd_kafka_resp_err_t error, std::string_view reason);
  void set_topic(std::string topic, bool same_partition, Producer& producer);
  TargetStatus status(std::size_t in_flight) const;

  TargetOptions options;
  core::Events& events;
  Notify notify;
  Troubles troubles;
  std::string last_failure;

 protected:
  ~TargetSink() = default;

 private:
  void take(Trouble trouble, rd_kafka_resp_err_t error, std::string_view topic);
};

}  // namespace einlass::kafka
