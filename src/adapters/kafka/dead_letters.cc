#include "adapters/kafka/dead_letters.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "adapters/kafka/configuration.h"
#include "adapters/kafka/errors.h"
#include "adapters/kafka/producer.h"

namespace einlass::kafka {
namespace {

// What is in librdkafka's queue, or may be.
struct Amount {
  std::size_t messages = 0;
  std::size_t bytes = 0;
};

// librdkafka from 2.3 on takes 0 for no limit.
std::size_t limit(const ConfHandle& conf, const char* name, std::size_t unit) {
  const std::size_t given = std::stoul(property(conf.get(), name));
  return given == 0 ? std::numeric_limits<std::size_t>::max() : given * unit;
}

Amount room_of(const ConfHandle& conf) {
  return {limit(conf, "queue.buffering.max.messages", 1),
          limit(conf, "queue.buffering.max.kbytes", 1024)};
}

std::size_t size_of(const DeadRecord& record) {
  return (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
}

}  // namespace

struct DeadLetters::State final : ProducerSink {
  State(boost::asio::io_context& io, DeadLettersOptions given, core::Events& gate_events,
        Notify notify_people)
      : options(std::move(given)),
        events(gate_events),
        notify(std::move(notify_people)),
        room(room_of(dead_letters_configuration(options))),
        producer(io, dead_letters_configuration(options), *this, options.tokens) {}

  void put(const DeadRecord& record);
  bool has_room(const DeadRecord& record) const;
  void end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic);
  void tell(const Trouble& trouble);

  void ended(core::RecordId record, const rd_kafka_message_t& message) override {
    const char* topic = rd_kafka_topic_name(message.rkt);
    Amount& queued = of_topic[topic];
    const std::size_t size = message.len + message.key_len;
    room = {room.messages + 1, room.bytes + size};
    queued = {queued.messages - 1, queued.bytes - size};
    if (queued.messages == 0) of_topic.erase(topic);
    end(record, message.err, topic);
  }
  void trouble(rd_kafka_resp_err_t error, std::string_view reason) override;
  void logged(const Trouble& trouble) override { tell(trouble); }
  void given_up(std::string_view reason) override;
  void brokers_answer() override { troubles.brokers_answer(); }

  DeadLettersOptions options;
  core::Events& events;
  Notify notify;
  Troubles troubles{Duration{}};
  std::function<void(core::RecordId, std::string_view)> too_large;
  Amount room;  // In librdkafka's queue.
  std::map<std::string, Amount, std::less<>> of_topic;
  Producer producer;
};

// A topic that is away must not take all of the queue: none has more than it leaves to the others,
// however many are away.
bool DeadLetters::State::has_room(const DeadRecord& record) const {
  const auto found = of_topic.find(record.topic);
  if (found == of_topic.end()) return true;
  return found->second.messages < room.messages &&
         found->second.bytes + size_of(record) <= room.bytes;
}

void DeadLetters::State::put(const DeadRecord& record) {
  if (!has_room(record)) return end(record.record, RD_KAFKA_RESP_ERR__QUEUE_FULL, record.topic);
  const std::string topic(record.topic);
  Produced produced;
  produced.record = record.record;
  produced.topic = topic.c_str();
  produced.key = record.key;
  produced.value = record.value;
  produced.headers = record.headers;
  if (const auto error = producer.put(produced)) return end(record.record, error, record.topic);
  Amount& queued = of_topic[topic];
  const std::size_t size = size_of(record);
  room = {room.messages - 1, room.bytes - size};
  queued = {queued.messages + 1, queued.bytes + size};
}

void DeadLetters::State::trouble(rd_kafka_resp_err_t error, std::string_view reason) {
  Trouble trouble = explain(error, false, reason, {options.brokers, "", "", ""});
  trouble.detail = "writing dead letters: " + trouble.detail;
  tell(trouble);
}

void DeadLetters::State::given_up(std::string_view reason) {
  tell({Severity::error,
        "kafka_fatal",
        Standing::for_ever,
        {},
        "no dead letters can be written any more: librdkafka gave up one producer after the "
        "other (" +
            std::string(reason) + "); restart when the brokers " + options.brokers + " are well"});
}

void DeadLetters::State::end(core::RecordId record, rd_kafka_resp_err_t error,
                             std::string_view topic) {
  if (!error) {
    troubles.connection_works();
    troubles.topic_works(topic);
  } else {
    Trouble trouble =
        explain(error, false, rd_kafka_err2str(error), {options.brokers, "", "", topic});
    trouble.detail = "a dead letter was not written: " + trouble.detail;
    if (trouble.standing == Standing::topic) troubles.brokers_answer();
    tell(trouble);
    if (is_too_large(error) && too_large) too_large(record, topic);
  }
  events.push_back(core::DeadLetterEnded{record, !error});
}

void DeadLetters::State::tell(const Trouble& trouble) {
  if (troubles.add(trouble, notice_time()))
    notify({trouble.severity, trouble.what, trouble.detail});
}

DeadLetters::DeadLetters(boost::asio::io_context& io, DeadLettersOptions options,
                         core::Events& events, Notify notify) {
  try {
    state_ = std::make_unique<State>(io, std::move(options), events, std::move(notify));
  } catch (const ProducerRefused& refused) {
    throw std::runtime_error(std::string("kafka.properties: ") + refused.what());
  }
}

DeadLetters::~DeadLetters() = default;

void DeadLetters::put(const DeadRecord& record) { state_->put(record); }

void DeadLetters::tell_too_large(
    std::function<void(core::RecordId record, std::string_view topic)> told) {
  state_->too_large = std::move(told);
}

DeadLettersStatus DeadLetters::status() const {
  return {state_->producer.open(), state_->troubles.worst()};
}

}  // namespace einlass::kafka
