// What a target receives with each attempt: the headers of docs and of Kafka, and the trace
// context.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/target/target.h"
#include "app/process/run_id.h"
#include "app/record/record_store.h"
#include "app/targets/request_template.h"
#include "core/contract/command.h"

namespace einlass::app {

// Writes requests one after the other into the same memory.
class RequestBuilder {
 public:
  // `forward`: names of record headers that are sent on, besides the trace context. Of a record no
  // more than `most_of_record` gets into the head.
  RequestBuilder(RunId run, std::vector<std::string> forward, Bytes most_of_record);

  // Makes the request for one attempt, with the `parts` that its record writes itself, or says why
  // it cannot. `skipped` says which of the record's headers is not sent on, for it holds bytes that
  // HTTP forbids, or there is no room beside the key and the parts for all that are; empty if none.
  // A key that has_long_key() is left out. `limited` is as for Target::send().
  // REQUIRES: `parts` outlive the use of request().
  Unwritten build(const StoredRecord& record, const core::Send& send, bool limited,
                  RequestTemplate& parts, std::string& skipped);

  // What was built. Its views live until the next build(). REQUIRES: it could be.
  const http::Request& request() const { return request_; }

  // Whether the record's key is more than a request's head takes.
  bool has_long_key(const StoredRecord& record) const;

 private:
  void add(std::string_view name, std::string_view value) { headers_.push_back({name, value}); }
  std::string_view keep(std::string_view text);
  std::string_view keep(std::int64_t number);
  std::string_view add_origin(const StoredRecord& record);  // Its id, as Idempotency-Key has it.
  void add_key(std::string_view key);
  void add_forwarded(const StoredRecord& record, std::size_t room, std::string& skipped);

  RunId run_;
  std::vector<std::string> forward_;
  std::size_t most_of_record_;
  std::string text_;  // What the views of one request point to; its room is set aside beforehand.
  std::vector<http::RequestHeader> headers_;
  http::Request request_;
};

}  // namespace einlass::app
