// The pool: which connection takes a request, and what its answer means to the gate.
#include "adapters/http/target.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>

#include "adapters/http/answer_rules.h"
#include "adapters/http/connection.h"
#include "adapters/http/health.h"
#include "adapters/http/http2_pool.h"
#include "adapters/http/login.h"
#include "adapters/http/webhook_signer.h"
#include "adapters/http/words.h"
#include "units/check.h"

namespace einlass::http {
namespace {

// Something between us and the server may have forgotten a connection that was idle for longer,
// and then nobody would answer.
constexpr std::chrono::seconds kIdleLimit{60};

// How often files and tokens are looked after.
constexpr std::chrono::milliseconds kPulse{250};

// While there is no login the gate is told again before the last hold has run out.
constexpr Duration kHoldWithoutLogin = Duration::millis(500);

// A header's value that is shorter stands in a body by chance.
constexpr std::size_t kShortestSecret = 4;

constexpr const char* kNotVerified =
    "its certificate is not verified (verify: false), so anybody on the way may read and answer";

std::optional<TlsContext> tls_context(const TargetOptions& options) {
  if (!options.tls) return std::nullopt;
  return TlsContext(options.certificates,
                    options.server_name.empty() ? options.host : options.server_name,
                    options.http2 != Http2::never);
}

}  // namespace

struct Target::State final : ConnectionOwner, Http2PoolOwner {
  State(boost::asio::io_context& context, const TargetOptions& options, core::Events& to,
        Notify notify);
  ~State();

  TargetStatus status() const;
  void send(const Request& request);
  void write(const Request& request, RequestBytes& out);
  void turn_away(const Request& request);
  void end_turned_away();
  void start(core::TargetId as);
  void pulse();
  void look();
  void hold_without_login();
  core::Outcome judge(const Exchange& exchange, Answer& answer);
  std::vector<std::string> secrets() const;
  Connection& idle_or_new(SteadyTime now);
  Connection& new_connection();
  void connect(Connection& connection, SteadyTime now);
  void move_to(Connection& connection, Http2Exchange& exchange);
  void forget(Connection& connection);
  void resolved(const std::string& trouble);

  void ended(const Exchange& exchange, const Answer& answer) override;
  Connection& open(Http2Exchange& exchange) override;
  void send_by_http1(Http2Exchange& exchange) override {
    move_to(idle_or_new(std::chrono::steady_clock::now()), exchange);
  }
  void handed_over(Connection& connection) override { forget(connection); }
  bool established(Connection& connection) override { return http2->established(connection); }
  void exchange_ended(Connection& connection, const Answer& answer) override;
  void idle_closed(Connection& connection) override;
  void connect_failed(const Endpoint& address) override { addresses.failed(address); }

