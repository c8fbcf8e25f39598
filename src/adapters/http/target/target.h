// Delivers records to one HTTP server: HTTP/1.1 with keep-alive, at most max_in_flight connections,
// each with one request at a time; or HTTP/2, on one connection if the server allows as much.
//
// The request is written by us into one buffer and sent with one write; responses are read by
// Beast's parser, or nghttp2, within bounds. Redirects are never followed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/client/request.h"
#include "adapters/http/client/target_options.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"
#include "units/target_status.h"
#include "units/time.h"

namespace einlass::http {

// REQUIRES: from start() on used on the thread that runs `io`; outlived by `io` and `events`.
class Target {
 public:
  // Throws std::runtime_error if the options cannot be put into a request, or a file cannot be
  // read. Says "target_failing" and "target_ok" to `notify` when that changes, not for each
  // attempt.
  Target(boost::asio::io_context& io, const TargetOptions& options, core::Events& events,
         Notify notify);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Begins to look after its login and its files. While there is no login to send, the gate is told
  // to hold `id`. REQUIRES: called once, before send().
  void start(core::TargetId id);

  // Replaces `before`, to which no more is sent, and goes on with its token if the login
  // is the same. That `before` may have none holds the gate's target no more; how its attempts end
  // still counts, with the pauses that the server asks for. REQUIRES: before start().
  void take_over(Target& before);

  // Starts an attempt; ends as core::DeliveryEnded, exactly one for each record, also for no
  // connection, a timeout or an answer that is not HTTP (all: retry). Where bodies are compressed a
  // large one begins in a later turn of the loop; core::TargetReady comes once all have begun.
  // REQUIRES: fewer than max_in_flight are open.
  void send(const Request& request);

  // Ends the attempt as refused, but not before this returns: `why` no request can be made of the
  // record, and whether that is for its size.
  void refuse(core::RecordId record, core::Attempt attempt, std::string why, bool too_large);

  TargetStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::http
