// Writes requests to one target.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/client/request.h"
#include "adapters/http/client/target_options.h"

namespace einlass::http {

// One written request: as HTTP/1.1 sends it, with where its fields stand in that, which is what
// HTTP/2 sends. Its memory is used again for the next, unless it was a very large one.
class RequestBytes {
 public:
  // Views into the bytes, until these are written anew.
  struct Fields {
    std::string_view method, path, host;
    std::vector<RequestHeader> headers;  // In their order; none where HTTP/2 is never spoken.
    std::size_t head_size = 0;           // What stands before the body.
  };
  const Fields& fields() const { return fields_; }

  std::string_view unsent() const { return {bytes_.data() + sent_, size_ - sent_}; }
  void sent(std::size_t bytes) { sent_ += bytes; }
  void start_over() { sent_ = 0; }
  void done();

 private:
  friend class RequestWriter;
  static constexpr std::size_t kKept = 64 * 1024;

  std::vector<char> bytes_;
  Fields fields_;
  std::size_t size_ = 0;
  std::size_t sent_ = 0;
};

class RequestWriter {
 public:
  // Throws std::runtime_error if the options cannot be written as HTTP: characters that do not
  // belong, or a header that is the writer's own (Host, Content-Length, ...).
  explicit RequestWriter(const TargetOptions& options);

  // From here on requests have this Authorization header; empty: none.
  // REQUIRES: no control characters.
  void set_authorization(std::string_view value);

  // Replaces what is in `out`. A method or a path of the request's own stands instead of the
  // target's.
  void write(const Request& request, RequestBytes& out) const;

 private:
  // What a request says itself, or the target where it says nothing.
  struct Parts {
    std::string_view method, path, content_type, length;
  };
  std::size_t size(const Request& request, const Parts& parts) const;
  void put_down(const Request& request, const Parts& parts, RequestBytes& out) const;

  std::string method_, path_, host_;
  std::string content_type_;                                  // Where the record names none.
  std::vector<std::pair<std::string, std::string>> headers_;  // With Authorization behind the rest.
  std::size_t own_headers_;                                   // Without it.
  bool may_speak_http2_;
};

}  // namespace einlass::http
