#include "app/http_target.h"

#include <utility>

namespace einlass::app {

HttpTarget::HttpTarget(boost::asio::io_context& io, http::TargetOptions options,
                       const config::HttpTarget& http, const RunId& run, core::Events& events,
                       const Notify& notify, AttemptFailed failed)
    : notify_(notify),
      target_(io, std::move(options), events, notify),
      requests_(run, http.forward_headers),
      template_(http) {
  if (http.batch) batch_.emplace(http.batch->format);
  target_.tell_failures(std::move(failed));
}

void HttpTarget::send(const StoredRecord& record, const core::Send& send, bool limited) {
  if (batch_) {
    batch_->add(record, send);
    if (!send.more) target_.send(batch_->finish());
    return;
  }
  const http::Request& request = requests_.build(record, send, limited, skipped_header_);
  if (template_.any()) {
    std::string why = requests_.fill(template_, record);
    if (!why.empty()) return target_.refuse(send.record, send.attempt, std::move(why));
  }
  target_.send(request);
  if (skipped_header_.empty()) return;
  notify_({Severity::warning, "header_not_forwarded",
           "a record header holds bytes that HTTP forbids, so the request went without it: topic " +
               std::string(record.topic()) + ", partition " + std::to_string(record.number.value) +
               ", offset " + std::to_string(record.offset.value)});
}

TargetStatus HttpTarget::status() const {
  const http::TargetStatus status = target_.status();
  return {status.in_flight, status.connections, status.trouble, status.unusable, status.warning};
}

}  // namespace einlass::app
