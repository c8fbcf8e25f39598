#include "adapters/kafka/transactional_target.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/kafka/configuration.h"
#include "adapters/kafka/producer.h"
#include "adapters/kafka/target_errors.h"
#include "adapters/kafka/target_record.h"
#include "adapters/kafka/transactions.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

// How long nothing is sent to a target that can take nothing, and to one that may in a moment.
constexpr Duration kHold = Duration::seconds(2);
constexpr Duration kShortHold = Duration::millis(100);

// For how long nothing is told twice.
constexpr Duration kQuiet = Duration::seconds(30);

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

struct TransactionalTarget::State final : ProducerSink {
  State(boost::asio::io_context& io, TargetOptions given, core::Events& gate_events,
        Notify notify_people)
      : options(std::move(given)),
        events(gate_events),
        notify(std::move(notify_people)),
        producer(io, target_configuration(options), *this, options.tokens),
        transactions(io, [this](const Transactions::Answer& answer) { answered(answer); }) {
    producer.get_ready_for(options.topic.c_str());
    open();
  }

  struct Open {
    core::RecordId record;
    core::Attempt attempt;
  };

  void open();
  void begin();
  void send(const TargetRecord& record);
  void go_on();
  void answered(const Transactions::Answer& answer);
  void end(TransactionEnd how);
  core::DeliveryEnded outcome(TransactionEnd how) const;
  void fail(rd_kafka_resp_err_t error, std::string_view reason, bool of_record);
  void tell(const Trouble& trouble);
  TargetPlace place() const {
    return {options.name, options.brokers, options.topic, options.transactional_id};
  }

  void ended(core::RecordId, const rd_kafka_message_t& message) override {
    if (message.err) fail(message.err, rd_kafka_err2str(message.err), true);
    go_on();
  }
  void trouble(rd_kafka_resp_err_t error, std::string_view reason) override {
    tell(explain_write(error, reason, place()));
  }
  void logged(const Trouble& trouble) override { tell(trouble); }
  void given_up(std::string_view reason) override {
    tell(nothing_can_be_written(reason, options.brokers));
  }
  void brokers_answer() override { troubles.brokers_answer(); }

  TargetOptions options;
  core::Events& events;
  Notify notify;
  Troubles troubles{kQuiet};
  std::function<void(core::RecordId, std::string_view)> failed;
  std::function<void(TransactionEnd)> told;
  Phase phase = Phase::closed;
  std::vector<Open> attempts;  // Of the transaction.
  std::optional<GroupOffsets> offsets;
  bool complete = false;  // transact() was called for it.
  Failure failure;
  Duration hold = kShortHold;  // After the next failure that is nobody's.
  std::string last_failure;
  rd_kafka_t* opened = nullptr;  // The producer that phase speaks of.
  Producer producer;
  Transactions transactions;  // Uses the producer until it ends.
};

void TransactionalTarget::State::open() {
  if (phase != Phase::closed || transactions.busy()) return;
  opened = producer.client();
  if (opened == nullptr) return;
  phase = Phase::opening;
  transactions.open(opened);
}

void TransactionalTarget::State::begin() {
  open();
  if (phase == Phase::idle && producer.client() != opened) {
    phase = Phase::closed;  // librdkafka has given it up meanwhile.
    open();
  }
  if (phase != Phase::idle) {
    return fail(RD_KAFKA_RESP_ERR__IN_PROGRESS, "no transaction can begin yet", false);
  }
  const ErrorHandle error(rd_kafka_begin_transaction(opened));
  if (error == nullptr) {
    phase = Phase::filling;
  } else {
    fail(rd_kafka_error_code(error.get()), rd_kafka_error_string(error.get()), false);
  }
}

void TransactionalTarget::State::send(const TargetRecord& record) {
  CHECK(!complete);
  if (attempts.empty()) begin();
  attempts.push_back({record.record, record.attempt});
  if (failure.error) return;
  const Produced produced = to_produce(record, options);
  if (const auto error = producer.put(produced)) fail(error, rd_kafka_err2str(error), true);
}

// Once nothing of the transaction is on its way any more.
void TransactionalTarget::State::go_on() {
  if (!complete || producer.open() > 0) return;
  if (phase != Phase::filling) return end(TransactionEnd::aborted);  // It has never begun.
  phase = Phase::ending;
  if (!failure.error && offsets) {
    transactions.commit(opened, std::move(*offsets));
  } else {
    transactions.abort(opened);
  }
}

