#include "adapters/kafka/topic_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "adapters/kafka/assignment.h"
#include "adapters/kafka/configuration.h"
#include "adapters/kafka/errors.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/message_view.h"
#include "adapters/kafka/topic_lookup.h"
#include "adapters/kafka/wakeups.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

constexpr Wakeups::Key kMainQueue = 0xffffffff;
constexpr Duration kTick = Duration::seconds(1);     // Makes up for a wake-up that was lost.
constexpr Duration kQuiet = Duration::seconds(30);   // For how long nothing is told twice.
constexpr int kTurn = 64;                            // Of one partition, before the next.
constexpr const char* kPrefetchKilobytes = "16384";  // Of a partition: few are read at once.

SourceOptions source_options_of(const TopicReaderOptions& options) {
  SourceOptions source;
  source.brokers = options.brokers;
  source.group = options.group;
  source.topics = {{options.topic, core::RouteId{}}};
  source.properties = options.properties;
  source.properties.emplace("queued.max.messages.kbytes", kPrefetchKilobytes);
  return source;
}

// Has no owner and is never destroyed, as the source's is not. It ends with the process.
rd_kafka_t* new_reader(const TopicReaderOptions& options) {
  ConfHandle conf = source_configuration(source_options_of(options), rd_kafka_version());
  // The end of a partition may be no record's (a transaction's mark), so it has to be told.
  rd_kafka_conf_set(conf.get(), "enable.partition.eof", "true", nullptr, 0);
  // What was deleted meanwhile is passed over, and counted.
  rd_kafka_conf_set(conf.get(), "auto.offset.reset", "earliest", nullptr, 0);
  char reason[512] = "";
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_CONSUMER, conf.get(), reason, sizeof reason);
  if (client == nullptr) throw std::runtime_error(std::string("kafka.properties: ") + reason);
  conf.release();  // librdkafka's now.
  rd_kafka_poll_set_consumer(client);
  return client;
}

// librdkafka frees what it is given.
void set_metadata(rd_kafka_topic_partition_t& entry, const std::string& text) {
  if (text.empty()) return;
  entry.metadata = std::malloc(text.size());
  CHECK(entry.metadata != nullptr);
  std::memcpy(entry.metadata, text.data(), text.size());
  entry.metadata_size = text.size();
}

rd_kafka_resp_err_t error_of(rd_kafka_event_t* event) {
  if (const auto error = rd_kafka_event_error(event)) return error;
  for (const auto& entry : elements(rd_kafka_event_topic_partition_list(event))) {
    if (entry.err) return entry.err;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace

struct TopicReader::State {
  State(boost::asio::io_context& io, TopicReaderOptions given, Notify notify_people)
      : options(std::move(given)),
        notify(std::move(notify_people)),
        client(new_reader(options)),
        queue(rd_kafka_queue_get_consumer(client)),
        wakeups(io, [this](Wakeups::Key key) {
          if (key == kMainQueue) {
            main_ready = true;
          } else {
            assignment.woken(key);
          }
        }) {
    rd_kafka_set_log_queue(client, queue.get());
    wakeups.watch(queue.get(), kMainQueue);
    wakeups.tick_every(kTick, [this] {
      main_ready = true;
      assignment.for_each([this](Partition& partition) { assignment.more(partition); });
    });
  }

  ~State() { Wakeups::unwatch(queue.get()); }

  template <class Question>
  auto ask(Question question);
  void serve_main_queue();
  void serve(rd_kafka_event_t* event);
  void serve_commit(rd_kafka_resp_err_t error);
  void serve_error(rd_kafka_event_t* event);
  void tell(const Trouble& trouble);
  int take(Partition& partition, int budget, MessageSink& sink);
  bool admit(Partition& partition, const rd_kafka_message_t& message);
  void pass_gap(Partition& partition, std::int64_t offset);
  void end(Partition& partition);
  void read_no_further(Partition& partition);

  TopicReaderOptions options;
  Notify notify;
  rd_kafka_t* client;
  QueueHandle queue;
  Wakeups wakeups;
  Assignment assignment{wakeups};
  std::vector<std::int64_t> ends;  // By PartitionId.
  std::size_t open = 0;            // Partitions with something left to read.
  Troubles troubles{kQuiet};
  bool main_ready = true;
  bool commit_open = false;
  std::optional<bool> commit_result;
  std::uint64_t gone = 0;
  Instant now;
  std::vector<Header> headers;  // Used again for each message.
};

// ---- before reading ----

// librdkafka often knows better than its answer why there is none.
template <class Question>
auto TopicReader::State::ask(Question question) {
  try {
    return question();
  } catch (const std::runtime_error& error) {
    serve_main_queue();
    const std::string why = troubles.worst();
    throw std::runtime_error("topic " + options.topic + ": " + error.what() +
                             (why.empty() ? "" : "; " + why));
  }
}

std::vector<PartitionState> TopicReader::look_up(Duration patience) {
  return state_->ask(
      [&] { return look_up_topic(state_->client, state_->options.topic, patience); });
}

std::vector<std::optional<Offset>> TopicReader::offsets_at(
    std::int64_t time_ms, std::span<const PartitionNumber> partitions, Duration patience) {
  return state_->ask([&] {
    return look_up_offsets(state_->client, state_->options.topic, time_ms, partitions, patience);
  });
}

// ---- reading ----

void TopicReader::begin(std::span<const ReadRange> ranges) {
  State& state = *state_;
  CHECK(state.ends.empty());
  const std::string& topic = state.options.topic;
  const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(ranges.size())));
  for (const ReadRange& range : ranges) {
    // Taken from librdkafka's common queue before the partition is assigned, or its first messages
    // go there.
    QueueHandle own(rd_kafka_queue_get_partition(state.client, topic.c_str(), range.number.value));
    CHECK(own != nullptr);
    rd_kafka_queue_forward(own.get(), nullptr);
    Partition& partition = state.assignment.add(topic, range.number, core::RouteId{});
    state.assignment.attach(partition, std::move(own));
    partition.phase = Phase::reading;
    state.assignment.more(partition);
    CHECK(partition.id.value == state.ends.size());
    partition.next = range.start.value;
    state.ends.push_back(range.end.value);
    ++state.open;
    if (range.start >= range.end) {
      state.end(partition);
      continue;
    }
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), range.number.value)->offset =
        range.start.value;
  }
  CHECK(rd_kafka_assign(state.client, list.get()) == RD_KAFKA_RESP_ERR_NO_ERROR);
}

