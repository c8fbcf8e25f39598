// A source with everything around it, and librdkafka's mock cluster to read from.
#pragma once

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/kafka/producing/dead_letters.h"
#include "adapters/kafka/source/source.h"

namespace einlass::kafka::testing {

using std::chrono::steady_clock;
using Headers = std::vector<std::pair<std::string, std::optional<std::string>>>;

// For what a broker on a busy machine answers in a moment, and now and then in half a minute.
constexpr std::chrono::seconds kPatience{45};

inline Instant now() {
  return {
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now().time_since_epoch())
          .count()};
}

struct Taken {
  core::PartitionId partition;
  std::int32_t number = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = -1;
  std::string topic;
  std::optional<std::string> key;
  std::optional<std::string> value;
  Headers headers;
};

inline std::optional<std::string> owned(const std::optional<std::string_view>& view) {
  if (!view) return std::nullopt;
  return std::string(*view);
}

// Keeps all that it is given, and can do something while it takes.
struct RecordingSink : MessageSink {
  std::vector<Taken> taken;
  std::function<void(const Message&)> while_taking;
  bool keep = true;
  std::uint64_t count = 0;

  void take(const Message& message) override {
    ++count;
    if (keep) {
      Taken copy{message.partition,          message.number.value,
                 message.offset.value,       message.timestamp_ms,
                 std::string(message.topic), owned(message.key),
                 owned(message.value),       {}};
      for (const Header& header : message.headers) {
        copy.headers.emplace_back(header.name, owned(header.value));
      }
      taken.push_back(std::move(copy));
    }
    if (while_taking) while_taking(message);
  }

  std::vector<std::int64_t> offsets(std::int32_t number) const {
    std::vector<std::int64_t> found;
    for (const Taken& one : taken) {
      if (one.number == number) found.push_back(one.offset);
    }
    return found;
  }
};

// What was told until then.
inline void show_of_a_failed_test(const std::vector<Notice>& notices) {
  if (!::testing::Test::HasFailure()) return;
  for (const Notice& notice : notices) {
    std::printf("%s: %s\n", notice.what.c_str(), notice.detail.c_str());
  }
}

// One gate's loop: waits, polls, and remembers what came.
class Gate {
 public:
  explicit Gate(SourceOptions options, bool joins = true)
      : source(std::make_unique<Source>(
            io, std::move(options), events, sink,
            [this](const Notice& notice) {
              // What came and what left is no trouble.
              if (!notice.what.starts_with("kafka_partitions_")) notices.push_back(notice);
            })) {
    if (joins) source->join();
  }

  ~Gate() { show_of_a_failed_test(notices); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // One turn of the loop.
  void turn(std::chrono::milliseconds wait = std::chrono::milliseconds(5)) {
    if (source->has_more()) {
      io.poll();
    } else {
      io.run_one_for(wait);
    }
    if (io.stopped()) io.restart();
    source->poll(now(), budget);
    for (; seen < events.size(); ++seen) {
      const auto* assigned = std::get_if<core::PartitionAssigned>(&events[seen]);
      if (assigned == nullptr) continue;
      finished.emplace_back(assigned->finished.begin(), assigned->finished.end());
    }
  }

  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds patience = kPatience) {
    const auto deadline = steady_clock::now() + patience;
    while (!done()) {
      if (steady_clock::now() > deadline) return false;
      turn();
    }
    return true;
  }

  void run_for(std::chrono::milliseconds time) {
    const auto end = steady_clock::now() + time;
    while (steady_clock::now() < end) turn();
  }

  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const core::Event& event : events) {
      if (const E* one = std::get_if<E>(&event)) found.push_back(*one);
    }
    return found;
  }

  bool run_until_assigned(std::size_t partitions) {
    return run_until([&] {
      std::size_t read = 0;
      for (const auto& one : source->status().partitions) read += !one.waiting;
      return read == partitions;
    });
  }

  // Commits and waits for the answer.
  std::optional<core::CommitResult> commit(std::vector<core::CommitEntry> entries) {
    const std::size_t before = all<core::CommitEnded>().size();
    source->commit(entries);
    if (!run_until([&] { return all<core::CommitEnded>().size() > before; })) return std::nullopt;
    return all<core::CommitEnded>().back().result;
  }

  core::PartitionId id_of(std::int32_t number) const {
    for (const auto& one : source->status().partitions) {
      if (one.number.value == number && !one.revoking && !one.waiting) return one.partition;
    }
    throw std::runtime_error("not assigned");
  }

  void done_with_all() {
    for (const auto& one : source->status().partitions) {
      if (!one.waiting) source->partition_done(one.partition);
    }
  }

  void leave() {
    done_with_all();
    source->close(Duration::seconds(5));
  }

  const Notice* notice(const std::string& what) const {
    for (const Notice& one : notices) {
      if (one.what == what) return &one;
    }
    return nullptr;
  }

  std::size_t count_notices(const std::string& what) const {
    std::size_t count = 0;
    for (const Notice& one : notices) count += one.what == what;
    return count;
  }

  boost::asio::io_context io;
  core::Events events;
  RecordingSink sink;
  std::size_t seen = 0;
  std::vector<std::vector<core::OffsetRange>> finished;  // Of each assignment.
  std::vector<Notice> notices;
  int budget = 1000;
  std::unique_ptr<Source> source;
};

