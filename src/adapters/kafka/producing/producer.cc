#include "adapters/kafka/producing/producer.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/wakeups.h"

namespace einlass::kafka {
namespace {

constexpr Wakeups::Key kMainQueue = 0;

// A producer that librdkafka has given up is replaced, but not for ever: one that cannot be
// destroyed stays in memory until the process ends.
constexpr int kMostLeaving = 16;
std::atomic<int> leaving = 0;

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

// Data that is null for a null value only.
void* data_of(const std::optional<std::string_view>& value) {
  if (!value) return nullptr;
  return const_cast<char*>(value->empty() ? "" : value->data());
}

std::size_t size_of(const std::optional<std::string_view>& value) {
  return value ? value->size() : 0;
}

// librdkafka takes 0 for the moment of writing: 1970 begins a millisecond late.
std::int64_t timestamp_for(std::int64_t ms) { return ms == 0 ? 1 : std::max<std::int64_t>(ms, 0); }

std::int32_t number_of(const std::optional<PartitionNumber>& partition) {
  return partition ? partition->value : RD_KAFKA_PARTITION_UA;
}

rd_kafka_t* new_producer(const rd_kafka_conf_t* configuration, std::string& reason) {
  ConfHandle conf(rd_kafka_conf_dup(configuration));
  reason.resize(512);
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), reason.data(), reason.size());
  if (client != nullptr) conf.release();  // librdkafka's now.
  reason.resize(reason.find('\0'));
  return client;
}

// On a thread of its own: rd_kafka_destroy() waits for every broker's thread, and one of them may
// be looking up a name. Nobody waits for it in turn; what is left of it ends with the process.
void destroy_aside(rd_kafka_t* client) {
  rd_kafka_purge(
      client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
  ++leaving;
  try {
    std::thread([client] {
      rd_kafka_destroy(client);
      --leaving;
    }).detach();
  } catch (const std::system_error&) {
    // No thread can be had now: it stays, and stays counted.
  }
}

}  // namespace

struct Producer::State {
  State(boost::asio::io_context& io, ConfHandle given, ProducerSink& owner,
        std::shared_ptr<Login> as)
      : transactional(!property(given.get(), "transactional.id").empty()),
        configuration(std::move(given)),
        sink(owner),
        login(std::move(as)),
        wakeups(io, [this](Wakeups::Key) { serve(); }) {
    std::string reason;
    rd_kafka_t* producer = new_producer(configuration.get(), reason);
    if (producer == nullptr) throw ProducerRefused(reason);
    use(producer);
  }

  ~State() { leave(); }

  void use(rd_kafka_t* producer);
  void leave();
  bool sound() const;
  bool usable();
  bool replace_fatal();
  bool replace(const char* why);
  void serve();
  void serve_reports(rd_kafka_event_t* event);

  void look_for_topic();

  const bool transactional;
  const char* topic = nullptr;  // To be ready for.
  TopicHandle handle;           // Of that topic: as long as it lives its whereabouts are known.
  ConfHandle configuration;
  ProducerSink& sink;
  const std::shared_ptr<Login> login;  // May be null.
  Wakeups wakeups;
  rd_kafka_t* client = nullptr;
  QueueHandle queue;
  std::size_t open = 0;
};

void Producer::State::use(rd_kafka_t* producer) {
  client = producer;
  if (login) login->serve(client);
  queue.reset(rd_kafka_queue_get_main(client));
  rd_kafka_set_log_queue(client, queue.get());
  wakeups.watch(queue.get(), kMainQueue);
  look_for_topic();
  serve();  // What the queue holds already does not wake us.
}

void Producer::State::leave() {
  Wakeups::unwatch(queue.get());
  queue.reset();
  handle.reset();
  if (login) login->forget(client);
  destroy_aside(std::exchange(client, nullptr));
}

void Producer::State::look_for_topic() {
  if (topic == nullptr) return;
  handle.reset(rd_kafka_topic_new(client, topic, nullptr));
}

// An idempotent producer that can no longer vouch for order and uniqueness is of no more use. When
// the last of its reports is there, another takes its place.
bool Producer::State::usable() { return sound() || (!transactional && replace_fatal()); }

