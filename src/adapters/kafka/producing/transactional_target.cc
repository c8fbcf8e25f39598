#include "adapters/kafka/producing/transactional_target.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/producing/target_record.h"
#include "adapters/kafka/producing/target_sink.h"
#include "adapters/kafka/producing/transactions.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

// How long nothing is sent to a target that can take nothing, and to one that may in a moment.
constexpr Duration kHold = Duration::seconds(2);
constexpr Duration kShortHold = Duration::millis(100);

// How often it is looked whether a transaction could begin, and nothing is sent while none can.
constexpr Duration kPulse = Duration::millis(500);
constexpr Duration kHoldWhileClosed = Duration::millis(600);
constexpr int kPulsesAfterRefusal = 4;

// After so many of these it is told that a call waits for the brokers: 10 s.
constexpr int kPulsesToTell = 20;

//               .----------- given up, or stuck -----------.
//               v                                          |
//   start -> closed -> opening -> idle -> filling -> ending
//               ^---------'        ^-------------------'
enum class Phase {
  closed,   // The producer may not write: it has been given up, or could not be opened.
  opening,  // What an earlier process left open is being ended.
  idle,     // No transaction.
  filling,  // Records are written; it waits for transact() and for their acknowledgements.
  ending,   // The transaction is being committed or aborted.
};

// The group has gone on: the source knows, and has told.
bool is_of_group(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS ||
         error == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION ||
         error == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID ||
         error == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
}

// The producer's own trouble, whatever record it is told of.
bool is_of_producer(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__FENCED || error == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
         error == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH ||
         error == RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID || error == RD_KAFKA_RESP_ERR__STATE ||
         error == RD_KAFKA_RESP_ERR__FATAL || error == RD_KAFKA_RESP_ERR__QUEUE_FULL;
}

// What librdkafka throws away once a transaction has failed says nothing of why.
bool is_consequence(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__PURGE_QUEUE || error == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
}

// What went wrong with a transaction first.
struct Failure {
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::string reason;
  bool of_record = false;  // And not of the transaction as such.
};

}  // namespace

struct TransactionalTarget::State final : TargetSink {
  State(boost::asio::io_context& io, TargetOptions given, core::Events& gate_events,
        Notify notify_people)
      : TargetSink(std::move(given), gate_events, std::move(notify_people)),
        producer(io, target_configuration(options), *this, options.login),
        transactions(io, [this](const Transactions::Answer& answer) { answered(answer); }),
        timer(io) {
    producer.get_ready_for(options.topic.c_str());
    open();
  }

  struct UnderWay {
    core::RecordId record;
    core::Attempt attempt;
  };

  void open();
  void pulse();
  void tell_waiting();
  void begin();
  void send(const TargetRecord& record);
  void go_on();
  void answered(const Transactions::Answer& answer);
  void end(TransactionEnd how);
  core::DeliveryEnded outcome(TransactionEnd how) const;
  void fail(rd_kafka_resp_err_t error, std::string_view reason, std::string_view topic = {});

  void ended(core::RecordId, const rd_kafka_message_t& message) override {
    const rd_kafka_resp_err_t error = message.err;
    if (error) fail(error, rd_kafka_err2str(error), rd_kafka_topic_name(message.rkt));
    go_on();
  }

