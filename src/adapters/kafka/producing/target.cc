#include "adapters/kafka/producing/target.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/producing/target_record.h"
#include "adapters/kafka/producing/target_sink.h"

namespace einlass::kafka {
namespace {

// How long nothing is sent to a target that can take nothing: about as long as librdkafka takes to
// look for the topic again.
constexpr Duration kHold = Duration::seconds(2);

}  // namespace

struct Target::State final : TargetSink {
  State(boost::asio::io_context& event_loop, TargetOptions given, core::Events& gate_events,
        Notify notify_people)
      : TargetSink(std::move(given), gate_events, std::move(notify_people)),
        io(event_loop),
        producer(io, target_configuration(options), *this, options.login) {
    producer.get_ready_for(options.topic.c_str());
  }

  // An attempt that is under way.
  struct Open {
    core::Attempt attempt;
    std::optional<PartitionNumber> partition;
    std::int64_t timestamp_ms = -1;
    bool alone = false;  // It is written for the second time.
  };

  void send(const TargetRecord& record);
  rd_kafka_resp_err_t write_alone(core::RecordId record, const rd_kafka_message_t& message);
  void end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic);
  void fail(core::DeliveryEnded& event, rd_kafka_resp_err_t error, std::string_view topic);
  void ended(core::RecordId record, const rd_kafka_message_t& message) override;

  boost::asio::io_context& io;
  std::vector<Open> attempts;  // By the record's slot.
  std::size_t open = 0;
  Producer producer;
  std::unique_ptr<Producer> alone;  // What it writes, it writes one by one.
};

void Target::State::send(const TargetRecord& record) {
  if (record.record.slot >= attempts.size()) attempts.resize(record.record.slot + 1);
  Open& attempt = attempts[record.record.slot];
  attempt = {record.attempt, std::nullopt, record.timestamp_ms};
  if (options.same_partition) attempt.partition = record.number;
  ++open;
  const Produced produced = to_produce(record, options);
  if (const auto error = producer.put(produced)) end(record.record, error, options.topic);
}

void Target::State::ended(core::RecordId record, const rd_kafka_message_t& message) {
  rd_kafka_resp_err_t error = message.err;
  if (verdict(error) == Verdict::refused && !attempts[record.slot].alone) {
    error = write_alone(record, message);
    if (!error) return;
  }
  end(record, error, rd_kafka_topic_name(message.rkt));
}

// The brokers refuse a batch as a whole, and do not say for which of its records. What may be some
// other record's fault is written once more, in a batch of its own, and that answer counts: that it
// cannot be written now is no refusal either.
rd_kafka_resp_err_t Target::State::write_alone(core::RecordId record,
                                               const rd_kafka_message_t& message) {
  try {
    if (alone == nullptr) {
      alone =
          std::make_unique<Producer>(io, target_configuration(options, true), *this, options.login);
    }
  } catch (const std::exception&) {
    return RD_KAFKA_RESP_ERR__FATAL;
  }
  Open& attempt = attempts[record.slot];
  attempt.alone = true;
  return alone->put_again(message, attempt.partition, attempt.timestamp_ms);
}

void Target::State::end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic) {
  --open;
  core::DeliveryEnded event{record, attempts[record.slot].attempt, core::Outcome::accepted};
  if (!error) {
    worked(topic);
  } else {
    fail(event, error, topic);
  }
  events.push_back(std::move(event));
}

void Target::State::fail(core::DeliveryEnded& event, rd_kafka_resp_err_t error,
                         std::string_view topic) {
  failed(error, rd_kafka_err2str(error), topic);
  event.reason = last_failure;
  event.outcome = core::Outcome::retry;
  switch (verdict(error)) {
    case Verdict::refused:
      event.outcome = core::Outcome::refused;
      event.too_large = is_too_large(error);
      break;
    case Verdict::held:
      event.counts = false;
      event.hold_target = kHold;
      break;
    case Verdict::alone:
      event.counts = false;
      break;
    default:
      break;
  }
}

Target::Target(boost::asio::io_context& io, TargetOptions options, core::Events& events,
               Notify notify) {
  const std::string path = properties_path(options);
  try {
    state_ = std::make_unique<State>(io, std::move(options), events, std::move(notify));
  } catch (const ProducerRefused& refused) {
    throw std::runtime_error(path + ": " + refused.what());
  }
}

Target::~Target() = default;

void Target::send(const TargetRecord& record) { state_->send(record); }

void Target::set_topic(std::string topic, bool same_partition) {
  state_->set_topic(std::move(topic), same_partition, state_->producer);
}

TargetStatus Target::status() const { return state_->status(state_->open); }

void check_configuration(const TargetOptions& options) { target_configuration(options); }

}  // namespace einlass::kafka
