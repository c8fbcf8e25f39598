#include "app/admin.h"

#include <utility>

#include "adapters/metrics/page.h"
#include "app/snapshot.h"
#include "app/status.h"

namespace einlass::app {
namespace {

http::ServerOptions server_options(const config::Admin& admin) {
  http::ServerOptions options;
  options.host = admin.host;
  options.port = admin.port;
  return options;
}

http::ServerResponse text(unsigned status, std::string body) {
  http::ServerResponse response;
  response.status = status;
  response.body = std::move(body) + "\n";
  return response;
}

}  // namespace

Admin::Admin(boost::asio::io_context& io, const config::Config& config, const Shard& shard,
             const Recent& recent)
    : config_(config),
      shard_(shard),
      recent_(recent),
      server_(io, server_options(config.admin),
              [this](const http::ServerRequest& request) { return answer(request); }) {}

http::ServerResponse Admin::answer(const http::ServerRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    http::ServerResponse refusal = text(405, "only GET and HEAD are served here");
    refusal.headers = {{"Allow", "GET, HEAD"}};
    return refusal;
  }
  if (request.path == "/metrics") {
    http::ServerResponse page;
    page.content_type = metrics::kPageType;
    page.body = metrics::render(snapshot(shard_, config_));
    return page;
  }
  if (request.path == "/healthz") return text(200, "the loop turns");
  if (request.path == "/readyz") {
    const std::string why = why_not_ready(shard_, config_);
    return why.empty() ? text(200, "ready") : text(503, why);
  }
  if (request.path == "/v1/status") {
    http::ServerResponse page;
    page.content_type = "application/json";
    page.body = status_json(shard_, config_, recent_);
    return page;
  }
  return text(404, "there are /metrics, /healthz, /readyz and /v1/status");
}

}  // namespace einlass::app
