#include "adapters/kafka/producing/target.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/producing/producer.h"
#include "adapters/kafka/producing/target_errors.h"
#include "adapters/kafka/producing/target_record.h"

namespace einlass::kafka {
namespace {

// How long nothing is sent to a target that can take nothing: about as long as librdkafka takes to
// look for the topic again.
constexpr Duration kHold = Duration::seconds(2);

// For how long nothing is told twice.
constexpr Duration kQuiet = Duration::seconds(30);

}  // namespace

struct Target::State final : ProducerSink {
  State(boost::asio::io_context& event_loop, TargetOptions given, core::Events& gate_events,
        Notify notify_people)
      : io(event_loop),
        options(std::move(given)),
        events(gate_events),
        notify(std::move(notify_people)),
        producer(io, target_configuration(options), *this, options.tokens) {
    producer.get_ready_for(options.topic.c_str());
  }

  // Hears of the records that are written alone.
  struct Alone final : ProducerSink {
    explicit Alone(State& of)
        : state(of),
          producer(of.io, target_configuration(of.options, true), *this, of.options.tokens) {}

    void ended(core::RecordId record, const rd_kafka_message_t& message) override {
      state.end(record, message.err, rd_kafka_topic_name(message.rkt));
    }
    void trouble(rd_kafka_resp_err_t error, std::string_view reason) override {
      state.trouble(error, reason);
    }
    void logged(const Trouble& trouble) override { state.logged(trouble); }
    void given_up(std::string_view reason) override { state.given_up(reason); }
    void brokers_answer() override {}

    State& state;
    Producer producer;
  };

  void send(const TargetRecord& record);
  // An attempt that is under way.
  struct Open {
    core::Attempt attempt;
    std::optional<PartitionNumber> partition;
    std::int64_t timestamp_ms = -1;
  };

  rd_kafka_resp_err_t write_alone(core::RecordId record, const rd_kafka_message_t& message);
  void end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic);
  void fail(core::RecordId record, core::DeliveryEnded& event, rd_kafka_resp_err_t error,
            std::string_view topic);
  void tell(const Trouble& trouble);

  void ended(core::RecordId record, const rd_kafka_message_t& message) override {
    rd_kafka_resp_err_t error = message.err;
    if (verdict(error) == Verdict::refused) error = write_alone(record, message);
    if (error || !message.err) end(record, error, rd_kafka_topic_name(message.rkt));
  }
  void trouble(rd_kafka_resp_err_t error, std::string_view reason) override {
    tell(explain_write(error, reason, {options.name, options.brokers, options.topic}));
  }
  void logged(const Trouble& trouble) override { tell(trouble); }
  void given_up(std::string_view reason) override {
    tell(nothing_can_be_written(reason, options.brokers));
  }
  void brokers_answer() override { troubles.brokers_answer(); }

  boost::asio::io_context& io;
  TargetOptions options;
  core::Events& events;
  Notify notify;
  Troubles troubles{kQuiet};
  std::function<void(core::RecordId, std::string_view)> failed;
  std::vector<Open> attempts;  // By the record's slot.
  std::size_t open = 0;
  std::string last_failure;
  Producer producer;
  std::unique_ptr<Alone> alone;
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

// The brokers refuse a batch as a whole, and do not say for which of its records. What may be some
// other record's fault is written once more, in a batch of its own, and that answer counts: that it
// cannot be written now is no refusal either.
rd_kafka_resp_err_t Target::State::write_alone(core::RecordId record,
                                               const rd_kafka_message_t& message) {
  try {
    if (alone == nullptr) alone = std::make_unique<Alone>(*this);
  } catch (const std::exception&) {
    return RD_KAFKA_RESP_ERR__FATAL;
  }
  const Open& attempt = attempts[record.slot];
  return alone->producer.put_again(message, attempt.partition, attempt.timestamp_ms);
}

void Target::State::end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic) {
  --open;
  core::DeliveryEnded event{record, attempts[record.slot].attempt, core::Outcome::accepted,
                            std::nullopt};
  if (!error) {
    last_failure.clear();
    troubles.connection_works();
    troubles.topic_works(topic);
  } else {
    fail(record, event, error, topic);
  }
  events.push_back(event);
}

void Target::State::fail(core::RecordId record, core::DeliveryEnded& event,
                         rd_kafka_resp_err_t error, std::string_view topic) {
  Trouble trouble =
      explain_write(error, rd_kafka_err2str(error), {options.name, options.brokers, topic});
  event.outcome = core::Outcome::retry;
  switch (verdict(error)) {
    case Verdict::refused:
      event.outcome = core::Outcome::refused;
      event.too_large = is_too_large(error);
      trouble.standing = Standing::passing;  // The next record may well go.
      troubles.brokers_answer();
      break;
    case Verdict::held:
      event.counts = false;
      event.hold_target = kHold;
      if (trouble.standing == Standing::topic) troubles.brokers_answer();
      break;
    case Verdict::alone:
      event.counts = false;
      break;
    default:
      break;
  }
  last_failure = trouble.detail;
  tell(trouble);
  if (failed) failed(record, trouble.detail);
}

void Target::State::tell(const Trouble& trouble) {
  if (!troubles.add(trouble, notice_time())) return;
  notify({trouble.severity, trouble.what, "target " + options.name + ": " + trouble.detail});
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

void Target::tell_failures(std::function<void(core::RecordId, std::string_view reason)> failed) {
  state_->failed = std::move(failed);
}

void Target::set_topic(std::string topic, bool same_partition) {
  state_->troubles.topic_works(state_->options.topic);
  state_->options.topic = std::move(topic);
  state_->options.same_partition = same_partition;
  state_->producer.get_ready_for(state_->options.topic.c_str());
}

TargetStatus Target::status() const {
  return {state_->open, state_->last_failure,
          unusable(state_->troubles, state_->options.tokens.get())};
}

void check_configuration(const TargetOptions& options) { target_configuration(options); }

}  // namespace einlass::kafka
