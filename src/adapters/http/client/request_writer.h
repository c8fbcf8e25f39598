// Renders requests to one target: what they all share is rendered once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client/request.h"
#include "adapters/http/client/target_options.h"

namespace einlass::http {

// One rendered request. Its memory is used again for the next, unless it was a very large one.
class RequestBytes {
 public:
  std::string_view unsent() const { return {bytes_.data() + sent_, size_ - sent_}; }
  void sent(std::size_t bytes) { sent_ += bytes; }
  void start_over() { sent_ = 0; }
  void done();

 private:
  friend class RequestWriter;
  static constexpr std::size_t kKept = 64 * 1024;

  std::vector<char> bytes_;
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

  // Replaces what is in `out`. A method or a path of the request's own stands in the place of the
  // target's.
  void write(const Request& request, RequestBytes& out) const;

 private:
  void write(std::string_view head, const Request& request, RequestBytes& out) const;

  std::string head_;                  // Request line, Host, constant headers.
  std::size_t authorization_at_ = 0;  // Where in it Authorization begins, if it is there.
  std::size_t line_size_ = 0;         // Of the request line in it.
  std::string method_, path_;
  std::string content_type_;  // Where the record names none.
};

}  // namespace einlass::http
