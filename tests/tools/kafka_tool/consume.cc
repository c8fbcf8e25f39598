// All that is in a topic, without a group.
#include <chrono>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/kafka_tool/hex.h"
#include "tools/kafka_tool/verbs.h"

namespace einlass::tools {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{30};

Json bytes(const void* data, std::size_t size) {
  return data == nullptr ? Json() : Json(to_hex(data, size));
}

Json headers_of(const rd_kafka_message_t& message) {
  Json found = Json::array();
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return found;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    found.push_back({name, bytes(value, size)});
  }
  return found;
}

void print(const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type{};
  std::cout << Json{{"partition", message.partition},
                    {"offset", message.offset},
                    {"timestamp", rd_kafka_message_timestamp(&message, &type)},
                    {"key", bytes(message.key, message.key_len)},
                    {"value", bytes(message.payload, message.len)},
                    {"headers", headers_of(message)}}
            << '\n';
}

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

void consume(const Properties& properties, const std::string& topic, bool count_only) {
  Properties all = properties;
  all["group.id"] = "kafka_tool";
  all["enable.auto.commit"] = "false";
  all["auto.offset.reset"] = "earliest";
  all["fetch.message.max.bytes"] = "4000000";
  all["enable.partition.eof"] = "true";  // Transactions leave offsets that no record has.
  const Client client = make_client(RD_KAFKA_CONSUMER, all);
  auto ends = end_offsets(client.get(), topic);
  const PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(ends.size())));
  std::size_t open = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == 0) continue;
    ++open;
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), static_cast<int>(i))->offset =
        RD_KAFKA_OFFSET_BEGINNING;
  }
  require(rd_kafka_assign(client.get(), list.get()), "assign");
  rd_kafka_poll_set_consumer(client.get());
  const auto reached = [&](std::int32_t partition, std::int64_t next) {
    std::int64_t& end = ends[static_cast<std::size_t>(partition)];
    if (end >= 0 && next >= end) --open, end = -1;
  };
  std::int64_t count = 0;
  auto first = Clock::now();
  const double cpu = cpu_seconds();
  auto last = Clock::now();
  while (open > 0) {
    const Message message(rd_kafka_consumer_poll(client.get(), 100));
    if (message && message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      reached(message->partition, message->offset);
      continue;
    }
    if (!message || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (Clock::now() - last > kPatience) throw std::runtime_error("consume: nothing came");
      continue;
    }
    if (count++ == 0) first = Clock::now();
    if ((count & 1023) == 0) last = Clock::now();
    if (!count_only) print(*message);
    reached(message->partition, message->offset + 1);
  }
  if (!count_only) return;
  const std::chrono::duration<double> seconds = Clock::now() - first;
  std::cout << Json{{"records", count},
                    {"seconds", seconds.count()},
                    {"cpu_seconds", cpu_seconds() - cpu}}
            << '\n';
}

}  // namespace einlass::tools
