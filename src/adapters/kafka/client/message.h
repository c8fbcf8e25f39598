// A record of Kafka's, as it was read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/contract/ids.h"
#include "units/id.h"

namespace einlass::kafka {

struct Header {
  std::string_view name;
  std::optional<std::string_view> value;  // None for a null value.
};

// What was tried before a record came to the dead letter topic that it is read from.
struct EarlierAttempts {
  std::uint32_t count = 0;
  // When the first and the last began, since 1970; -1 if there was none.
  std::int64_t first_ms = -1;
  std::int64_t last_ms = -1;
};

// One consumed message. All views live until take() returns.
struct Message {
  core::PartitionId partition;
  Offset read_at;  // In the partition that is read, for the ledger.
  Offset offset;   // As the record is known by; a dead letter's is the one that it had at first.
  std::int64_t timestamp_ms = -1;  // Since 1970; -1 where the broker gave none.
  std::string_view topic;
  PartitionNumber number;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;
  EarlierAttempts earlier;
  // A dead letter's: what stands beside it where it is read did not where it was at first.
  bool moved = false;
};

// Takes each message as it is read; what it wants to keep it copies.
struct MessageSink {
  virtual ~MessageSink() = default;
  virtual void take(const Message& message) = 0;
};

}  // namespace einlass::kafka
