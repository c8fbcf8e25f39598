#include "app/admin.h"

#include <algorithm>
#include <cstdint>
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

constexpr char kText[] = "text/plain; charset=utf-8";

http::ServerResponse page(unsigned status, const char* type, std::string body) {
  http::ServerResponse response;
  response.status = status;
  response.content_type = type;
  response.body = std::move(body);
  return response;
}

http::ServerResponse text(unsigned status, const std::string& line) {
  return page(status, kText, line + "\n");
}

http::ServerResponse other_method(const std::string& allowed) {
  http::ServerResponse refusal = text(405, "only " + allowed + " is served here");
  refusal.headers = {{"Allow", allowed}};
  return refusal;
}

}  // namespace

Admin::Admin(boost::asio::io_context& io, Shards& shards, const Watchdog& watchdog, Reload& reload,
             const Recent& recent)
    : shards_(shards),
      watchdog_(watchdog),
      reload_(reload),
      recent_(recent),
      server_(io, server_options(reload.config().admin),
              [this](const http::ServerRequest& request, const Respond& respond) {
                answer(request, respond);
              }) {}

void Admin::answer(const http::ServerRequest& request, const Respond& respond) {
  if (request.path == "/-/reload") {
    if (request.method != "POST") return respond(other_method("POST"));
    return reload_.begin([respond](const Reload::Outcome& outcome) {
      respond(page(outcome.status, kText, outcome.text));
    });
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return respond(other_method("GET, HEAD"));
  }
  if (request.path == "/healthz") return respond(health());
  http::ServerResponse (Admin::*made_by)(const Views&) const = nullptr;
  if (request.path == "/metrics") made_by = &Admin::metrics;
  if (request.path == "/readyz") made_by = &Admin::readiness;
  if (request.path == "/v1/status") made_by = &Admin::status;
  if (made_by == nullptr) {
    return respond(text(404, "there are /metrics, /healthz, /readyz, /v1/status and /-/reload"));
  }
  shards_.view([this, made_by, respond](const Views& views) { respond((this->*made_by)(views)); });
}

http::ServerResponse Admin::health() const {
  const std::string trouble = watchdog_.trouble();
  return trouble.empty() ? text(200, "the loop turns") : text(503, trouble);
}

http::ServerResponse Admin::metrics(const Views& views) const {
  einlass::metrics::Snapshot sum = sum_of(views);
  sum.shards = views.shards.size();
  sum.shards_answering =
      static_cast<std::uint64_t>(std::count(views.answered.begin(), views.answered.end(), true));
  const ReloadState& reload = reload_.state();
  sum.reloads = {reload.successful, static_cast<double>(reload.succeeded_at.us) / 1e6,
                 reload.applied, reload.wrong, reload.needs_restart};
  return page(200, einlass::metrics::kPageType, einlass::metrics::render(sum));
}

http::ServerResponse Admin::readiness(const Views& views) const {
  const std::string why = why_not_ready(views, reload_.config());
  return why.empty() ? text(200, "ready") : text(503, why);
}

http::ServerResponse Admin::status(const Views& views) const {
  std::vector<std::string> silent;
  for (int i = 0; i < shards_.size(); ++i) silent.push_back(watchdog_.trouble(i));
  return page(200, "application/json",
              status_json(views, reload_.config(), silent, reload_.state(), recent_));
}

}  // namespace einlass::app
