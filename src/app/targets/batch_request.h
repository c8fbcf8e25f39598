// A request with several records: one body, and headers that say which records it is of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/target/target.h"
#include "app/record/record_store.h"
#include "app/targets/batch_body.h"
#include "config/model/config.h"
#include "core/contract/command.h"

namespace einlass::app {

// How much of Einlass-Records an entry takes that begins with this record, at most; 0: its value
// cannot stand in such a body, and it is not listed. REQUIRES: as BatchBody::unfit().
std::uint16_t listed_size(config::BatchFormat format, const StoredRecord& record);

// How much of the body the record takes, with what stands between two; nothing: its value cannot
// stand in it. REQUIRES: as there.
Bytes body_size(config::BatchFormat format, const StoredRecord& record);

// Writes requests one after the other into the same memory.
class BatchRequest {
 public:
  explicit BatchRequest(config::BatchFormat format) : body_(format) {}

  // Adds a record to the request that is being written. One whose value cannot stand in such a body
  // goes with it in name only, and is refused when the request ends.
  void add(const StoredRecord& record, const core::Send& send);

  // The request; its views live until the next add(). The next add() begins another.
  // REQUIRES: something was added.
  const http::Request& finish();

 private:
  void begin();
  void name(const StoredRecord& record);
  void end_run();
  std::string entry() const;

  BatchBody body_;
  bool finished_ = true;
  std::vector<http::BatchMember> members_;
  std::size_t fit_ = 0;  // How many of them are in the body.

  // Einlass-Records, and the run of offsets that its last entry is.
  std::string records_, first_;
  std::string run_topic_;
  std::int32_t run_partition_ = 0;
  std::int64_t run_first_ = 0, run_last_ = 0;
  bool in_run_ = false;

  std::string id_, count_;
  std::vector<http::RequestHeader> headers_;
  http::Request request_;
};

}  // namespace einlass::app