void TransactionalTarget::State::answered(const Transactions::Answer& answer) {
  const bool was_opening = phase == Phase::opening;
  const bool usable = rd_kafka_fatal_error(opened, nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR;
  phase = usable && (!was_opening || !answer.error) ? Phase::idle : Phase::closed;
  hold = verdict(answer.error) == Verdict::held ? kHold : kShortHold;
  if (answer.error) {
    fail(answer.error, answer.reason, false);
  } else if (was_opening) {
    troubles.connection_works();
  }
  if (!was_opening) return end(answer.end);
  if (attempts.empty()) failure = {};
}

void TransactionalTarget::State::end(TransactionEnd how) {
  if (how == TransactionEnd::committed) {
    last_failure.clear();
    troubles.connection_works();
    troubles.topic_works(options.topic);
  }
  if (told) std::exchange(told, nullptr)(how);
  core::DeliveryEnded event = outcome(how);
  for (const Open& open : std::exchange(attempts, {})) {
    event.record = open.record;
    event.attempt = open.attempt;
    if (failed && how != TransactionEnd::committed) failed(open.record, last_failure);
    events.push_back(event);
  }
  failure = {};
  offsets.reset();
  complete = false;
  open();
}

// For each record of the transaction.
core::DeliveryEnded TransactionalTarget::State::outcome(TransactionEnd how) const {
  core::DeliveryEnded event{{}, {}, core::Outcome::accepted, std::nullopt};
  if (how == TransactionEnd::committed) return event;
  event.outcome = core::Outcome::retry;
  event.together = static_cast<std::uint32_t>(attempts.size());
  const Verdict means = failure.of_record ? verdict(failure.error) : Verdict::held;
  if (means == Verdict::refused) event.outcome = core::Outcome::refused;
  if (means != Verdict::held) return event;
  event.counts = false;
  event.hold_target = hold;
  return event;
}

void TransactionalTarget::State::fail(rd_kafka_resp_err_t error, std::string_view reason,
                                      bool of_record) {
  if (failure.error && !is_consequence(failure.error)) return;  // What comes then comes of it.
  failure = {error, std::string(reason), of_record && !is_consequence(error)};
  if (error == RD_KAFKA_RESP_ERR__IN_PROGRESS) return;  // Told when it is known why.
  last_failure = failure.reason;
  if (is_of_group(error) || is_consequence(error)) return;
  Trouble trouble = explain_write(error, reason, place());
  const Verdict means = verdict(error);
  if (means == Verdict::refused) trouble.standing = Standing::passing;
  if (means == Verdict::refused || trouble.standing == Standing::topic) troubles.brokers_answer();
  last_failure = trouble.detail;
  tell(trouble);
}

void TransactionalTarget::State::tell(const Trouble& trouble) {
  if (!troubles.add(trouble, Instant{})) return;
  notify({trouble.severity, trouble.what, "target " + options.name + ": " + trouble.detail});
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

void TransactionalTarget::send(const TargetRecord& record) { state_->send(record); }

void TransactionalTarget::transact(std::optional<GroupOffsets> offsets,
                                   std::function<void(TransactionEnd)> ended) {
  State& state = *state_;
  CHECK(!state.attempts.empty() && !state.complete);
  if (!offsets) {
    state.fail(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, "the group has gone on meanwhile", false);
  }
  state.offsets = std::move(offsets);
  state.told = std::move(ended);
  state.complete = true;
  state.go_on();
}

void TransactionalTarget::tell_failures(
    std::function<void(core::RecordId record, std::string_view reason)> failed) {
  state_->failed = std::move(failed);
}

void TransactionalTarget::set_topic(std::string topic, bool same_partition) {
  state_->troubles.topic_works(state_->options.topic);
  state_->options.topic = std::move(topic);
  state_->options.same_partition = same_partition;
  state_->producer.get_ready_for(state_->options.topic.c_str());
}

TargetStatus TransactionalTarget::status() const {
  return {state_->attempts.size(), state_->last_failure,
          unusable(state_->troubles, state_->options.tokens.get())};
}

}  // namespace einlass::kafka
