// A target that is an HTTP server: writes each record's headers and hands the request to the
// adapter.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>

#include "adapters/http/target/target.h"
#include "app/process/run_id.h"
#include "app/targets/batch_request.h"
#include "app/targets/request.h"
#include "app/targets/target.h"
#include "core/contract/event.h"
#include "units/notice.h"

namespace einlass::app {

// What makes requests of records, by what the target's options say of them.
struct RequestParts {
  RequestParts(const config::HttpTarget& http, const RunId& run);

  RequestBuilder requests;
  RequestTemplate fields;             // What each record writes itself.
  std::optional<BatchRequest> batch;  // Where several records go in one request.
  bool refuse_long_keys;              // Else they are left out.
};

class HttpTarget final : public Target {
 public:
  // `http` says what each record writes itself, and which of its headers are sent on.
  // Throws std::runtime_error as http::Target does.
  HttpTarget(boost::asio::io_context& io, http::TargetOptions options,
             const config::HttpTarget& http, const RunId& run, core::Events& events,
             const Notify& notify);

  void start(core::TargetId id) override { target_.start(id); }
  void send(const StoredRecord& record, const core::Send& send, bool limited) override;
  void take_over(Target& before) override;
  TargetStatus status() const override { return target_.status(); }

 private:
  const Notify notify_;
  http::Target target_;
  RequestParts parts_;
  std::string skipped_header_;
};

}  // namespace einlass::app
