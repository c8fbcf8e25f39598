// One exchange at a time with one server, each on a connection of its own: for what is asked so
// seldom that no connection is kept.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/client/tls.h"
#include "adapters/http/resolver/addresses.h"
#include "adapters/http/wire/deadlines.h"

namespace einlass::http {

// REQUIRES: outlived by `io`; used on the thread that runs it.
class SingleExchange final : public ConnectionOwner {
 public:
  using Done = std::function<void(const Answer&)>;

  // Of an answer's body so much is kept. Throws std::runtime_error if the options cannot be used.
  SingleExchange(boost::asio::io_context& io, const TargetOptions& options, std::size_t most_body);
  ~SingleExchange();
  SingleExchange(const SingleExchange&) = delete;
  SingleExchange& operator=(const SingleExchange&) = delete;

  // Sends it; ends in `done`, not before this returns, and at the latest after the options'
  // timeout. `done` may begin the next. REQUIRES: !is_open().
  void begin(const Request& request, Done done);
  bool is_open() const { return connection_ != nullptr; }

  // To be called every now and then: takes files of TLS that were renewed, and goes where the host
  // last was while its resolver hangs.
  void look();

  // "host:port".
  const std::string& peer() const { return settings_.peer; }

 private:
  void exchange_ended(Connection& connection, const Answer& answer) override;
  void idle_closed(Connection&) override {}
  bool established(Connection&) override { return true; }
  void connect_failed(const Endpoint& address) override { addresses_.failed(address); }
  void resolved(const std::string& trouble);

  boost::asio::io_context& io_;
  RequestWriter writer_;
  std::optional<TlsContext> tls_;
  ConnectionSettings settings_;
  Addresses addresses_;
  Deadlines deadlines_;
  Done done_;
  std::shared_ptr<Connection> connection_;  // While an exchange is open.
};

}  // namespace einlass::http
