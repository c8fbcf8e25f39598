// A message of librdkafka's as views into it.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/kafka/client/message.h"

namespace einlass::kafka {

inline std::optional<std::string_view> view(const void* data, std::size_t size) {
  if (data == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(data), size);
}

// How much of a turn's budget a message takes: one, and one more for each 4 KiB or 64 headers, for
// what is done with a large one takes longer. The end of a partition is none.
inline int budget_of(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return 0;
  return 1 + static_cast<int>((message.key_len + message.len) / 4096);
}
inline int budget_of(std::span<const Header> headers) {
  std::size_t bytes = 0;
  for (const Header& header : headers) {
    bytes += header.name.size() + (header.value ? header.value->size() : 0);
  }
  return static_cast<int>(headers.size() / 64 + bytes / 4096);
}

// `room` is used again for each message: it holds what the result points to until the next call.
inline std::span<const Header> headers_of(const rd_kafka_message_t& message,
                                          std::vector<Header>& room) {
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(&message, &list) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  room.clear();
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(list, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    room.push_back({name, view(value, size)});
  }
  return room;
}

// As it was read. Its views are into `message`, `topic` and `room`, which is used as above.
inline Message message_of(const rd_kafka_message_t& message, core::PartitionId partition,
                          std::string_view topic, PartitionNumber number,
                          std::vector<Header>& room) {
  return {.partition = partition,
          .read_at = Offset{message.offset},
          .offset = Offset{message.offset},
          .timestamp_ms = rd_kafka_message_timestamp(&message, nullptr),
          .topic = topic,
          .number = number,
          .key = view(message.key, message.key_len),
          .value = view(message.payload, message.len),
          .headers = headers_of(message, room),
          .earlier = {}};
}

}  // namespace einlass::kafka
