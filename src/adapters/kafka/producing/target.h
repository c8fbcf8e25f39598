// Delivers records to a Kafka topic: each record as it was, with its key, value, headers and
// timestamp. Accepted means acknowledged by all replicas.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/kafka/client/message.h"
#include "adapters/kafka/client/options.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"
#include "units/target_status.h"
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

  // Nothing is to be done before records come.
  void start(core::TargetId) {}

  // Starts an attempt; ends as core::DeliveryEnded, exactly one. REQUIRES: no attempt of the same
  // record is open.
  void send(const TargetRecord& record);

  // Of attempts from here on; those under way end as they began.
  void set_topic(std::string topic, bool same_partition);

  TargetStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
