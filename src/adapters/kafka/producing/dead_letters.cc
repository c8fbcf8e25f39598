#include "adapters/kafka/producing/dead_letters.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/producing/producer.h"

namespace einlass::kafka {
namespace {

// What is in librdkafka's queue, or may be: that counts no keys, so less than no bytes may be left.
struct Amount {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

// librdkafka from 2.3 on takes 0 for no limit.
std::int64_t limit(const ConfHandle& conf, const char* name, std::int64_t unit) {
  const std::int64_t given = std::stoll(property(conf.get(), name));
  return given == 0 ? std::numeric_limits<std::int64_t>::max() : given * unit;
}

Amount room_of(const ConfHandle& conf) {
  return {limit(conf, "queue.buffering.max.messages", 1),
          limit(conf, "queue.buffering.max.kbytes", 1024)};
}

std::int64_t size_of(const DeadRecord& record) {
  const std::size_t of_key = record.key ? record.key->size() : 0;
  const std::size_t of_value = record.value ? record.value->size() : 0;
  return static_cast<std::int64_t>(of_key + of_value);
}

Produced produced_of(const DeadRecord& record, const std::string& topic) {
  Produced produced;
  produced.record = record.record;
  produced.topic = topic.c_str();
  produced.key = record.key;
  produced.value = record.value;
  produced.headers = record.headers;
  return produced;
}

// A letter of more bytes is written apart, by itself: to compress and send it may take seconds.
constexpr std::int64_t kLarge = 16 << 20;
constexpr std::chrono::seconds kLargePause{10};
using SteadyClock = std::chrono::steady_clock;

// All that is written of it: the brokers and librdkafka count its headers too.
std::int64_t whole_size_of(const DeadRecord& record) {
  std::size_t size = static_cast<std::size_t>(size_of(record));
  for (const Header& header : record.headers) {
    size += header.name.size() + (header.value ? header.value->size() : 0);
  }
  return static_cast<std::int64_t>(size);
}

// A trouble that stands until the topic takes a letter, or nobody waits for it any more.
Trouble of_topic(std::string_view topic, Severity severity, const char* what,
                 const std::string& text) {
  return {severity, what, Lasts::topic, std::string(topic), text};
}

// As explain(), in words for a dead letter topic. An empty topic stands for all that there are.
Trouble explain_letter(rd_kafka_resp_err_t error, std::string_view reason, std::string_view brokers,
                       std::string_view topic) {
  const std::string own = " (" + std::string(reason) + ")";
  switch (error) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      return of_topic(topic, Severity::error, "kafka_unknown_topic",
                      "the topic " + std::string(topic) + std::string(kCreateDeadLetter) +
                          "records wait until it is there");
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return of_topic(topic, Severity::error, "kafka_topic_forbidden",
                      "this login may not write to the topic " + std::string(topic) + "; " +
                          std::string(kGrantWrite) + "; records wait until then" + own);
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return of_topic("", Severity::error, "kafka_write_forbidden",
                      "this login may not write to any topic of " + std::string(brokers) +
                          "; grant it WRITE and DESCRIBE on the dead letter topics" +
                          std::string(kGrantOldWrite) + "; records wait until then" + own);
    default:
      return explain(error, false, reason, {brokers, "", "", topic});
  }
}

}  // namespace

struct DeadLetters::State final : ProducerSink {
  State(boost::asio::io_context& its_io, DeadLettersOptions given, core::Events& gate_events,
        Notify notify_people)
      : io(its_io),
        options(std::move(given)),
        events(gate_events),
        notify(std::move(notify_people)),
        room(room_of(dead_letters_configuration(options))),
        most_at_once(std::min(kLarge, room.bytes)),
        producer(io, dead_letters_configuration(options), *this, options.login) {}

  void put(const DeadRecord& record);
  void put_large(const DeadRecord& record);
  bool has_room(const DeadRecord& record) const;
  void end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic);
  void wait(core::RecordId record, std::string_view topic);
  void forget(core::RecordId record);
  bool is_unusable(std::string_view topic) const;
  std::set<std::string, std::less<>> unusable_topics() const;
  void tell(const Trouble& trouble);