bool Producer::State::sound() const {
  return rd_kafka_fatal_error(client, nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

bool Producer::State::replace_fatal() {
  if (open > 0) return false;
  char why[256] = "";
  rd_kafka_fatal_error(client, why, sizeof why);
  return replace(why);
}

bool Producer::State::replace(const char* why) {
  if (leaving >= kMostLeaving) {
    sink.given_up(why);
    return false;
  }
  std::string reason;
  rd_kafka_t* producer = new_producer(configuration.get(), reason);
  if (producer == nullptr) return false;
  leave();
  use(producer);
  return true;
}

void Producer::State::serve() {
  while (queue != nullptr) {
    const EventHandle event{rd_kafka_queue_poll(queue.get(), 0)};
    if (event == nullptr) return;
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_DR:
        serve_reports(event.get());
        break;
      case RD_KAFKA_EVENT_ERROR: {
        // Not fatal to us: another producer takes over.
        const char* reason = rd_kafka_event_error_string(event.get());
        if (login && is_refused_login(rd_kafka_event_error(event.get()))) login->was_refused();
        sink.trouble(rd_kafka_event_error(event.get()), reason == nullptr ? "" : reason);
        break;
      }
      case RD_KAFKA_EVENT_LOG:
        if (const auto trouble = explain_log(event.get())) sink.logged(*trouble);
        break;
      case RD_KAFKA_EVENT_STATS:
        if (a_broker_is_up(rd_kafka_event_stats(event.get()))) sink.brokers_answer();
        break;
      default:
        break;
    }
  }
}

void Producer::State::serve_reports(rd_kafka_event_t* event) {
  while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
    --open;
    sink.ended(unpack(message->_private), *message);
  }
}

Producer::Producer(boost::asio::io_context& io, ConfHandle configuration, ProducerSink& sink,
                   std::shared_ptr<Login> login)
    : state_(std::make_unique<State>(io, std::move(configuration), sink, std::move(login))) {}

Producer::~Producer() = default;

rd_kafka_resp_err_t Producer::put(const Produced& record) {
  if (!state_->usable()) return RD_KAFKA_RESP_ERR__FATAL;
  HeadersHandle headers = record.headers.empty() ? nullptr : copy(record.headers);
  const auto error = rd_kafka_producev(
      state_->client, RD_KAFKA_V_TOPIC(record.topic),
      RD_KAFKA_V_PARTITION(number_of(record.partition)), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_KEY(data_of(record.key), size_of(record.key)),
      RD_KAFKA_V_VALUE(data_of(record.value), size_of(record.value)),
      RD_KAFKA_V_TIMESTAMP(timestamp_for(record.timestamp_ms)), RD_KAFKA_V_HEADERS(headers.get()),
      RD_KAFKA_V_OPAQUE(pack(record.record)), RD_KAFKA_V_END);
  if (error) return error;
  headers.release();  // librdkafka's now.
  ++state_->open;
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t Producer::put_again(const rd_kafka_message_t& message,
                                        std::optional<PartitionNumber> partition,
                                        std::int64_t timestamp_ms) {
  if (!state_->usable()) return RD_KAFKA_RESP_ERR__FATAL;
  rd_kafka_headers_t* list = nullptr;
  rd_kafka_message_headers(&message, &list);
  HeadersHandle headers(list == nullptr ? nullptr : rd_kafka_headers_copy(list));
  const auto error = rd_kafka_producev(
      state_->client, RD_KAFKA_V_TOPIC(rd_kafka_topic_name(message.rkt)),
      RD_KAFKA_V_PARTITION(number_of(partition)), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_KEY(message.key, message.key_len), RD_KAFKA_V_VALUE(message.payload, message.len),
      RD_KAFKA_V_TIMESTAMP(timestamp_for(timestamp_ms)), RD_KAFKA_V_HEADERS(headers.get()),
      RD_KAFKA_V_OPAQUE(message._private), RD_KAFKA_V_END);
  if (error) return error;
  headers.release();
  ++state_->open;
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_t* Producer::client(bool anew) {
  const bool usable = anew ? state_->replace("it was in the middle of a transaction")
                           : state_->sound() || state_->replace_fatal();
  return usable ? state_->client : nullptr;
}

void Producer::get_ready_for(const char* topic) {
  state_->topic = topic;
  state_->look_for_topic();
}

std::size_t Producer::open() const { return state_->open; }

}  // namespace einlass::kafka