  boost::asio::io_context& io;
  core::Events& events;
  const std::size_t max_in_flight;
  RequestWriter writer;
  const AnswerRules rules;
  const std::vector<std::pair<std::string, std::string>> constant_headers;
  std::optional<TlsContext> tls;
  std::optional<Login> login;
  std::optional<WebhookSigner> signer;
  ConnectionSettings settings;
  core::TargetId id;
  const std::string name;
  const Notify notify;
  const std::string standing_warning;  // Of the configuration.
  std::string files_trouble;           // Of renewed files, as was told.
  Health health;
  Failed failed;
  std::vector<RequestHeader> signed_headers;
  std::vector<Exchange> turned_away;  // At most max_in_flight; there is no login to send.
  Addresses addresses;
  Deadlines deadlines;
  std::vector<std::shared_ptr<Connection>> connections;  // At most max_in_flight.
  std::vector<Connection*> idle;                         // The last was used most recently.
  std::optional<Http2Pool> http2;                        // None: it is not spoken here.
  boost::asio::steady_timer timer;
  std::shared_ptr<const int> alive = std::make_shared<int>(0);  // A late handler finds it gone.
};

Target::State::State(boost::asio::io_context& context, const TargetOptions& options,
                     core::Events& to, Notify tell)
    : io{context},
      events{to},
      max_in_flight{options.max_in_flight},
      writer{options},
      rules{options.answers},
      constant_headers{options.headers},
      tls{tls_context(options)},
      settings{.peer = host_and_port(options.host, options.port),
               .timeout = in_words(options.timeout),
               .bodyless_answers = options.method == "HEAD",
               .tls = tls ? &*tls : nullptr,
               .kept_body = rules.kept_body(),
               .http2 = options.may_speak_http2()},
      name{options.name},
      notify{std::move(tell)},
      standing_warning{options.tls && !options.certificates.verify ? kNotVerified : ""},
      health{options.name, notify},
      addresses{context, options.host, options.port,
                [this](const std::string& trouble) { resolved(trouble); }},
      deadlines{context, options.timeout},
      timer{context} {
  connections.reserve(max_in_flight);
  idle.reserve(max_in_flight);
  if (!options.sign.secret.value.empty()) signer.emplace(options.sign);
  if (options.login.kind != LoginOptions::Kind::none) {
    login.emplace(
        io, name, options.login, options.certificates, options.timeout,
        [this] { writer.set_authorization(login->header()); }, notify);
    writer.set_authorization(login->header());
  }
  if (settings.http2) http2.emplace(io, options, settings, deadlines, *this);
}

void Target::State::start(core::TargetId as) {
  id = as;
  if (!standing_warning.empty() && notify) {
    notify({Severity::warning, "target_not_verified", "target " + name + ": " + standing_warning});
  }
  if (login || signer || tls) pulse();
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
  if (!login || !login->header().empty()) return;
  events.push_back(core::TargetHold{id, kHoldWithoutLogin});
}

// Their handlers may run after this, and find them closed.
Target::State::~State() {
  for (const auto& connection : connections) connection->close();
}

void Target::State::send(const Request& request) {
  if (login && login->header().empty()) return turn_away(request);
  const auto now = std::chrono::steady_clock::now();
  const Exchange exchange{request.record, request.attempt, login ? login->generation() : 0};
  if (http2 && !http2->server_speaks_http1()) {
    write(request, http2->request());
    return http2->begin(exchange, now);
  }
  Connection& connection = idle_or_new(now);
  write(request, connection.request());
  deadlines.start(connection, now);
  connection.begin(exchange, now);
  if (connection.is_resolving()) connect(connection, now);
}

void Target::State::connect(Connection& connection, SteadyTime now) {
  if (addresses.known(now)) {
    connection.connect(addresses.list());
  } else {
    addresses.lookup();
  }
}

void Target::State::write(const Request& request, RequestBytes& out) {
  if (!signer) return writer.write(request, out);
  std::array<char, 24> digits;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto since_1970 = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  const auto end = std::to_chars(digits.begin(), digits.end(), since_1970).ptr;
  const std::string_view seconds(digits.data(), static_cast<std::size_t>(end - digits.data()));
  signed_headers.assign(request.headers.begin(), request.headers.end());
  signed_headers.push_back({"webhook-id", request.id});
  signed_headers.push_back({"webhook-timestamp", seconds});
  signed_headers.push_back({"webhook-signature", signer->sign(request.id, seconds, request.body)});
  Request with_signature = request;
  with_signature.headers = signed_headers;
  writer.write(with_signature, out);
}

// Ends the attempt, but not inside send(). It began before the gate heard of the hold.
void Target::State::turn_away(const Request& request) {
  turned_away.push_back({request.record, request.attempt});
  if (turned_away.size() > 1) return;
  boost::asio::post(io, [this, still = std::weak_ptr(alive)] {
    if (!still.expired()) end_turned_away();
  });
}

void Target::State::end_turned_away() {
  for (const Exchange& exchange : turned_away) {
    if (failed) failed(exchange.record, 0, login->trouble());
    events.push_back(core::DeliveryEnded{exchange.record, exchange.attempt, core::Outcome::retry,
                                         std::nullopt, /*counts=*/false});
  }
  turned_away.clear();
  hold_without_login();
}

// The one used last is the likeliest to be alive, and lets the others grow old.
Connection& Target::State::idle_or_new(SteadyTime now) {
  while (!idle.empty()) {
    Connection& last = *idle.back();
    idle.pop_back();
    if (now - last.last_used() < kIdleLimit) return last;
    last.close();
    forget(last);
  }
  return new_connection();
}

Connection& Target::State::new_connection() {
  CHECK(connections.size() < max_in_flight);
  connections.push_back(std::make_shared<Connection>(io, settings, *this));
  connections.back()->index = connections.size() - 1;
  return *connections.back();
}

void Target::State::forget(Connection& connection) {
  const std::size_t index = connection.index;
  connections.back()->index = index;
  std::swap(connections[index], connections.back());
  connections.pop_back();
}

void Target::State::resolved(const std::string& trouble) {
  // A copy, for what fails is forgotten.
  const std::vector<std::shared_ptr<Connection>> all = connections;
  for (const auto& connection : all) {
    if (!connection->is_resolving()) continue;
    if (trouble.empty()) {
      connection->connect(addresses.list());
    } else {
      connection->unresolvable(trouble);
    }
  }
}

Connection& Target::State::open(Http2Exchange& exchange) {
  // Idle ones are left from when the server spoke HTTP/1.1.
  if (connections.size() == max_in_flight) {
    Connection& oldest = *idle.front();
    idle.erase(idle.begin());
    oldest.close();
    forget(oldest);
  }
  Connection& connection = new_connection();
  move_to(connection, exchange);
  return connection;
}

void Target::State::move_to(Connection& connection, Http2Exchange& exchange) {
  const auto now = std::chrono::steady_clock::now();
  std::swap(connection.request(), exchange.request);
  deadlines.hand_over(exchange, connection);
  connection.begin(exchange.exchange, now);
  if (connection.is_resolving()) connect(connection, now);
}

// What the answer means, with what it says of ourselves and not of the record.
core::Outcome Target::State::judge(const Exchange& exchange, Answer& answer) {
  if (asks_for_certificate(answer)) {
    answer.trouble = "the server asks for a client certificate; write cert_file and key_file";
    answer.needs_repair = true;
    return core::Outcome::retry;
  }
  if (login && answer.status == 401) {
    const auto now = std::chrono::steady_clock::now();
    answer.trouble = "the login is refused";
    answer.needs_repair = !login->refused(exchange.login, now);
    return core::Outcome::retry;
  }
  if (!answer.location.empty()) {
    answer.trouble = "redirects are not followed (to " + place_of_redirect(answer.location) + ")";
  }
  return rules.outcome(answer);
}

// What a server may send back of a request, and nobody is to see.
std::vector<std::string> Target::State::secrets() const {
  std::vector<std::string> all;
  for (const auto& [header, value] : constant_headers) {
    if (value.size() >= kShortestSecret) all.push_back(value);
  }
  if (!login) return all;
  const std::string& authorization = login->header();
  const std::string credential = authorization.substr(authorization.find(' ') + 1);
  if (!credential.empty()) all.push_back(credential);
  return all;
}

void Target::State::ended(const Exchange& exchange, const Answer& given) {
  Answer answer = given;
  const core::Outcome outcome = judge(exchange, answer);
  if (outcome == core::Outcome::accepted) {
    health.works();
    if (login) login->accepted();
  } else {
    if (!answer.body.empty()) answer.excerpt = excerpt(answer.body, secrets());
    health.fails(answer);
    hold_without_login();
  }
  const core::RecordId record = exchange.record;
  if (failed && outcome != core::Outcome::accepted) failed(record, answer.status, health.trouble());
  events.push_back(
      core::DeliveryEnded{record, exchange.attempt, outcome,
                          outcome == core::Outcome::retry ? answer.retry_after : std::nullopt,
                          /*counts=*/!answer.needs_repair});
}

void Target::State::exchange_ended(Connection& connection, const Answer& answer) {
  ended(connection.exchange(), answer);
  if (connection.is_idle()) return idle.push_back(&connection);
  const auto self = connection.shared_from_this();
  forget(connection);
  if (http2) http2->opening_failed(connection, answer);
}

void Target::State::idle_closed(Connection& connection) {
  std::erase(idle, &connection);
  forget(connection);
}

Target::Target(boost::asio::io_context& io, const TargetOptions& options, core::Events& events,
               Notify notify)
    : state_{std::make_unique<State>(io, options, events, std::move(notify))} {}

Target::~Target() = default;

void Target::start(core::TargetId id) { state_->start(id); }
void Target::send(const Request& request) { state_->send(request); }
void Target::tell_failures(Failed failed) { state_->failed = std::move(failed); }
TargetStatus Target::status() const { return state_->status(); }

TargetStatus Target::State::status() const {
  TargetStatus status;
  status.connections = connections.size() + (http2 ? http2->connections() : 0);
  status.in_flight = connections.size() - idle.size() + turned_away.size();
  if (http2) status.in_flight += http2->in_flight();
  status.trouble = health.trouble();
  status.unusable = health.unusable();
  status.warning = standing_warning.empty() ? files_trouble : standing_warning;
  if (!login) return status;
  if (login->header().empty()) status.unusable = login->trouble();
  if (status.warning.empty()) status.warning = login->trouble();
  return status;
}

}  // namespace einlass::http
