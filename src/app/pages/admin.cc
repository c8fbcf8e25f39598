#include "app/pages/admin.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/metrics/page.h"
#include "app/pages/steering_pages.h"
#include "app/service/open_files.h"
#include "app/setup/wiring.h"
#include "app/status/live_json.h"
#include "app/status/status.h"
#include "app/status/steering_json.h"
#include "app/status/troubles.h"
#include "app/status/why_text.h"
#include "web/page.h"

namespace einlass::app {
namespace {

http::ServerOptions server_options(const config::Admin& admin, const Notify& notify) {
  http::ServerOptions options = admin_options(admin);
  options.max_connections = admin_connections(most_open_files());
  options.notify = notify;
  return options;
}

// For so long an answer of /readyz holds.
constexpr Duration kReadyFor = Duration::millis(100);

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

// All that it needs is in it, and it may load nothing else.
http::ServerResponse live_page() {
  http::ServerResponse response = page(200, "text/html; charset=utf-8", std::string(web::kPage));
  response.headers = {{"Content-Security-Policy",
                       "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                       "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                       "frame-ancestors 'none'"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}};
  return response;
}

http::ServerResponse other_method(const std::string& allowed) {
  http::ServerResponse refusal = text(405, "only " + allowed + " is served here");
  refusal.headers = {{"Allow", allowed}};
  return refusal;
}

}  // namespace

Admin::Admin(boost::asio::io_context& io, Shards& shards, const Watchdog& watchdog, Reload& reload,
             Steering& steering, const Recent& recent, const Clock& clock, const Notify& notify)
    : shards_(shards),
      inquiries_(io, shards),
      watchdog_(watchdog),
      reload_(reload),
      steering_(steering),
      recent_(recent),
      clock_(clock),
      started_(clock.now()),
      door_(reload.config().admin, notify),
      live_(io, [this](const auto& made) { make_event(made); }),
      server_(io, server_options(reload.config().admin, notify),
              [this](const http::ServerRequest& request, const Respond& respond) {
                answer(request, respond);
              }) {}

void Admin::answer(const http::ServerRequest& request, const Respond& respond) {
  if (auto refusal = door_.refusal(request)) return respond(std::move(*refusal));
  const std::string_view shown = request.header("authorization");
  if (request.path == "/-/reload") {
    if (request.method != "POST") return respond(other_method("POST"));
    return reload_.begin([respond](const Reload::Outcome& outcome) {
      respond(page(outcome.status, kText, outcome.text));
    });
  }
  if (is_steering_page(request.path)) {
    return answer_steering(request, door_.demands_token(), steering_, Clock::wall(), respond);
  }
  if (request.method != "GET") {  // Or HEAD, which comes as that.
    return respond(other_method("GET, HEAD"));
  }
  if (request.path == "/healthz") return respond(health(door_.may_know_all(shown)));
  if (request.path == "/") return respond(live_page());
  if (request.path == "/v1/events") {
    return respond(
        live_.listen([this, shown = std::string(shown)] { return door_.may_know_all(shown); }));
  }
  if (request.path == "/v1/why") return why(request.query, respond);
  if (request.path == "/readyz") return ready(door_.may_know_all(shown), respond);
  http::ServerResponse (Admin::*made_by)(const Views&) = nullptr;
  if (request.path == "/metrics") made_by = &Admin::metrics;
  if (request.path == "/v1/status") made_by = &Admin::status;
  if (made_by == nullptr) {
    return respond(text(404,
                        "there are / (a page for people), /metrics, /healthz, /readyz, "
                        "/v1/status, /v1/why, /v1/events, /v1/quotas, /v1/pauses and /-/reload"));
  }
  shards_.view([this, made_by, respond](const Views& views) { respond((this->*made_by)(views)); });
}

void Admin::why(std::string_view query, const Respond& respond) {
  const auto read = parse_why(query);
  if (const auto* wrong = std::get_if<std::string>(&read)) return respond(text(400, *wrong));
  const WhyQuestion& question = std::get<WhyQuestion>(read);
  const auto done = [this, question, respond](const WhyAnswers& answers) {
    const auto find = [this](const Subject& subject) { return steering_.find_pause(subject); };
    respond(page(200, "application/json", why_json(question, answers, reload_.config(), find)));
  };
  inquiries_.ask(question, done, [respond] {
    respond(text(503, "too many questions wait for their turn; ask again"));
  });
}

http::ServerResponse Admin::health(bool in_full) const {
  const std::string trouble = watchdog_.trouble();
  if (trouble.empty()) {
    const std::string slowness = in_full ? watchdog_.slowness() : "";
    return text(200, slowness.empty() ? "the loop turns" : slowness);
  }
  return text(503, in_full ? trouble : "the event loop is stuck");
}

http::ServerResponse Admin::metrics(const Views& views) {
  einlass::metrics::Snapshot sum = sum_of(views);
  sum.shards = views.shards.size();
  sum.shards_answering =
      static_cast<std::uint64_t>(std::count(views.answered.begin(), views.answered.end(), true));
  const ReloadState& reload = reload_.state();
  sum.reloads = {reload.successful, static_cast<double>(reload.succeeded_at.us) / 1e6,
                 reload.applied, reload.wrong, reload.needs_restart};
  sum.steering = steering_metrics(steering_, clock_.now());
  sum.troubles = trouble_metrics(troubles(views, sum), clock_.now());
  return page(200, einlass::metrics::kPageType, einlass::metrics::render(sum));
}

// Everybody may ask, and as often as he likes: the shards are asked no oftener than probes need.
void Admin::ready(bool in_full, const Respond& respond) {
  if (shards_.stopping()) return respond(text(503, in_full ? std::string(kDrains) : "not ready"));
  const auto say = [this, in_full, respond] {
    if (not_ready_.empty()) {
      const bool warns = in_full && !ready_but_.empty();
      return respond(text(200, warns ? "ready, but " + ready_but_ : "ready"));
    }
    respond(text(503, in_full ? not_ready_ : "not ready"));
  };
  if (clock_.now() - looked_at_ < kReadyFor) return say();
  waiting_for_ready_.push_back(say);
  if (waiting_for_ready_.size() > 1) return;
  shards_.view([this](const Views& views) {
    not_ready_ = why_not_ready(views, reload_.config(), steering_);
    ready_but_ = warning_when_ready(views, reload_.config());
    looked_at_ = clock_.now();
    for (const auto& one : std::exchange(waiting_for_ready_, {})) one();
  });
}

http::ServerResponse Admin::status(const Views& views) {
  return page(200, "application/json", status_json(views, reload_.config(), process(views)));
}

std::vector<ShownTrouble> Admin::troubles(const Views& views,
                                          const einlass::metrics::Snapshot& sum) {
  const auto wrong = [&] { return process_troubles_now(views, sum, reload_.state(), steering_); };
  troubles_.look(wrong, clock_.now());
  return troubles_of(views, sum, reload_.config(), troubles_.all(clock_.now()), steering_);
}

ProcessView Admin::process(const Views& views) {
  einlass::metrics::Snapshot sum = sum_of(views);
  std::vector<ShownTrouble> wrong = troubles(views, sum);
  return {std::move(sum), shards_.values(), silent_shards(),    std::move(wrong), reload_.state(),
          recent_,        steering_,        shards_.stopping(), started_,         clock_.now()};
}

std::vector<std::string> Admin::silent_shards() const {
  std::vector<std::string> silent;
  for (int i = 0; i < shards_.size(); ++i) silent.push_back(watchdog_.trouble(i));
  return silent;
}

void Admin::make_event(const std::function<void(const std::string& json)>& made) {
  shards_.view([this, made](const Views& views) {
    made(live_json(views, reload_.config(), process(views)));
  });
}

}  // namespace einlass::app
