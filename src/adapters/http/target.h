// Delivers records to one HTTP server: HTTP/1.1 with keep-alive, at most max_in_flight connections,
// each with one request at a time.
//
// The request is written by us into one buffer and sent with one write; responses are read by
// Beast's parser within bounds. Redirects are never followed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event.h"
#include "core/ids.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::http {

struct TargetOptions {
  std::string name;  // For notices.
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";  // With the query.
  std::string method = "POST";
  std::vector<std::pair<std::string, std::string>> headers;  // Sent with every request.
  std::string content_type = "application/octet-stream";     // Where the record names none.
  std::string ca_file;                                       // Empty: the system's authorities.
  std::string server_name;                                   // Empty: the host.
  Duration timeout = Duration::seconds(5);  // From send() to the end of the response.
  std::size_t max_in_flight = 64;

  bool operator==(const TargetOptions&) const = default;
};

struct RequestHeader {
  std::string_view name;
  std::string_view value;  // REQUIRES: no CR, LF or NUL.
};

// One attempt. All views live until send() returns.
struct Request {
  core::RecordId record;
  core::Attempt attempt;
  std::string_view content_type;  // Empty: the target's.
  std::span<const RequestHeader> headers;
  std::string_view body;
};

// What the metrics and /v1/status show of a target.
struct TargetStatus {
  std::size_t in_flight = 0;
  std::size_t connections = 0;
  std::string trouble;  // Why the last attempt failed, as "connection refused (127.0.0.1:8080)" or
                        // "status 503"; empty since one was accepted.
};

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `events`.
class Target {
 public:
  // Throws std::runtime_error if the options cannot be put into a request, or the CA file cannot be
  // read. Says "target_failing" and "target_ok" to `notify` when that changes, not for each
  // attempt.
  Target(boost::asio::io_context& io, TargetOptions options, core::Events& events, Notify notify);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Starts an attempt; ends as core::DeliveryEnded, exactly one, also for no connection, a timeout
  // or an answer that is not HTTP (all: retry). REQUIRES: fewer than max_in_flight are open.
  void send(const Request& request);

  // From here on `failed` is told of each attempt that was not accepted, before its event: the
  // status (0 where there was no answer) and the reason.
  using Failed = std::function<void(core::RecordId, unsigned status, std::string_view reason)>;
  void tell_failures(Failed failed);

  TargetStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::http
