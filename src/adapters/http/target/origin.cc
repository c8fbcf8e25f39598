#include "adapters/http/target/origin.h"

#include <algorithm>
#include <utility>

#include "adapters/http/client/proxy.h"
#include "units/check.h"

namespace einlass::http {
namespace {

constexpr std::string_view kUnused = "it was idle for a minute";
constexpr std::string_view kTooManyIdle = "its target has too many that are idle";

}  // namespace

Origin::Origin(boost::asio::io_context& io, const TargetOptions& options, const TlsContext* tls,
               KeptBody kept_body, Suspects& suspects, OriginOwner& owner, const Notify& notify)
    : io_{io},
      owner_{owner},
      notify_{notify},
      target_{options.name},
      max_in_flight_{options.max_in_flight},
      writer_{options},
      settings_{connection_settings(options)},
      addresses_{io,
                 first_hop(options),
                 options.host_of_record ? std::optional(options.name) : std::nullopt,
                 options.host_of_record && !options.allow_private,
                 options.addresses_for,
                 options.timeout,
                 [this](const std::string& trouble) { resolved(trouble); }},
      deadlines_{io, options.timeout} {
  settings_.tls = tls;
  settings_.kept_body = kept_body;
  settings_.http2 = options.may_speak_http2();
  connections_.reserve(max_in_flight_);
  idle_.reserve(max_in_flight_);
  if (settings_.http2) http2_.emplace(io, options, settings_, deadlines_, suspects, *this);
}

// Their handlers may run after this, and find them closed.
Origin::~Origin() {
  for (const auto& connection : connections_) connection->close();
}

std::size_t Origin::in_flight() const {
  return connections_.size() - idle_.size() + (http2_ ? http2_->in_flight() : 0);
}

std::size_t Origin::connections() const {
  return connections_.size() + (http2_ ? http2_->connections() : 0);
}

void Origin::send(const Request& request, const Exchange& exchange, SteadyTime now) {
  last_used_ = now;
  if (http2_ && !http2_->server_speaks_http1()) {
    writer_.write(request, http2_->request());
    return http2_->begin(exchange, now);
  }
  Connection& connection = idle_or_new(now);
  writer_.write(request, connection.request());
  deadlines_.start(connection, now);
  connection.begin(exchange, now);
  if (connection.is_resolving()) connect(connection, now);
}

void Origin::connect(Connection& connection, SteadyTime now) {
  if (addresses_.known(now) || addresses_.lags(now)) {
    connection.connect(addresses_.list());
  } else {
    addresses_.lookup();
  }
}

// The one used last is the likeliest to be alive, and lets the others grow old.
Connection& Origin::idle_or_new(SteadyTime now) {
  while (!idle_.empty()) {
    Connection& last = *idle_.back();
    idle_.pop_back();
    if (now - last.last_used() < kIdleLimit) return last;
    close(last, kUnused);
  }
  return new_connection();
}

Connection& Origin::new_connection() {
  CHECK(connections_.size() < max_in_flight_);
  connections_.push_back(std::make_shared<Connection>(io_, settings_, *this));
  connections_.back()->index = connections_.size() - 1;
  return *connections_.back();
}

void Origin::forget(Connection& connection) {
  const std::size_t index = connection.index;
  connections_.back()->index = index;
  std::swap(connections_[index], connections_.back());
  connections_.pop_back();
}

// REQUIRES: it is not idle, or no longer in idle_.
void Origin::close(Connection& connection, std::string_view why) {
  tell("connection_closed", "was closed, or came to nothing", why);
  connection.close();
  forget(connection);
}

bool Origin::established(Connection& connection) {
  tell("connection_open", "is open", connection.speaks_http2() ? "HTTP/2" : "HTTP/1.1");
  return !http2_ || http2_->established(connection);
}

// There may be one for each request: the text is the same for all, and how it was with this one
// stands beside it.
void Origin::tell(const char* what, const char* became, std::string_view how) const {
  if (!notify_) return;
  notify_({Severity::debug, what, "target " + target_ + ": a connection " + became,
           settings_.peer + ": " + std::string(how)});
}

void Origin::resolved(const std::string& trouble) {
  // A copy, for what fails is forgotten.
  const std::vector<std::shared_ptr<Connection>> all = connections_;
  for (const auto& connection : all) {
    if (!connection->is_resolving()) continue;
    if (trouble.empty()) {
      connection->connect(addresses_.list());
    } else {
      connection->unresolvable(trouble, addresses_.are_refused());
    }
  }
  if (trouble.empty()) retire_others();
}

void Origin::look(SteadyTime now) {
  close_unused(now);
  if (connections() > 0 && !addresses_.known(now)) addresses_.lookup();
  if (!addresses_.lags(now)) return;
  for (const auto& connection : connections_) {
    if (connection->is_resolving()) connection->connect(addresses_.list());
  }
}

// The last one is always taken first, so the others may never be asked for again.
void Origin::close_unused(SteadyTime now) {
  const auto end = std::ranges::find_if(
      idle_, [&](const Connection* one) { return now - one->last_used() < kIdleLimit; });
  std::for_each(idle_.begin(), end, [&](Connection* one) { close(*one, kUnused); });
  idle_.erase(idle_.begin(), end);
}

std::size_t Origin::close_idle() {
  for (Connection* one : idle_) close(*one, kTooManyIdle);
  const std::size_t closed = idle_.size();
  idle_.clear();
  return closed;
}

void Origin::retire_others() {
  const std::vector<Endpoint>& known = addresses_.list();
  std::vector<Connection*> kept;
  for (Connection* connection : idle_) {
    if (std::find(known.begin(), known.end(), connection->address()) != known.end()) {
      kept.push_back(connection);
      continue;
    }
    close(*connection, "the host's name no longer leads there");
  }
  idle_.swap(kept);
  idle_.reserve(max_in_flight_);
  for (const auto& connection : connections_) {
    const bool stays = connection->is_idle() || connection->is_resolving() ||
                       std::find(known.begin(), known.end(), connection->address()) != known.end();
    if (!stays) connection->retire();
  }
  if (http2_) http2_->retire_others(known);
}

Connection& Origin::open(Http2Exchange& exchange) {
  // Idle ones are left from when the server spoke HTTP/1.1.
  if (connections_.size() == max_in_flight_) {
    Connection& oldest = *idle_.front();
    idle_.erase(idle_.begin());
    close(oldest, "HTTP/2 takes its place");
  }
  Connection& connection = new_connection();
  move_to(connection, exchange);
  return connection;
}

void Origin::send_by_http1(Http2Exchange& exchange) {
  move_to(idle_or_new(std::chrono::steady_clock::now()), exchange);
}

void Origin::move_to(Connection& connection, Http2Exchange& exchange) {
  const auto now = std::chrono::steady_clock::now();
  std::swap(connection.request(), exchange.request);
  deadlines_.hand_over(exchange, connection);
  connection.begin(exchange.exchange, now);
  if (connection.is_resolving()) connect(connection, now);
}

void Origin::ended(const Exchange& exchange, const Answer& answer) {
  last_used_ = std::max(last_used_, std::chrono::steady_clock::now());
  owner_.ended(*this, exchange, answer);
}

void Origin::exchange_ended(Connection& connection, const Answer& answer) {
  last_used_ = std::max(last_used_, connection.last_used());
  owner_.ended(*this, connection.exchange(), answer);
  if (connection.is_idle()) return idle_.push_back(&connection);
  const auto self = connection.shared_from_this();
  close(connection, answer.status == 0 ? answer.trouble : "an answer was its last");
  if (http2_) http2_->opening_failed(connection, answer);
}

void Origin::idle_closed(Connection& connection) {
  std::erase(idle_, &connection);
  close(connection, "the server closed it while it was idle");
}

}  // namespace einlass::http
