#include "adapters/kafka/reader/topic_reader.h"

#include <algorithm>
#include <utility>

#include "adapters/kafka/questions/hand_assigned_consumer.h"
#include "adapters/kafka/reader/topic_lookup.h"
#include "adapters/kafka/reader/topic_reader_state.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

constexpr Wakeups::Key kMainQueue = 0xffffffff;
constexpr Duration kTick = Duration::seconds(1);     // Makes up for a wake-up that was lost.
constexpr int kTurn = 64;                            // Of one partition, before the next.
constexpr const char* kPrefetchKilobytes = "16384";  // Of a partition: few are read at once.

SourceOptions source_options_of(const TopicReaderOptions& options) {
  SourceOptions source;
  source.brokers = options.brokers;
  source.group = options.group;
  source.topics = {{options.topic, core::RouteId{}}};
  source.properties = options.properties;
  source.login = options.login;
  source.properties.emplace("queued.max.messages.kbytes", kPrefetchKilobytes);
  return source;
}

}  // namespace

TopicReader::State::State(boost::asio::io_context& io, TopicReaderOptions given,
                          Notify notify_people)
    : options(std::move(given)),
      notify(std::move(notify_people)),
      client(new_hand_assigned_consumer(source_options_of(options))),
      queue(rd_kafka_queue_get_consumer(client)),
      wakeups(io, [this](Wakeups::Key key) { woken(key); }),
      lookup(io, client, [this](const std::vector<Position>& answers) { answered(answers); }) {
  rd_kafka_set_log_queue(client, queue.get());
  wakeups.watch(queue.get(), kMainQueue);
  wakeups.tick_every(kTick, [this] { tick(); });
}

void TopicReader::State::woken(Wakeups::Key key) {
  if (key == kMainQueue) {
    main_ready = true;
  } else {
    assignment.woken(key);
  }
}

// ---- before reading ----

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
    state.doubts.push_back(Doubt::none);
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
  state.ask_about_doubts();
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
    if (!state.metadata_refused) set_metadata(state.client, *entry, one.metadata);
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
  const auto keep = [&] {
    commit(progress);
    return wait() && state_->commit_result.value_or(false);
  };
  const bool refused = state_->metadata_refused;
  // Once more without metadata, if that has been refused just now.
  return keep() || (state_->metadata_refused != refused && keep());
}

std::string TopicReader::trouble() const { return state_->troubles.worst(); }

TopicReader::TopicReader(boost::asio::io_context& io, TopicReaderOptions options, Notify notify)
    : state_(std::make_unique<State>(io, std::move(options), std::move(notify))) {}

TopicReader::~TopicReader() = default;

}  // namespace einlass::kafka
