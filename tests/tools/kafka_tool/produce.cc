// Records into a topic: many of a kind, or each as it is told.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "tools/kafka_tool/hex.h"
#include "tools/kafka_tool/verbs.h"

namespace einlass::tools {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
using Headers = std::vector<std::pair<std::string, std::optional<std::string>>>;

constexpr int kFlushTimeoutMs = 60'000;
constexpr std::int64_t kSlowUs = 50'000;

struct Record {
  int partition = 0;
  std::optional<std::string> key, value;
  Headers headers;
};

class Producer {
 public:
  // `tells_slow`: each record that the brokers took only after more than kSlowUs is a line of
  // stdout, so that whoever judges a moment knows when Kafka, or the machine, stood still.
  Producer(const Properties& properties, std::string topic, bool tells_slow = false)
      : tells_slow_(tells_slow),
        client_(make_client(RD_KAFKA_PRODUCER, properties, &Producer::reported, this)),
        topic_(std::move(topic)) {}

  int partitions() const { return partition_count(client_.get(), topic_); }

  void send(const Record& record) {
    while (true) {
      const auto error = try_to_send(record);
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) break;
      if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL) require(error, "produce");
      rd_kafka_poll(client_.get(), 10);
    }
    if ((++sent_ & 1023) == 0) rd_kafka_poll(client_.get(), 0);
  }

  void poll() { rd_kafka_poll(client_.get(), 0); }

  // Throws unless the brokers have all records: one that they refused is flushed too.
  void finish() {
    require(rd_kafka_flush(client_.get(), kFlushTimeoutMs), "flush");
    std::array<char, 512> error{};
    const auto fatal = rd_kafka_fatal_error(client_.get(), error.data(), error.size());
    require(fatal, error.data());
    require(refused_, "a record was not taken");
  }

 private:
  static void reported(rd_kafka_t*, const rd_kafka_message_t* message, void* producer) {
    auto& self = *static_cast<Producer*>(producer);
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) self.refused_ = message->err;
    const std::int64_t took = rd_kafka_message_latency(message);
    if (self.tells_slow_ && took > kSlowUs) {
      std::cout << Json{{"taken_us", now_us()}, {"after_us", took}} << std::endl;
    }
  }

  // Since 1970.
  static std::int64_t now_us() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }

  rd_kafka_resp_err_t try_to_send(const Record& record) {
    rd_kafka_headers_t* headers = nullptr;
    if (!record.headers.empty()) {
      headers = rd_kafka_headers_new(record.headers.size());
      for (const auto& [name, value] : record.headers) {
        rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()),
                            value ? value->data() : nullptr,
                            value ? static_cast<ssize_t>(value->size()) : 0);
      }
    }
    const char* key = record.key ? record.key->data() : nullptr;
    char* value = record.value ? const_cast<char*>(record.value->data()) : nullptr;
    const std::size_t key_size = record.key ? record.key->size() : 0;
    const std::size_t value_size = record.value ? record.value->size() : 0;
    const auto error = rd_kafka_producev(
        client_.get(), RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(record.partition),
        RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_VALUE(value, value_size),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR && headers != nullptr) {
      rd_kafka_headers_destroy(headers);
    }
    return error;
  }

  const bool tells_slow_;
  rd_kafka_resp_err_t refused_ = RD_KAFKA_RESP_ERR_NO_ERROR;  // Why the last one was not taken.
  Client client_;
  std::string topic_;
  std::uint64_t sent_ = 0;
};

Properties for_producing(Properties properties) {
  properties.emplace("enable.idempotence", "true");
  properties.emplace("linger.ms", "5");
  properties.emplace("message.max.bytes", "100000000");
  return properties;
}

Headers parse_headers(const std::vector<std::string>& lines) {
  Headers headers;
  for (const std::string& line : lines) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) throw std::runtime_error("not NAME=VALUE: " + line);
    headers.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return headers;
}

// A key belongs to one partition, so that order by key means something: k<i> to i mod partitions.
std::string key_for(int partition, int partitions, std::int64_t number, int keys) {
  const int share = (keys - partition + partitions - 1) / partitions;
  if (share <= 0) return "k" + std::to_string(partition % keys);
  return "k" + std::to_string(partition + partitions * static_cast<int>(number % share));
}

// As a task's result may look: nested, a list of items that is a third of it, and a text.
std::string result_of(const std::string& id, std::int64_t number, const ProduceOptions& options) {
  constexpr std::string_view kItem =
      R"({"name":"a lamp, blue, large, with two bulbs","count":3,"price":12.5})";
  constexpr std::string_view kEnd = "\"}";
  std::string text = R"({"id":")" + id + R"(","tenant":"tenant-)" +
                     std::to_string(number % options.tenants) +
                     R"(","task":{"kind":"render","attempt":1,"retried":false,"parent":null},)" +
                     R"("result":{"ok":true,"took_ms":1250,"items":[)" + std::string(kItem);
  const auto size = static_cast<std::size_t>(options.size);
  while (text.size() + kItem.size() < size / 3) text.append(",").append(kItem);
  text += R"(]},"note":")";
  text.resize(std::max(text.size(), size - std::min(size, kEnd.size())), '.');
  return text.append(kEnd);
}

void fill(Record& record, const ProduceOptions& options, int partitions, std::int64_t index) {
  const bool all = options.partition < 0;
  record.partition = all ? static_cast<int>(index % partitions) : options.partition;
  const std::int64_t number = options.first + (all ? index / partitions : index);
  const std::string id = std::to_string(record.partition) + '-' + std::to_string(number);
  std::string& value = *record.value;
  if (options.tenants > 0) {
    value = result_of(id, number, options);
  } else {
    value = id + ' ';
    value.resize(std::max(value.size(), static_cast<std::size_t>(options.size)), '.');
  }
  if (options.keys > 0) record.key = key_for(record.partition, partitions, number, options.keys);
}

void wait_for_turn(Producer& producer, Clock::time_point start, std::int64_t index, double rate) {
  const auto due = start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(static_cast<double>(index) / rate));
  if (due > Clock::now()) {
    producer.poll();
    std::this_thread::sleep_until(due);
  }
}

std::optional<std::string> bytes_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return from_hex(json.get<std::string>());
}

}  // namespace

void produce(const Properties& properties, const ProduceOptions& options) {
  Producer producer(for_producing(properties), options.topic, options.rate > 0);
  const int partitions = producer.partitions();
  Record record;
  record.value = "";
  record.headers = parse_headers(options.headers);
  const auto start = Clock::now();
  for (std::int64_t index = 0; index < options.records; ++index) {
    if (options.rate > 0) wait_for_turn(producer, start, index, options.rate);
    fill(record, options, partitions, index);
    producer.send(record);
  }
  producer.finish();
  const std::chrono::duration<double> seconds = Clock::now() - start;
  std::cout << Json{{"produced", options.records}, {"seconds", seconds.count()}} << '\n';
}

void produce_lines(const Properties& properties, const std::string& topic) {
  Producer producer(for_producing(properties), topic);
  std::int64_t produced = 0;
  for (std::string line; std::getline(std::cin, line); ++produced) {
    const Json json = Json::parse(line);
    Record record;
    record.partition = json.value("partition", 0);
    record.key = bytes_of(json.value("key", Json()));
    record.value = bytes_of(json.value("value", Json()));
    for (const Json& header : json.value("headers", Json::array())) {
      record.headers.emplace_back(header.at(0).get<std::string>(), bytes_of(header.at(1)));
    }
    producer.send(record);
  }
  producer.finish();
  std::cout << Json{{"produced", produced}} << '\n';
}

}  // namespace einlass::tools
