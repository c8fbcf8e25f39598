// What a target has, and looks after while it lives.
#include "adapters/http/target/target.h"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "adapters/http/target/target_state.h"

namespace einlass::http {
namespace {

// How often files and tokens are looked after.
constexpr std::chrono::milliseconds kPulse{250};

// While there is no login the gate is told again before the last hold has run out.
constexpr Duration kHoldWithoutLogin = Duration::millis(500);

constexpr const char* kNotVerified =
    "its certificate is not verified (verify: false), so anybody on the way may read and answer";

std::optional<TlsContext> tls_context(const TargetOptions& options) {
  if (!options.tls) return std::nullopt;
  return TlsContext(options.certificates, options.http2 != Http2::never);
}

}  // namespace

Target::State::State(boost::asio::io_context& context, const TargetOptions& options,
                     core::Events& to, Notify tell)
    : io{context},
      events{to},
      rules{options.answers, options.batches},
      constant_headers{options.headers},
      url_secrets{options.url_secrets},
      tls{tls_context(options)},
      name{options.name},
      // Of one that was replaced nobody would be told that it works again.
      notify{[this, tell = std::move(tell)](const Notice& notice) {
        if (tell && !retired) tell(notice);
      }},
      standing_warning{options.tls && !options.certificates.verify ? kNotVerified : ""},
      of_many_hosts{options.host_of_record},
      origins{context, options, tls ? &*tls : nullptr, rules.kept_body(), *this, notify},
      timer{context} {
  if (options.gzip) gzip.emplace();
  if (!options.sign.secret.value.empty()) signer.emplace(options.sign);
  if (options.login.kind != LoginOptions::Kind::none) {
    login.emplace(
        io, name, options.login, options.proxy, options.certificates, options.timeout,
        [this] { origins.set_authorization(login->header()); }, notify);
    origins.set_authorization(login->header());
  }
}

void Target::State::start(core::TargetId as) {
  id = as;
  if (!standing_warning.empty() && notify) {
    notify({Severity::warning, "target_not_verified", "target " + name + ": " + standing_warning});
  }
  pulse();
}

void Target::State::take_over(State& before) {
  before.retired = true;
  files_trouble = before.files_trouble;  // As was told: its end is told too.
  origins.take_over(before.origins);
  if (login && before.login) login->take_over(*before.login);
}

// Again and again.
void Target::State::pulse() {
  if (login) login->look(std::chrono::steady_clock::now());
  hold_without_login();
  timer.expires_after(kPulse);
  timer.async_wait([this, still = std::weak_ptr(alive)](boost::system::error_code) {
    if (still.expired()) return;
    look();
    pulse();
  });
}

// Takes files that were renewed, and says which cannot be taken.
void Target::State::look() {
  if (tls) tls->look();
  if (signer) signer->look();
  origins.look(std::chrono::steady_clock::now());
  std::string trouble = tls ? tls->trouble() : "";
  if (trouble.empty() && signer) trouble = signer->trouble();
  if (trouble == files_trouble) return;
  files_trouble = std::move(trouble);
  if (!notify) return;
  if (files_trouble.empty()) {
    notify({Severity::info, "target_files_ok", "the files of target " + name + " are used again"});
  } else {
    notify({Severity::warning, "target_files_refused", "target " + name + ": " + files_trouble});
  }
}

void Target::State::hold_without_login() {
  if (retired || !login || !login->header().empty()) return;
  events.push_back(core::TargetHold{id, kHoldWithoutLogin});
}

Target::Target(boost::asio::io_context& io, const TargetOptions& options, core::Events& events,
               Notify notify)
    : state_{std::make_unique<State>(io, options, events, std::move(notify))} {}

Target::~Target() = default;

void Target::start(core::TargetId id) { state_->start(id); }
void Target::take_over(Target& before) { state_->take_over(*before.state_); }
void Target::send(const Request& request) { state_->send(request); }

void Target::refuse(core::RecordId record, core::Attempt attempt, std::string why, bool too_large) {
  state_->let_next_turn_come();
  state_->turn_away({.record = record,
                     .attempt = attempt,
                     .outcome = core::Outcome::refused,
                     .too_large = too_large,
                     .reason = std::move(why)});
}

TargetStatus Target::status() const { return state_->status(); }

TargetStatus Target::State::status() const {
  TargetStatus status;
  status.connections = origins.connections();
  status.in_flight = origins.in_flight() + turned_away.size() + waiting.size();
  status.trouble = origins.trouble();
  status.unusable = origins.unusable();
  status.by_attempt = true;
  status.warning = standing_warning.empty() ? files_trouble : standing_warning;
  if (status.warning.empty()) status.warning = origins.warning();
  if (!login) return status;
  if (login->header().empty()) {
    status.unusable = login->trouble();
    status.by_attempt = false;
  }
  if (status.warning.empty()) status.warning = login->trouble();
  return status;
}

}  // namespace einlass::http