  std::optional<core::TargetId> id;  // Since start().
  std::function<void(TransactionEnd)> on_end;
  Phase phase = Phase::closed;
  int pulses_to_skip = 0;  // Before the producer is opened again.
  int pulses_waited = 0;   // For the call under way.
  bool stuck = false;      // The producer is of no more use, though it has not been given up.
  std::vector<UnderWay> attempts;  // Of the transaction.
  std::optional<GroupOffsets> offsets;
  bool complete = false;  // transact() was called for it.
  Failure failure;
  Duration hold = kShortHold;    // After the next failure that is nobody's.
  rd_kafka_t* client = nullptr;  // The producer that phase speaks of.
  Producer producer;
  Transactions transactions;  // Uses the producer until it ends.
  boost::asio::steady_timer timer;
  // Once this is gone nothing may touch the rest: a timer that had fired may come all the same.
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

void TransactionalTarget::State::open() {
  if (phase != Phase::closed || producer.open() > 0) return;
  client = producer.client(stuck);
  if (client == nullptr) return;
  stuck = false;
  phase = Phase::opening;
  transactions.open(client);
}

// Nothing is sent that could only fail; permits would be lost with it.
void TransactionalTarget::State::pulse() {
  if (pulses_to_skip == 0) open();
  pulses_to_skip = std::max(pulses_to_skip - 1, 0);
  const bool closed = phase == Phase::closed || phase == Phase::opening;
  if (closed) events.push_back(core::TargetHold{*id, kHoldWhileClosed});
  tell_waiting();
  timer.expires_after(std::chrono::microseconds(kPulse.us));
  timer.async_wait([this, still = std::weak_ptr(alive)](const boost::system::error_code&) {
    if (!still.expired()) pulse();
  });
}

// Not where something else is told that explains it, as that there are no brokers.
void TransactionalTarget::State::tell_waiting() {
  const bool waits = phase == Phase::opening || phase == Phase::ending;
  pulses_waited = waits && status(0).unusable.empty() ? pulses_waited + 1 : 0;
  if (pulses_waited == kPulsesToTell) tell(transactions_wait(error_context()));
}

void TransactionalTarget::State::begin() {
  if (phase == Phase::idle && rd_kafka_fatal_error(client, nullptr, 0)) phase = Phase::closed;
  if (phase != Phase::idle) {
    return fail(RD_KAFKA_RESP_ERR__IN_PROGRESS, "no transaction can begin yet");
  }
  const ErrorHandle error(rd_kafka_begin_transaction(client));
  if (error == nullptr) {
    phase = Phase::filling;
    return;
  }
  fail(rd_kafka_error_code(error.get()), rd_kafka_error_string(error.get()));
  phase = Phase::closed;
  stuck = true;
}

void TransactionalTarget::State::send(const TargetRecord& record) {
  CHECK(!complete);
  if (attempts.empty()) begin();
  attempts.push_back({record.record, record.attempt});
  if (failure.error) return;
  const Produced produced = to_produce(record, options);
  const auto error = producer.put(produced);
  if (error) fail(error, rd_kafka_err2str(error), options.topic);
}

// Once nothing of the transaction is on its way any more.
void TransactionalTarget::State::go_on() {
  if (!complete || producer.open() > 0) return;
  if (phase != Phase::filling) return end(TransactionEnd::aborted);  // It has never begun.
  phase = Phase::ending;
  if (!failure.error && offsets) {
    transactions.commit(client, std::move(*offsets));
  } else {
    transactions.abort(client);
  }
}

void TransactionalTarget::State::answered(const Transactions::Answer& answer) {
  const bool was_opening = phase == Phase::opening;
  const bool given_up = rd_kafka_fatal_error(client, nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR;
  pulses_waited = 0;
  troubles.end("kafka_transactions_wait");
  stuck = answer.stuck;
  if (was_opening && answer.error) pulses_to_skip = kPulsesAfterRefusal;
  phase = given_up || stuck || (was_opening && answer.error) ? Phase::closed : Phase::idle;
  hold = verdict(answer.error) == Verdict::held ? kHold : kShortHold;
  if (answer.error) {
    fail(answer.error, answer.reason);
  } else if (was_opening) {
    troubles.connection_works();
    // These rights are asked for when it is opened.
    troubles.end("kafka_write_forbidden");
    troubles.end("kafka_transactions_forbidden");
  }
  if (!was_opening) return end(answer.end);
  if (attempts.empty()) failure = {};
}

void TransactionalTarget::State::end(TransactionEnd how) {
  if (how == TransactionEnd::committed) {
    worked(options.topic);
  }
  if (on_end) std::exchange(on_end, nullptr)(how);  // Before any attempt ends.
  core::DeliveryEnded event = outcome(how);
  for (const UnderWay& one : std::exchange(attempts, {})) {
    event.record = one.record;
    event.attempt = one.attempt;
    events.push_back(event);
  }
  failure = {};
  offsets.reset();
  complete = false;
}

// For each record of the transaction.
core::DeliveryEnded TransactionalTarget::State::outcome(TransactionEnd how) const {
  core::DeliveryEnded event{{}, {}, core::Outcome::accepted};
  if (how == TransactionEnd::committed) return event;
  event.outcome = core::Outcome::retry;
  event.reason = last_failure;
  event.together = static_cast<std::uint32_t>(attempts.size());
  const Verdict means = failure.of_record ? verdict(failure.error) : Verdict::held;
  // Of several, one that may not go is looked for as one that is refused.
  if (means == Verdict::refused || (means == Verdict::alone && event.together > 1)) {
    event.outcome = core::Outcome::refused;
    event.too_large = is_too_large(failure.error);
  }
  event.counts = means != Verdict::alone && means != Verdict::held;
  if (means != Verdict::held) return event;
  event.hold_target = phase == Phase::closed ? std::max(hold, kHoldWhileClosed) : hold;
  return event;
}

// `topic`: that of the record that failed; empty: the transaction as such did.
void TransactionalTarget::State::fail(rd_kafka_resp_err_t error, std::string_view reason,
                                      std::string_view topic) {
  if (failure.error && !is_consequence(failure.error)) return;  // What comes then comes of it.
  const bool of_record = !topic.empty();
  const bool counts = of_record && !is_consequence(error) && !is_of_producer(error);
  failure = {error, std::string(reason), counts};
  if (error == RD_KAFKA_RESP_ERR__IN_PROGRESS) return;  // Told when it is known why.
  last_failure = failure.reason;
  if (is_of_group(error) || is_consequence(error)) return;
  if (of_record) return failed(error, reason, topic);
  transaction_failed(error, reason);
}

TransactionalTarget::TransactionalTarget(boost::asio::io_context& io, TargetOptions options,
                                         core::Events& events, Notify notify) {
  CHECK(!options.transactional_id.empty());
  const std::string path = properties_path(options);
  try {
    state_ = std::make_unique<State>(io, std::move(options), events, std::move(notify));
  } catch (const ProducerRefused& refused) {
    throw std::runtime_error(path + ": " + refused.what());
  }
}

TransactionalTarget::~TransactionalTarget() = default;

void TransactionalTarget::start(core::TargetId id) {
  state_->id = id;
  state_->pulse();
}

void TransactionalTarget::send(const TargetRecord& record) { state_->send(record); }

void TransactionalTarget::transact(std::optional<GroupOffsets> offsets,
                                   std::function<void(TransactionEnd)> ended) {
  State& state = *state_;
  CHECK(!state.attempts.empty() && !state.complete);
  if (!offsets) {
    state.fail(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, "the group has gone on meanwhile");
  }
  state.offsets = std::move(offsets);
  state.on_end = std::move(ended);
  state.complete = true;
  state.go_on();
}

void TransactionalTarget::set_topic(std::string topic, bool same_partition) {
  state_->set_topic(std::move(topic), same_partition, state_->producer);
}

TargetStatus TransactionalTarget::status() const { return state_->status(state_->attempts.size()); }

}  // namespace einlass::kafka
