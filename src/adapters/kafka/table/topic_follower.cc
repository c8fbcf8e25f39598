#include "adapters/kafka/table/topic_follower.h"

#include <librdkafka/rdkafka.h>
#include <malloc.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/login.h"
#include "adapters/kafka/client/message_view.h"
#include "adapters/kafka/questions/hand_assigned_consumer.h"
#include "units/fleet_table.h"

namespace einlass::kafka {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kPatienceMs = 2000;  // For one question to the brokers.
constexpr int kTurnMs = 100;       // For something to come.
constexpr std::size_t kMostAtOnce = 1000;

// Batches that may wait for the loop: whatever else it has to do waits behind them.
constexpr std::size_t kMostWaiting = 2;

// Keys whose last word is awaited while a table is read anew: as many as are taken from one. What
// is said of others is told as it comes.
constexpr std::size_t kMostAnew = 200'000;

struct Told {
  std::string key;
  std::optional<std::string> text;
};

SourceOptions source_options_of(const TopicTableOptions& options) {
  SourceOptions source;
  source.brokers = options.brokers;
  source.group = "einlass-reads-no-group";  // librdkafka wants a name; nothing is done with it.
  source.topics = {{options.topic, core::RouteId{}}};
  source.properties = options.properties;
  // It is read once and then as it changes: what is fetched ahead would only take memory. Not less
  // than a fetch may be queued, though: librdkafka 2.0 waits for a second where the queue is full.
  source.properties["fetch.message.max.bytes"] = "65536";
  source.login = options.login;
  return source;
}

}  // namespace

struct TopicFollower::Shared : std::enable_shared_from_this<Shared> {
  Shared(boost::asio::io_context& on, const TopicTableOptions& with, FleetTable::Listener& to)
      : io(on),
        options(with),
        listener(to),
        client(new_hand_assigned_consumer(source_options_of(options))),
        queue(rd_kafka_queue_get_consumer(client)) {
    rd_kafka_set_log_queue(client, queue.get());
  }

  void work();
  bool has_left();
  bool has_room();
  void read();
  void look();
  std::string look_up(int& partitions);
  void assign(int partitions);
  void serve(rd_kafka_event_t* event);
  void serve_error(rd_kafka_event_t* event);
  void take(const rd_kafka_message_t& message);
  bool holds_back(const std::string& key) const;
  void flush();
  void flush_anew();
  void away(std::string why);
  void post(std::function<void()> tell);

  boost::asio::io_context& io;
  const TopicTableOptions options;
  FleetTable::Listener& listener;
  std::mutex mutex;
  std::condition_variable taken;
  // Behind the mutex:
  bool left = false;        // Then neither io nor listener may be used.
  std::size_t waiting = 0;  // Batches that were posted and not taken yet.

  // Of the thread alone.
  rd_kafka_t* const client;
  const QueueHandle queue;
  int assigned = 0;
  std::set<std::int32_t> unread;  // Partitions whose end was not reached yet.
  bool is_whole = false;
  bool was_whole = false;  // So somebody goes by what was told.
  // Then, until all is read anew: the last word on each key. What the topic still has from before
  // that held once, and must not hold again until the last one comes.
  std::map<std::string, std::optional<std::string>> anew;
  // A fetch was refused, or its offset is not there any more: that is told once, and what the
  // topic's metadata says proves nothing about it. So all is read anew.
  bool is_broken_off = false;
  std::vector<Told> told;
  std::optional<std::string> why_away;  // As was said; none: nothing was.
  Steady::time_point next_look{};
};

TopicFollower::TopicFollower(boost::asio::io_context& io, const TopicTableOptions& options,
                             FleetTable::Listener& listener)
    : shared_(std::make_shared<Shared>(io, options, listener)) {
  std::thread([shared = shared_] { shared->work(); }).detach();
}

TopicFollower::~TopicFollower() {
  const std::lock_guard lock(shared_->mutex);
  shared_->left = true;
}

void TopicFollower::Shared::work() {
  while (!has_left()) {
    if (Steady::now() >= next_look) look();
    if (has_room()) read();
  }
}

bool TopicFollower::Shared::has_left() {
  const std::lock_guard lock(mutex);
  return left;
}

// Waits a turn for it: the brokers are looked at all the same, and whoever leaves is not kept.
bool TopicFollower::Shared::has_room() {
  std::unique_lock lock(mutex);
  return taken.wait_for(lock, std::chrono::milliseconds(kTurnMs),
                        [this] { return waiting < kMostWaiting; });
}

void TopicFollower::Shared::read() {
  int wait = kTurnMs;
  for (std::size_t i = 0; i < kMostAtOnce; ++i) {
    const EventHandle event(rd_kafka_queue_poll(queue.get(), wait));
    if (event == nullptr) break;
    serve(event.get());
    wait = 0;
  }
  flush();
}

// Where the topic has other partitions than are read, or they are read no further, all is read
// anew.
void TopicFollower::Shared::look() {
  int partitions = 0;
  const std::string why = look_up(partitions);
  next_look = Steady::now() + std::chrono::microseconds(kLook.us);
  if (!why.empty()) return away(why);
  if (partitions != assigned || is_broken_off) assign(partitions);
  if (is_whole) away("");
}