// Writes records, and waits until the brokers have them.
class Producer {
 public:
  explicit Producer(const std::string& brokers) : brokers_(brokers) { begin(); }
  ~Producer() { rd_kafka_destroy(client_); }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void produce(const std::string& topic, std::int32_t number, std::optional<std::string> value,
               std::optional<std::string> key = std::nullopt, const Headers& headers = {}) {
    if (known_.insert(topic).second) look_up(topic);
    rd_kafka_headers_t* list = rd_kafka_headers_new(headers.size());
    for (const auto& [name, data] : headers) {
      rd_kafka_header_add(list, name.data(), static_cast<ssize_t>(name.size()),
                          data ? data->c_str() : nullptr,
                          data ? static_cast<ssize_t>(data->size()) : 0);
    }
    const char* value_data = value ? value->c_str() : nullptr;
    const std::size_t value_size = value ? value->size() : 0;
    const char* key_data = key ? key->c_str() : nullptr;
    const std::size_t key_size = key ? key->size() : 0;
    const auto put = [&] {
      return rd_kafka_producev(
          client_, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(number),
          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
          RD_KAFKA_V_VALUE(const_cast<char*>(value_data), value_size),
          RD_KAFKA_V_KEY(key_data, key_size), RD_KAFKA_V_HEADERS(list), RD_KAFKA_V_END);
    };
    auto error = put();
    // A topic that was made again, or was given partitions: this client may not have heard of it.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while ((error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
            error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) &&
           std::chrono::steady_clock::now() < deadline) {
      look_up(topic);
      error = put();
    }
    if (error) throw std::runtime_error(rd_kafka_err2str(error));
  }

  void many(const std::string& topic, std::int32_t number, int count, std::size_t size = 20) {
    for (int i = 0; i < count; ++i) {
      std::string value = std::to_string(i);
      value.resize(std::max(value.size(), size), '.');
      produce(topic, number, value);
    }
    flush();
  }

  void flush() {
    if (rd_kafka_flush(client_, 20'000)) throw std::runtime_error("flush timed out");
  }

  // What it knows of topics. A client of librdkafka 2.4 to 2.8 that knows a topic by an id spoils
  // its memory once that topic has another one (its issue 4964).
  void forget() {
    flush();
    rd_kafka_destroy(client_);
    known_.clear();
    begin();
  }

  rd_kafka_t* client() { return client_; }

 private:
  void begin() {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers_.c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "queue.buffering.max.messages", "1000000", nullptr, 0);
    rd_kafka_conf_set(conf, "linger.ms", "2", nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "2", nullptr, 0);
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  }

  // Without this the first message to a topic waits for a second.
  void look_up(const std::string& topic) {
    rd_kafka_topic_t* handle = rd_kafka_topic_new(client_, topic.c_str(), nullptr);
    const rd_kafka_metadata_t* metadata = nullptr;
    if (!rd_kafka_metadata(client_, 0, handle, &metadata, 5000))
      rd_kafka_metadata_destroy(metadata);
    rd_kafka_topic_destroy(handle);
  }

  std::string brokers_;
  rd_kafka_t* client_;
  std::set<std::string> known_;
};

class MockCluster {
 public:
  explicit MockCluster(int brokers = 1) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "client.id", "mock", nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "2", nullptr, 0);
    host_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    cluster_ = rd_kafka_mock_cluster_new(host_, brokers);
  }
  ~MockCluster() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(host_);
  }
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string brokers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  void create_topic(const std::string& name, int partitions) {
    rd_kafka_mock_topic_create(cluster_, name.c_str(), partitions, 1);
  }
  // To whoever asks where it is. It makes every other topic that it is asked for.
  void say_of_topic(const std::string& name, rd_kafka_resp_err_t error) {
    rd_kafka_mock_topic_set_error(cluster_, name.c_str(), error);
  }
  void down() { rd_kafka_mock_broker_set_down(cluster_, -1); }
  void up() { rd_kafka_mock_broker_set_up(cluster_, -1); }
  void fail(std::int16_t api, std::vector<rd_kafka_resp_err_t> errors) {
    rd_kafka_mock_push_request_errors_array(cluster_, api, errors.size(), errors.data());
  }
  rd_kafka_mock_cluster_t* get() { return cluster_; }

 private:
  rd_kafka_t* host_;
  rd_kafka_mock_cluster_t* cluster_;
};

constexpr std::int16_t kProduceApi = 0;
constexpr std::int16_t kFetchApi = 1;
constexpr std::int16_t kOffsetCommitApi = 8;
constexpr std::int16_t kOffsetFetchApi = 9;
constexpr std::int16_t kFindCoordinatorApi = 10;
constexpr std::int16_t kJoinGroupApi = 11;
constexpr std::int16_t kInitProducerIdApi = 22;

inline SourceOptions options(const std::string& brokers, const std::string& group,
                             const std::string& topic) {
  SourceOptions made;
  made.brokers = brokers;
  made.group = group;
  made.topics = {{topic, core::RouteId{7}}};
  made.properties = {{"session.timeout.ms", "10000"}};
  return made;
}

}  // namespace einlass::kafka::testing
