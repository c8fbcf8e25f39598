// One request over HTTP/2, from the moment it is rendered until its attempt has ended, and what has
// come of its answer so far. Its memory is used again for the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/request_writer.h"
#include "adapters/http/client/response_parser.h"
#include "adapters/http/wire/deadlines.h"

namespace einlass::http {

class Http2Connection;
class Http2Exchange;

// Whom it tells that its time is over.
class Http2ExchangeOwner {
 public:
  virtual void expired(Http2Exchange& exchange) = 0;

 protected:
  ~Http2ExchangeOwner() = default;
};

class Http2Exchange final : public Timed {
 public:
  explicit Http2Exchange(Http2ExchangeOwner& owner) : owner_{owner} {}

  void expired() override { owner_.expired(*this); }

  // Nothing of an answer has come yet, and all of the request is still to be sent.
  void start_over() {
    request.start_over();
    status = 0;
    never_sent = is_final = is_too_large = false;
    head_bytes = body_bytes = 0;
    interim = 0;
    retry_after.assign({});
    date.assign({});
    trouble.clear();
    body.clear();
    location.clear();
  }

  Exchange exchange;
  RequestBytes request;
  Http2Connection* connection = nullptr;  // Null: it waits for one.
  std::int32_t stream = 0;
  std::size_t index = 0;  // In its session's list; the session's alone.

  unsigned status = 0;
  bool never_sent = false;    // Not even its head left us.
  bool is_final = false;      // The answer's own head has come, and not only interim ones.
  bool is_too_large = false;  // Its head was not sent for that.
  ShortValue retry_after;
  ShortValue date;
  std::size_t head_bytes = 0;
  std::size_t body_bytes = 0;
  int interim = 0;
  std::string body;      // Its first bytes, where they are kept.
  std::string location;  // Where a redirect points.
  std::string trouble;   // Why there will be no answer.

 private:
  Http2ExchangeOwner& owner_;
};

}  // namespace einlass::http
