// Delivers records to a Kafka topic: each record as it was, with its key, value, headers and
// timestamp. Accepted means acknowledged by all replicas.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/kafka/client/message.h"
#include "adapters/kafka/client/options.h"
#include "core/event.h"
#include "core/ids.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::kafka {

// One attempt. All views live until send() returns.
struct TargetRecord {
  core::RecordId record;
  core::Attempt attempt;
  PartitionNumber number;          // Where it was read.
  std::int64_t timestamp_ms = -1;  // -1: the moment of writing.
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;
};

// What the metrics and /v1/status show of a target.
struct TargetStatus {
  std::size_t in_flight = 0;
  std::string trouble;   // Why the last attempt failed; empty since one was accepted.
  std::string unusable;  // Why nothing goes there before somebody acts; empty if nothing says so.
};

// Throws std::runtime_error, with the property at fault, if a Target could not be made of this.
void check_configuration(const TargetOptions& options);

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `events`.
class Target {
 public:
  // Starts to connect. Throws as check_configuration() does. Trouble with brokers, the topic or the
  // login is never an exception: it goes to `notify` and status(), and is tried again for ever.
  Target(boost::asio::io_context& io, TargetOptions options, core::Events& events, Notify notify);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Starts an attempt; ends as core::DeliveryEnded, exactly one. REQUIRES: no attempt of the same
  // record is open.
  void send(const TargetRecord& record);

  // From here on `failed` is told of each attempt that was not accepted, before its event.
  void tell_failures(std::function<void(core::RecordId, std::string_view reason)> failed);

  // Of attempts from here on; those under way end as they began.
  void set_topic(std::string topic, bool same_partition);

  TargetStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
