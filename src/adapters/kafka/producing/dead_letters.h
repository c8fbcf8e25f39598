// Writes records to a dead letter topic and says when the brokers have them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "adapters/kafka/client/message.h"
#include "adapters/kafka/client/options.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"

namespace einlass::kafka {

// One record for a dead letter topic. All views live until put() returns.
struct DeadRecord {
  core::RecordId record;
  std::string_view topic;  // The dead letter topic.
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;  // The record's own, then the einlass-* ones.
};

// What /v1/status shows of dead letters.
struct DeadLettersStatus {
  std::size_t open = 0;  // On their way to the brokers.
  std::string trouble;   // The last error that still stands; empty if none.
  std::string unusable;  // Why records wait until somebody acts; empty if none does for that.
  std::set<std::string, std::less<>> unusable_topics;  // For which they do.
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
  // Of a record that is not acknowledged nothing is kept but that it waits, until it is put again
  // or forgotten.
  void put(const DeadRecord& record);

  // The record is not to be written any more: nobody waits for its topic because of it.
  void forget(core::RecordId record);

  // `told` is called for each record that is larger than its dead letter topic takes, before the
  // event that says that it was not acknowledged.
  void tell_too_large(std::function<void(core::RecordId record, std::string_view topic)> told);

  DeadLettersStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
