// The parts of a request that a record may write itself: host, path and query, method, values of
// headers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/target/target.h"
#include "app/record/record_store.h"
#include "app/targets/path_stretches.h"
#include "config/model/config.h"

namespace einlass::app {

// Why no request can be made of a record, as a sentence that has nothing of the record in it.
struct Unwritten {
  std::string why;         // Empty: it can.
  bool too_large = false;  // It would be more than a request's head takes.
};

// REQUIRES: used by one thread.
class RequestTemplate {
 public:
  explicit RequestTemplate(const config::HttpTarget& http);

  // Writes what the record makes of them into the request, whose views of it live until the next
  // call, and adds its headers to `headers`. Of `room`, how many bytes the record may write, it
  // takes those of its parts. REQUIRES: the record was read with what these need of its value as
  // JSON.
  Unwritten fill(const StoredRecord& record, http::Request& request,
                 std::vector<http::RequestHeader>& headers, std::size_t& room);

 private:
  Unwritten fill_url(const StoredRecord& record, http::Request& request, std::size_t& room);
  Unwritten fill_method(const StoredRecord& record, http::Request& request, std::size_t& room);

  config::Template host_, method_;
  std::vector<PathStretch> path_;
  std::vector<std::string> allow_hosts_;
  bool allow_slash_ = false;
  std::vector<std::pair<std::string, config::Template>> headers_;
  std::string host_text_, path_text_, method_text_;
  std::vector<std::string> values_;  // By the index of the header.
};

}  // namespace einlass::app
