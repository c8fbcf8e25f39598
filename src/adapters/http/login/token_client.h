// Asks a token server for access tokens by the client credentials grant (RFC 6749, section 4.4).
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/tls.h"
#include "adapters/http/login/token_answer.h"
#include "adapters/http/resolver/addresses.h"
#include "adapters/http/wire/deadlines.h"

namespace einlass::http {

// REQUIRES: outlived by `io`; used on the thread that runs it.
class TokenClient final : public ConnectionOwner {
 public:
  using Done = std::function<void(const TokenAnswer&)>;

  // `proxy` and `tls` are the target's and hold for the token server too, but for the name. Throws
  // std::runtime_error if its files cannot be used.
  TokenClient(boost::asio::io_context& io, const TokenOptions& options, const ProxyOptions& proxy,
              const TlsOptions& tls, Duration timeout, Done done);
  ~TokenClient();
  TokenClient(const TokenClient&) = delete;
  TokenClient& operator=(const TokenClient&) = delete;

  // Begins to ask; ends in `done`, not before this returns. REQUIRES: !is_asking().
  void ask(const std::string& client_secret);
  bool is_asking() const { return connection_ != nullptr; }

  // Takes files of TLS that were renewed; what is wrong with them is the target's to tell.
  void look();

  // "host:port".
  const std::string& peer() const { return settings_.peer; }

 private:
  // Of an answer; no token is that large.
  static constexpr std::size_t kMostBody = 64 * 1024;

  void exchange_ended(Connection& connection, const Answer& answer) override;
  void idle_closed(Connection&) override {}
  bool established(Connection&) override { return true; }  // Only asked about HTTP/2.
  void connect_failed(const Endpoint& address) override { addresses_.failed(address); }
  void resolved(const std::string& trouble);

  boost::asio::io_context& io_;
  TokenOptions options_;
  std::optional<TlsContext> tls_;
  ConnectionSettings settings_;
  Done done_;
  Addresses addresses_;
  Deadlines deadlines_;
  std::shared_ptr<Connection> connection_;  // While one is asked.
};

// Why there is no token for the target; empty if its token server gave one. Waits for it, as
// fetch() does. REQUIRES: options.login is oauth2.
std::string without_token(const TargetOptions& options);

}  // namespace einlass::http
