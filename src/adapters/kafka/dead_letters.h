// Writes records to a dead letter topic and says when the brokers have them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/kafka/source.h"
#include "core/event.h"
#include "core/ids.h"
#include "units/notice.h"

namespace einlass::kafka {

struct DeadLettersOptions {
  std::string brokers;
  std::map<std::string, std::string>
      properties;  // As for the source; consumer-only ones are left out.
};

// One record for a dead letter topic. All views live until put() returns.
struct DeadRecord {
  core::RecordId record;
  std::string_view topic;  // The dead letter topic.
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;  // The record's own, then the einlass-* ones.
};

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `events`.
class DeadLetters {
 public:
  DeadLetters(boost::asio::io_context& io, DeadLettersOptions options, core::Events& events,
              Notify notify);
  ~DeadLetters();
  DeadLetters(const DeadLetters&) = delete;
  DeadLetters& operator=(const DeadLetters&) = delete;

  // Produces with an idempotent producer and acks=all. Ends as core::DeadLetterEnded, exactly one:
  // acknowledged only when the brokers have it, and not acknowledged on any failure.
  void put(const DeadRecord& record);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