  void ended(core::RecordId record, const rd_kafka_message_t& message) override {
    const char* topic = rd_kafka_topic_name(message.rkt);
    Amount& queued = of_topic[topic];
    const auto size = static_cast<std::int64_t>(message.len + message.key_len);
    room = {room.messages + 1, room.bytes + size};
    queued = {queued.messages - 1, queued.bytes - size};
    if (queued.messages == 0) of_topic.erase(topic);
    end(record, message.err, topic);
  }
  void trouble(rd_kafka_resp_err_t error, std::string_view reason) override;
  void logged(const Trouble& trouble) override { tell(trouble); }
  void given_up(std::string_view reason) override;
  void brokers_answer() override { troubles.brokers_answer(); }

  // Hears of those that are written apart, which take none of the room.
  struct Large final : ProducerSink {
    explicit Large(State& of) : state(of) {}
    void ended(core::RecordId record, const rd_kafka_message_t& message) override {
      const char* topic = rd_kafka_topic_name(message.rkt);
      if (message.err) state.refused = {topic, message.err, SteadyClock::now() + kLargePause};
      state.end(record, message.err, topic);
    }
    void trouble(rd_kafka_resp_err_t error, std::string_view reason) override {
      state.trouble(error, reason);
    }
    void logged(const Trouble& trouble) override { state.logged(trouble); }
    void given_up(std::string_view reason) override { state.given_up(reason); }
    void brokers_answer() override { state.brokers_answer(); }

    State& state;
  };

  boost::asio::io_context& io;
  DeadLettersOptions options;
  core::Events& events;
  Notify notify;
  Troubles troubles{Duration{}};
  std::function<void(core::RecordId, std::string_view)> too_large;
  Amount room;  // In librdkafka's queue.
  const std::int64_t most_at_once;  // Of one letter, with others beside it.
  std::map<std::string, Amount, std::less<>> of_topic;
  // Of records inside, by their slots: the topic that did not take the letter; and how many each
  // topic has of them.
  std::unordered_map<std::uint32_t, std::string> unwritten;
  std::map<std::string, std::size_t, std::less<>> waiting;
  Producer producer;
  // Of the last large one that was not written: its topic gets no other before that, for each costs
  // the loop and librdkafka a part of a second.
  struct Refused {
    std::string topic;
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    SteadyClock::time_point until;
  } refused;
  Large large{*this};
  std::unique_ptr<Producer> of_large;  // Of those beyond that; there is none before the first.
};

// A topic that is away must not take all of the queue: none has more than it leaves to the others,
// however many are away.
bool DeadLetters::State::has_room(const DeadRecord& record) const {
  const auto found = of_topic.find(record.topic);
  if (found == of_topic.end()) return true;
  return found->second.messages < room.messages &&
         found->second.bytes + size_of(record) <= room.bytes;
}

// One after the other, however many there are: each is in memory twice meanwhile.
void DeadLetters::State::put_large(const DeadRecord& record) {
  if (!of_large) {
    try {
      of_large = std::make_unique<Producer>(io, large_letters_configuration(options), large,
                                            options.login);
    } catch (const std::runtime_error&) {  // As without memory, threads or files.
      return end(record.record, RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, record.topic);
    }
  }
  if (of_large->open() > 0) return end(record.record, RD_KAFKA_RESP_ERR__QUEUE_FULL, record.topic);
  if (refused.topic == record.topic && SteadyClock::now() < refused.until) {
    return end(record.record, refused.error, record.topic);
  }
  const std::string topic(record.topic);
  if (const auto error = of_large->put(produced_of(record, topic))) {
    end(record.record, error, record.topic);
  }
}