std::string TopicFollower::Shared::look_up(int& partitions) {
  const TopicHandle handle(rd_kafka_topic_new(client, options.topic.c_str(), nullptr));
  if (handle == nullptr) return rd_kafka_err2str(rd_kafka_last_error());
  const struct rd_kafka_metadata* metadata = nullptr;
  if (const auto error = rd_kafka_metadata(client, 0, handle.get(), &metadata, kPatienceMs)) {
    return explain(error, false, rd_kafka_err2str(error), {options.brokers, "", "", options.topic})
        .detail;
  }
  auto error = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  if (metadata->topic_cnt > 0) {
    const auto& topic = metadata->topics[0];
    error = topic.err;
    partitions = topic.partition_cnt;
    for (int i = 0; i < partitions && !error; ++i) {
      if (topic.partitions[i].leader < 0) error = RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    }
  }
  rd_kafka_metadata_destroy(metadata);
  if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    assigned = 0;  // One that comes in its place is read from its beginning.
    return "the topic " + options.topic +
           " is not there; create it, with cleanup.policy=compact and one partition";
  }
  if (!error) return "";
  return explain(error, false, rd_kafka_err2str(error), {options.brokers, "", "", options.topic})
      .detail;
}

void TopicFollower::Shared::assign(int partitions) {
  const ListHandle list(rd_kafka_topic_partition_list_new(partitions));
  unread.clear();
  for (std::int32_t i = 0; i < partitions; ++i) {
    rd_kafka_topic_partition_list_add(list.get(), options.topic.c_str(), i)->offset =
        RD_KAFKA_OFFSET_BEGINNING;
    unread.insert(i);
  }
  rd_kafka_assign(client, list.get());
  assigned = partitions;
  is_whole = is_broken_off = false;
  anew.clear();
  post([this] { listener.reading(); });
}

void TopicFollower::Shared::serve(rd_kafka_event_t* event) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_FETCH:
      while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) take(*message);
      break;
    case RD_KAFKA_EVENT_ERROR:
      serve_error(event);
      break;
    default:
      break;
  }
}

void TopicFollower::Shared::serve_error(rd_kafka_event_t* event) {
  const auto error = rd_kafka_event_error(event);
  if (error == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    const TopicPartitionHandle at(rd_kafka_event_topic_partition(event));
    if (at == nullptr) return;
    unread.erase(at->partition);
    if (!unread.empty() || is_whole || is_broken_off) return;
    flush();
    flush_anew();
    is_whole = was_whole = true;
    post([this] {
      listener.whole();
      ::malloc_trim(0);  // What a long table took while it was read goes back to the system.
    });
    return away("");
  }
  if (options.login && is_refused_login(error)) options.login->was_refused();
  const char* reason = rd_kafka_event_error_string(event);
  const bool gone = error == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET;
  const bool forbidden = error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  is_broken_off |= gone || forbidden;
  if (gone && why_away.value_or("").empty()) {  // Otherwise what led to it was told.
    return away("the topic " + options.topic +
                " was recreated, or its newest records are gone; it is read from its beginning");
  }
  if (forbidden || error == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
      error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    away(explain(error, false, reason == nullptr ? "" : reason,
                 {options.brokers, "", "", options.topic})
             .detail);
  }
}

void TopicFollower::Shared::take(const rd_kafka_message_t& message) {
  if (message.err) return;  // As errors, too.
  Told one;
  // Of what is too long, so much as shows that it is.
  const auto key = view(message.key, message.key_len);
  if (key) one.key = key->substr(0, kLongestTableKey + 1);
  const auto text = view(message.payload, message.len);
  if (text) one.text = text->substr(0, kLongestTableValue + 1);
  // What comes behind the end of its partition is no history.
  if (!unread.contains(message.partition) || !holds_back(one.key)) {
    anew.erase(one.key);
    return told.push_back(std::move(one));
  }
  anew.insert_or_assign(std::move(one.key), std::move(one.text));
}

bool TopicFollower::Shared::holds_back(const std::string& key) const {
  return was_whole && !is_whole && (anew.size() < kMostAnew || anew.contains(key));
}

// In batches as any, which the loop takes when it can.
void TopicFollower::Shared::flush_anew() {
  while (!anew.empty()) {
    auto one = anew.extract(anew.begin());
    told.push_back({std::move(one.key()), std::move(one.mapped())});
    if (told.size() < kMostAtOnce && !anew.empty()) continue;
    while (!has_room()) {
      if (has_left()) return;
    }
    flush();
  }
}

void TopicFollower::Shared::flush() {
  if (told.empty()) return;
  {
    const std::lock_guard lock(mutex);
    ++waiting;
  }
  post([this, some = std::exchange(told, {})] {
    for (const Told& one : some) listener.entry(one.key, one.text);
    const std::lock_guard lock(mutex);
    --waiting;
    taken.notify_one();
  });
}

// What stood there is as old as this from now on, until it is said that all is well.
void TopicFollower::Shared::away(std::string why) {
  if (why_away == why) return;
  why_away = why;
  post([this, why = std::move(why)] { listener.away(why); });
}

void TopicFollower::Shared::post(std::function<void()> tell) {
  const std::lock_guard lock(mutex);
  if (left) return;  // The io_context may be gone.
  boost::asio::post(io, [self = shared_from_this(), tell = std::move(tell)] {
    if (!self->left) tell();  // On the loop's thread, which alone sets it.
  });
}

}  // namespace einlass::kafka
