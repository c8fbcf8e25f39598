#include "app/admin.h"

#include <string>
#include <utility>
#include <vector>

#include "adapters/metrics/page.h"
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

Admin::Admin(boost::asio::io_context& io, const config::Config& config, Shards& shards,
             const Watchdog& watchdog, const Recent& recent)
    : config_(config),
      shards_(shards),
      watchdog_(watchdog),
      recent_(recent),
      server_(io, server_options(config.admin),
              [this](const http::ServerRequest& request, const Respond& respond) {
                answer(request, respond);
              }) {}

void Admin::answer(const http::ServerRequest& request, const Respond& respond) {
  if (request.method != "GET" && request.method != "HEAD") {
    http::ServerResponse refusal = text(405, "only GET and HEAD are served here");
    refusal.headers = {{"Allow", "GET, HEAD"}};
    return respond(refusal);
  }
  if (request.path == "/healthz") return respond(health());
  http::ServerResponse (Admin::*page)(const Views&) const = nullptr;
  if (request.path == "/metrics") page = &Admin::metrics;
  if (request.path == "/readyz") page = &Admin::readiness;
  if (request.path == "/v1/status") page = &Admin::status;
  if (page == nullptr) {
    return respond(text(404, "there are /metrics, /healthz, /readyz and /v1/status"));
  }
  shards_.view([this, page, respond](const Views& views) { respond((this->*page)(views)); });
}

http::ServerResponse Admin::health() const {
  const std::string trouble = watchdog_.trouble();
  return trouble.empty() ? text(200, "the loop turns") : text(503, trouble);
}

http::ServerResponse Admin::metrics(const Views& views) const {
  http::ServerResponse page;
  page.content_type = einlass::metrics::kPageType;
  page.body = einlass::metrics::render(sum_of(views));
  return page;
}

http::ServerResponse Admin::readiness(const Views& views) const {
  const std::string why = why_not_ready(views, config_);
  return why.empty() ? text(200, "ready") : text(503, why);
}

http::ServerResponse Admin::status(const Views& views) const {
  std::vector<std::string> silent;
  for (int i = 0; i < shards_.size(); ++i) silent.push_back(watchdog_.trouble(i));
  http::ServerResponse page;
  page.content_type = "application/json";
  page.body = status_json(views, config_, silent, recent_);
  return page;
}

}  // namespace einlass::app