void TopicReader::poll(Instant now, int budget, MessageSink& sink) {
  State& state = *state_;
  state.now = now;
  if (state.main_ready) state.serve_main_queue();
  while (budget > 0) {
    Partition* partition = state.assignment.ready();
    if (partition == nullptr) break;
    budget -= state.take(*partition, std::min(budget, kTurn), sink);
    if (partition->more && partition->readable()) state.assignment.to_the_end(*partition);
  }
}

int TopicReader::State::take(Partition& partition, int budget, MessageSink& sink) {
  int count = 0;
  while (count < budget && partition.readable()) {
    const MessageHandle message(rd_kafka_consume_queue(partition.queue.get(), 0));
    if (message == nullptr) {
      assignment.empty(partition);
      break;
    }
    ++count;
    if (!admit(partition, *message)) continue;
    sink.take({.partition = partition.id,
               .read_at = Offset{message->offset},
               .offset = Offset{message->offset},
               .timestamp_ms = rd_kafka_message_timestamp(message.get(), nullptr),
               .topic = partition.topic,
               .number = partition.number,
               .key = view(message->key, message->key_len),
               .value = view(message->payload, message->len),
               .headers = headers_of(*message, headers),
               .earlier = {}});
    if (partition.next >= ends[partition.id.value]) end(partition);
  }
  return count;
}

// Whether the message is one of those to be read.
bool TopicReader::State::admit(Partition& partition, const rd_kafka_message_t& message) {
  const std::int64_t stop_at = ends[partition.id.value];
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    if (message.offset >= stop_at) end(partition);
    return false;
  }
  if (message.err) {
    tell(explain(message.err, false, rd_kafka_message_errstr(&message),
                 {options.brokers, options.group, {}, partition.topic}));
    return false;
  }
  if (message.offset < partition.next) {
    notify({Severity::error, "kafka_fatal",
            partition.topic + " partition " + std::to_string(partition.number.value) +
                " went back from offset " + std::to_string(partition.next) + " to " +
                std::to_string(message.offset) +
                ": the topic was deleted and created again, or lost its end; look at what it holds "
                "now and begin again"});
    read_no_further(partition);
    return false;
  }
  if (message.offset > partition.next) pass_gap(partition, std::min(message.offset, stop_at));
  if (message.offset >= stop_at) {
    end(partition);
    return false;
  }
  partition.next = message.offset + 1;
  return true;
}

// Most gaps are of compaction or transactions. What lies before the log's new beginning was lost.
void TopicReader::State::pass_gap(Partition& partition, std::int64_t offset) {
  std::int64_t low = 0, high = 0;
  if (rd_kafka_get_watermark_offsets(client, partition.topic.c_str(), partition.number.value, &low,
                                     &high) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return;
  }
  const std::int64_t lost = std::min(low, offset) - partition.next;
  if (lost <= 0) return;
  gone += static_cast<std::uint64_t>(lost);
  notify({Severity::error, "kafka_offsets_skipped",
          partition.topic + " partition " + std::to_string(partition.number.value) + ": offsets " +
              std::to_string(partition.next) + " to " + std::to_string(partition.next + lost - 1) +
              " were deleted from Kafka before they were read; raise the topic's retention"});
}

