#include "adapters/kafka/dead_letters.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "adapters/kafka/configuration.h"
#include "adapters/kafka/errors.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/wakeups.h"

namespace einlass::kafka {
namespace {

constexpr Wakeups::Key kMainQueue = 0;

// A producer that librdkafka has given up is replaced, but not for ever: each one stays in memory
// until the process ends.
constexpr int kMostProducers = 16;

// The record goes through librdkafka as the message's opaque pointer.
static_assert(sizeof(void*) == sizeof(std::uint64_t));

void* pack(core::RecordId record) {
  return reinterpret_cast<void*>((std::uint64_t{record.slot} << 32) | record.use);
}

core::RecordId unpack(const void* opaque) {
  const auto bits = reinterpret_cast<std::uint64_t>(opaque);
  return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)};
}

HeadersHandle copy(std::span<const Header> headers) {
  HeadersHandle copies(rd_kafka_headers_new(headers.size()));
  for (const Header& header : headers) {
    const bool null = !header.value.has_value();
    // An empty value must not become a null one.
    const char* data = null ? nullptr : header.value->empty() ? "" : header.value->data();
    rd_kafka_header_add(copies.get(), header.name.empty() ? "" : header.name.data(),
                        static_cast<ssize_t>(header.name.size()), data,
                        null ? 0 : static_cast<ssize_t>(header.value->size()));
  }
  return copies;
}

bool is_too_large(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
         error == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

// Data that is null for a null value only.
void* data_of(const std::optional<std::string_view>& value) {
  if (!value) return nullptr;
  return const_cast<char*>(value->empty() ? "" : value->data());
}

std::size_t size_of(const std::optional<std::string_view>& value) {
  return value ? value->size() : 0;
}

// Has no owner: rd_kafka_destroy() would wait for every broker's thread, and one of them may be
// looking up a name. It ends with the process.
rd_kafka_t* new_producer(const rd_kafka_conf_t* configuration, std::string& reason) {
  ConfHandle conf(rd_kafka_conf_dup(configuration));
  reason.resize(512);
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), reason.data(), reason.size());
  if (client != nullptr) conf.release();  // librdkafka's now.
  reason.resize(reason.find('\0'));
  return client;
}

std::string fatal_reason(rd_kafka_t* client) {
  char reason[256] = "";
  rd_kafka_fatal_error(client, reason, sizeof reason);
  return reason;
}

}  // namespace

struct DeadLetters::State {
  State(boost::asio::io_context& io, DeadLettersOptions given, core::Events& gate_events,
        Notify notify_people)
      : options(std::move(given)),
        configuration(dead_letters_configuration(options)),
        events(gate_events),
        notify(std::move(notify_people)),
        wakeups(io, [this](Wakeups::Key) { serve(); }) {
    std::string reason;
    rd_kafka_t* producer = new_producer(configuration.get(), reason);
    if (producer == nullptr) throw std::runtime_error("kafka.properties: " + reason);
    use(producer);
  }

  ~State() {
    Wakeups::unwatch(queue.get());
    rd_kafka_purge(
        client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
  }

  void use(rd_kafka_t* producer);
  bool replace_if_broken();
  void put(const DeadRecord& record);
  void serve();
  void serve_reports(rd_kafka_event_t* event);
  void serve_error(rd_kafka_event_t* event);
  void end(core::RecordId record, rd_kafka_resp_err_t error, std::string_view topic);
  void tell(const Trouble& trouble);

  DeadLettersOptions options;
  ConfHandle configuration;
  core::Events& events;
  Notify notify;
  Wakeups wakeups;
  Troubles troubles{Duration{}};
  rd_kafka_t* client = nullptr;
  QueueHandle queue;
  std::function<void(core::RecordId, std::string_view)> too_large;
  std::size_t open = 0;  // Records without a delivery report.
  int producers = 0;
};

void DeadLetters::State::use(rd_kafka_t* producer) {
  if (queue != nullptr) Wakeups::unwatch(queue.get());
  client = producer;
  ++producers;
  queue.reset(rd_kafka_queue_get_main(client));
  rd_kafka_set_log_queue(client, queue.get());
  wakeups.watch(queue.get(), kMainQueue);
  serve();  // What the queue holds already does not wake us.
}

// An idempotent producer that can no longer vouch for order and uniqueness is of no more use. When
// the last of its reports is there, another takes its place. Returns whether one is usable.
bool DeadLetters::State::replace_if_broken() {
  if (rd_kafka_fatal_error(client, nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  if (open > 0) return false;
  if (producers == kMostProducers) {
    tell({Severity::error,
          "kafka_fatal",
          Standing::for_ever,
          {},
          "no dead letters can be written any more: librdkafka gave up one producer after the "
          "other (" +
              fatal_reason(client) + "); restart when the brokers " + options.brokers +
              " are well"});
    return false;
  }
  std::string reason;
  rd_kafka_t* producer = new_producer(configuration.get(), reason);
  if (producer != nullptr) use(producer);
  return producer != nullptr;
}

void DeadLetters::State::put(const DeadRecord& record) {
  if (!replace_if_broken()) return end(record.record, RD_KAFKA_RESP_ERR__FATAL, record.topic);
  const std::string topic(record.topic);
  HeadersHandle headers = copy(record.headers);
  const auto error = rd_kafka_producev(
      client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_KEY(data_of(record.key), size_of(record.key)),
      RD_KAFKA_V_VALUE(data_of(record.value), size_of(record.value)),
      RD_KAFKA_V_HEADERS(headers.get()), RD_KAFKA_V_OPAQUE(pack(record.record)), RD_KAFKA_V_END);
  if (error) return end(record.record, error, record.topic);
  headers.release();  // librdkafka's now.
  ++open;
}

void DeadLetters::State::serve() {
  while (const EventHandle event{rd_kafka_queue_poll(queue.get(), 0)}) {
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_DR:
        serve_reports(event.get());
        break;
      case RD_KAFKA_EVENT_ERROR:
        serve_error(event.get());
        break;
      case RD_KAFKA_EVENT_LOG:
        if (const auto trouble = explain_log(event.get())) tell(*trouble);
        break;
      default:
        break;
    }
  }
}

void DeadLetters::State::serve_reports(rd_kafka_event_t* event) {
  while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
    --open;
    end(unpack(message->_private), message->err, rd_kafka_topic_name(message->rkt));
  }
}

void DeadLetters::State::serve_error(rd_kafka_event_t* event) {
  // Not fatal to us: another producer takes over.
  const char* reason = rd_kafka_event_error_string(event);
  Trouble trouble = explain(rd_kafka_event_error(event), false, reason == nullptr ? "" : reason,
                            {options.brokers, "", "", ""});
  trouble.detail = "writing dead letters: " + trouble.detail;
  tell(trouble);
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
  if (troubles.add(trouble, Instant{})) notify({trouble.severity, trouble.what, trouble.detail});
}

DeadLetters::DeadLetters(boost::asio::io_context& io, DeadLettersOptions options,
                         core::Events& events, Notify notify)
    : state_(std::make_unique<State>(io, std::move(options), events, std::move(notify))) {}

DeadLetters::~DeadLetters() = default;

void DeadLetters::put(const DeadRecord& record) { state_->put(record); }

void DeadLetters::tell_too_large(
    std::function<void(core::RecordId record, std::string_view topic)> told) {
  state_->too_large = std::move(told);
}

DeadLettersStatus DeadLetters::status() const { return {state_->open, state_->troubles.worst()}; }

}  // namespace einlass::kafka
