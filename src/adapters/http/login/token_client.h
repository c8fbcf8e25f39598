// Asks a token server for access tokens by the client credentials grant (RFC 6749, section 4.4).
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>

#include "adapters/http/client/single_exchange.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/login/token_answer.h"
#include "units/time.h"

namespace einlass::http {

// REQUIRES: outlived by `io`; used on the thread that runs it.
class TokenClient {
 public:
  using Done = std::function<void(const TokenAnswer&)>;

  // `proxy` and `tls` are the target's and hold for the token server too, but for the name. Throws
  // std::runtime_error if its files cannot be used.
  TokenClient(boost::asio::io_context& io, const TokenOptions& options, const ProxyOptions& proxy,
              const TlsOptions& tls, Duration timeout, Done done);

  // Begins to ask; ends in `done`, not before this returns. REQUIRES: !is_asking().
  void ask(const std::string& client_secret);
  bool is_asking() const { return exchange_.is_open(); }

  // Takes files of TLS that were renewed; what is wrong with them is the target's to tell.
  void look() { exchange_.look(); }

  // "host:port".
  const std::string& peer() const { return exchange_.peer(); }

 private:
  // Of an answer; no token is that large.
  static constexpr std::size_t kMostBody = 64 * 1024;

  const std::string body_, client_id_;
  Done done_;
  SingleExchange exchange_;
};

// Why there is no token for the target; empty if its token server gave one. Waits for it, as
// fetch() does. REQUIRES: options.login is oauth2.
std::string without_token(const TargetOptions& options);

}  // namespace einlass::http
