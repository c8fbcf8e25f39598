// The pool: which connection takes a request, and what its answer means to the gate.
#include "adapters/http/target.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "adapters/http/connection.h"
#include "adapters/http/health.h"
#include "adapters/http/words.h"
#include "units/check.h"

namespace einlass::http {
namespace {

// Something between us and the server may have forgotten a connection that was idle for longer,
// and then nobody would answer.
constexpr std::chrono::seconds kIdleLimit{60};

std::optional<TlsContext> tls_context(const TargetOptions& options) {
  if (!options.tls) return std::nullopt;
  return TlsContext(options.ca_file,
                    options.server_name.empty() ? options.host : options.server_name);
}

}  // namespace

struct Target::State final : ConnectionOwner {
  State(boost::asio::io_context& context, const TargetOptions& options, core::Events& to,
        Notify notify);
  ~State();

  void send(const Request& request);
  Connection& idle_or_new(SteadyTime now);
  void forget(Connection& connection);
  void resolved(const std::string& trouble);

  void exchange_ended(Connection& connection, const Answer& answer) override;
  void idle_closed(Connection& connection) override;
  void connect_failed(const Endpoint& address) override { addresses.failed(address); }

  boost::asio::io_context& io;
  core::Events& events;
  const std::size_t max_in_flight;
  RequestWriter writer;
  std::optional<TlsContext> tls;
  ConnectionSettings settings;
  Health health;
  Failed failed;
  Addresses addresses;
  Deadlines deadlines;
  std::vector<std::shared_ptr<Connection>> connections;  // At most max_in_flight.
  std::vector<Connection*> idle;                         // The last was used most recently.
};

Target::State::State(boost::asio::io_context& context, const TargetOptions& options,
                     core::Events& to, Notify notify)
    : io{context},
      events{to},
      max_in_flight{options.max_in_flight},
      writer{options},
      tls{tls_context(options)},
      settings{.peer = host_and_port(options.host, options.port),
               .timeout = in_words(options.timeout),
               .bodyless_answers = options.method == "HEAD",
               .tls = tls ? &*tls : nullptr},
      health{options.name, std::move(notify)},
      addresses{context, options.host, options.port,
                [this](const std::string& trouble) { resolved(trouble); }},
      deadlines{context, options.timeout} {
  connections.reserve(max_in_flight);
  idle.reserve(max_in_flight);
}

// Their handlers may run after this, and find them closed.
Target::State::~State() {
  for (const auto& connection : connections) connection->close();
}

void Target::State::send(const Request& request) {
  const auto now = std::chrono::steady_clock::now();
  Connection& connection = idle_or_new(now);
  writer.write(request, connection.request());
  deadlines.start(connection, now);
  connection.begin({request.record, request.attempt}, now);
  if (!connection.is_resolving()) return;
  if (addresses.known(now)) {
    connection.connect(addresses.list());
  } else {
    addresses.lookup();
  }
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

void Target::State::exchange_ended(Connection& connection, const Answer& answer) {
  const core::Outcome outcome = outcome_of(answer.status);
  if (outcome == core::Outcome::accepted) {
    health.works();
  } else {
    health.fails(answer);
  }
  const auto& [record, attempt] = connection.exchange();
  if (failed && outcome != core::Outcome::accepted) failed(record, answer.status, health.trouble());
  events.push_back(
      core::DeliveryEnded{record, attempt, outcome,
                          outcome == core::Outcome::retry ? answer.retry_after : std::nullopt});
  if (connection.is_idle()) {
    idle.push_back(&connection);
  } else {
    forget(connection);
  }
}

void Target::State::idle_closed(Connection& connection) {
  std::erase(idle, &connection);
  forget(connection);
}

Target::Target(boost::asio::io_context& io, TargetOptions options, core::Events& events,
               Notify notify)
    : state_{std::make_unique<State>(io, options, events, std::move(notify))} {}

Target::~Target() = default;

void Target::send(const Request& request) { state_->send(request); }

void Target::tell_failures(Failed failed) { state_->failed = std::move(failed); }

TargetStatus Target::status() const {
  return {.in_flight = state_->connections.size() - state_->idle.size(),
          .connections = state_->connections.size(),
          .trouble = state_->health.trouble()};
}

}  // namespace einlass::http
