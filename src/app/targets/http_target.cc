#include "app/targets/http_target.h"

#include <utility>

#include "app/record/record_notices.h"

namespace einlass::app {
namespace {

constexpr const char* kLongKey =
    "its key is longer than head_bytes as a header; long_key: leave_out sends it without";

}  // namespace

RequestParts::RequestParts(const config::HttpTarget& http, const RunId& run)
    : requests(run, http.forward_headers, http.head_bytes),
      fields(http),
      refuse_long_keys(http.long_key == config::LongKey::refuse) {
  if (http.batch) batch.emplace(http.batch->format);
}

HttpTarget::HttpTarget(boost::asio::io_context& io, http::TargetOptions options,
                       const config::HttpTarget& http, const RunId& run, core::Events& events,
                       const Notify& notify)
    : notify_(notify), target_(io, std::move(options), events, notify), parts_(http, run) {}

void HttpTarget::take_over(Target& before) {
  target_.take_over(dynamic_cast<HttpTarget&>(before).target_);
}

void HttpTarget::send(const StoredRecord& record, const core::Send& send, bool limited) {
  if (parts_.batch) {
    parts_.batch->add(record, send);
    if (!send.more) target_.send(parts_.batch->finish());
    return;
  }
  if (parts_.refuse_long_keys && parts_.requests.has_long_key(record)) {
    return target_.refuse(send.record, send.attempt, kLongKey, true);
  }
  Unwritten one = parts_.requests.build(record, send, limited, parts_.fields, skipped_header_);
  if (!one.why.empty()) {
    return target_.refuse(send.record, send.attempt, std::move(one.why), one.too_large);
  }
  target_.send(parts_.requests.request());
  if (!skipped_header_.empty()) notify_(header_not_forwarded(record, skipped_header_));
}

}  // namespace einlass::app