void DeadLetters::State::put(const DeadRecord& record) {
  if (whole_size_of(record) > most_at_once) return put_large(record);
  if (!has_room(record)) return end(record.record, RD_KAFKA_RESP_ERR__QUEUE_FULL, record.topic);
  const std::string topic(record.topic);
  if (const auto error = producer.put(produced_of(record, topic)))
    return end(record.record, error, record.topic);
  Amount& queued = of_topic[topic];
  const std::int64_t size = size_of(record);
  room = {room.messages - 1, room.bytes - size};
  queued = {queued.messages + 1, queued.bytes + size};
}

void DeadLetters::State::trouble(rd_kafka_resp_err_t error, std::string_view reason) {
  Trouble trouble = explain_letter(error, reason, options.brokers, "");
  trouble.detail = "writing dead letters: " + trouble.detail;
  tell(trouble);
}

void DeadLetters::State::given_up(std::string_view reason) {
  tell({Severity::error,
        "kafka_fatal",
        Lasts::for_ever,
        {},
        "no dead letters can be written any more: librdkafka gave up one producer after the "
        "other (" +
            std::string(reason) + "); restart when the brokers " + options.brokers +
            " are healthy again"});
}

void DeadLetters::State::end(core::RecordId record, rd_kafka_resp_err_t error,
                             std::string_view topic) {
  if (!error) {
    forget(record);
    troubles.connection_works();
    troubles.topic_works(topic);
    troubles.topic_works("");
  } else {
    wait(record, topic);
    Trouble trouble = explain_letter(error, rd_kafka_err2str(error), options.brokers, topic);
    trouble.detail = "a dead letter was not written: " + trouble.detail;
    if (trouble.lasts == Lasts::topic) troubles.brokers_answer();
    tell(trouble);
    if (is_too_large(error) && too_large) too_large(record, topic);
  }
  events.push_back(core::DeadLetterEnded{record, !error});
}

void DeadLetters::State::wait(core::RecordId record, std::string_view topic) {
  const auto found = unwritten.find(record.slot);
  if (found != unwritten.end() && found->second == topic) return;
  forget(record);  // Since a reload its letter goes to another topic.
  unwritten.emplace(record.slot, topic);
  ++waiting[std::string(topic)];
}

void DeadLetters::State::forget(core::RecordId record) {
  const auto found = unwritten.find(record.slot);
  if (found == unwritten.end()) return;
  const auto topic = waiting.find(found->second);
  if (--topic->second == 0) {
    troubles.topic_works(topic->first);
    waiting.erase(topic);
  }
  unwritten.erase(found);
  if (unwritten.empty()) troubles.topic_works("");  // What holds for all topics.
}

// What passes by itself is not for people to mend. A trouble of no topic is one of all.
bool DeadLetters::State::is_unusable(std::string_view topic) const {
  for (const char* what :
       {"kafka_unknown_topic", "kafka_topic_forbidden", "kafka_write_forbidden"}) {
    if (troubles.has(what, topic) || troubles.has(what, "")) return true;
  }
  return false;
}

// What no letter needs is nobody's trouble.
std::set<std::string, std::less<>> DeadLetters::State::unusable_topics() const {
  std::set<std::string, std::less<>> topics;
  for (const auto& [topic, letters] : waiting) {
    if (is_unusable(topic)) topics.insert(topic);
  }
  return topics;
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

void DeadLetters::forget(core::RecordId record) { state_->forget(record); }

void DeadLetters::tell_too_large(
    std::function<void(core::RecordId record, std::string_view topic)> told) {
  state_->too_large = std::move(told);
}

DeadLettersStatus DeadLetters::status() const {
  std::set<std::string, std::less<>> topics = state_->unusable_topics();
  const Troubles& troubles = state_->troubles;
  // That a letter is larger than some topic takes is no reason of these topics'.
  const std::string why = topics.empty() ? "" : troubles.worst("kafka_too_large");
  const std::size_t large = state_->of_large ? state_->of_large->open() : 0;
  return {state_->producer.open() + large, troubles.worst(), why, std::move(topics)};
}

}  // namespace einlass::kafka