// Everything up to the end of its range was read.
void TopicReader::State::end(Partition& partition) {
  if (partition.phase != Phase::reading) return;
  partition.next = std::max(partition.next, ends[partition.id.value]);
  read_no_further(partition);
}

void TopicReader::State::read_no_further(Partition& partition) {
  if (partition.phase != Phase::reading) return;
  partition.phase = Phase::done;
  --open;
}

bool TopicReader::has_more() const {
  return state_->main_ready || state_->assignment.ready() != nullptr;
}

void TopicReader::hold(core::PartitionId partition) {
  state_->assignment.at(partition).held = true;
}

void TopicReader::read(core::PartitionId id) {
  Partition& partition = state_->assignment.at(id);
  partition.held = false;
  state_->assignment.more(partition);
}

void TopicReader::stop() {
  state_->assignment.for_each([this](Partition& partition) { state_->read_no_further(partition); });
}

bool TopicReader::finished() const { return state_->open == 0; }

Offset TopicReader::position(core::PartitionId partition) const {
  return Offset{state_->assignment.at(partition).next};
}

std::uint64_t TopicReader::gone() const { return state_->gone; }

// ---- progress ----

void TopicReader::commit(std::span<const Progress> progress) {
  State& state = *state_;
  CHECK(!state.commit_open);
  const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(progress.size())));
  for (const Progress& one : progress) {
    rd_kafka_topic_partition_t* entry = rd_kafka_topic_partition_list_add(
        list.get(), state.options.topic.c_str(), one.number.value);
    entry->offset = one.next.value;
    set_metadata(*entry, one.metadata);
  }
  state.commit_result.reset();
  const auto error =
      rd_kafka_commit_queue(state.client, list.get(), state.queue.get(), nullptr, nullptr);
  state.commit_open = !error;
  if (error) state.commit_result = false;
}

std::optional<bool> TopicReader::take_commit_result() {
  state_->serve_main_queue();
  return std::exchange(state_->commit_result, std::nullopt);
}

bool TopicReader::commit_and_wait(std::span<const Progress> progress, Duration patience) {
  constexpr int kSliceMs = 10;
  const auto wait = [&] {
    while (state_->commit_open && patience > Duration{}) {
      if (EventHandle event{rd_kafka_queue_poll(state_->queue.get(), kSliceMs)}) {
        state_->serve(event.get());
      } else {
        patience = patience - Duration::millis(kSliceMs);
      }
    }
    return !state_->commit_open;
  };
  if (!wait()) return false;
  if (progress.empty()) return true;
  commit(progress);
  return wait() && state_->commit_result.value_or(false);
}

std::string TopicReader::trouble() const { return state_->troubles.worst(); }

// ---- what librdkafka says ----

void TopicReader::State::serve_main_queue() {
  while (const EventHandle event{rd_kafka_queue_poll(queue.get(), 0)}) serve(event.get());
  main_ready = false;
}

void TopicReader::State::serve(rd_kafka_event_t* event) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_OFFSET_COMMIT:
      serve_commit(error_of(event));
      break;
    case RD_KAFKA_EVENT_ERROR:
      serve_error(event);
      break;
    case RD_KAFKA_EVENT_LOG:
      if (const auto trouble = explain_log(event)) tell(*trouble);
      break;
    default:
      break;
  }
}

void TopicReader::State::serve_commit(rd_kafka_resp_err_t error) {
  commit_open = false;
  commit_result = !error;
  if (!error) return troubles.connection_works();
  Trouble trouble =
      explain(error, false, rd_kafka_err2str(error), {options.brokers, options.group, {}, {}});
  trouble.detail = "the progress was not committed: " + trouble.detail;
  tell(trouble);
}

void TopicReader::State::serve_error(rd_kafka_event_t* event) {
  const char* reason = rd_kafka_event_error_string(event);
  tell(explain(rd_kafka_event_error(event), rd_kafka_event_error_is_fatal(event) != 0,
               reason == nullptr ? "" : reason,
               {options.brokers, options.group, {}, options.topic}));
}

void TopicReader::State::tell(const Trouble& trouble) {
  if (troubles.add(trouble, now)) notify({trouble.severity, trouble.what, trouble.detail});
}

TopicReader::TopicReader(boost::asio::io_context& io, TopicReaderOptions options, Notify notify)
    : state_(std::make_unique<State>(io, std::move(options), std::move(notify))) {}

TopicReader::~TopicReader() = default;

}  // namespace einlass::kafka
