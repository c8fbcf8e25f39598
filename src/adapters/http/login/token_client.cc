#include "adapters/http/login/token_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "net/encoding.h"
#include "text/ascii.h"

namespace einlass::http {
namespace {

// application/x-www-form-urlencoded, where more may be encoded than has to be.
std::string form_encoded(std::string_view text) {
  std::string encoded;
  append_percent_encoded(encoded, text);
  return encoded;
}

std::string body_of(const TokenOptions& options) {
  std::string body = "grant_type=client_credentials";
  if (!options.scope.empty()) body += "&scope=" + form_encoded(options.scope);
  if (!options.audience.empty()) body += "&audience=" + form_encoded(options.audience);
  return body;
}

TargetOptions request_options(const TokenOptions& options, const ProxyOptions& proxy,
                              const TlsOptions& tls, Duration timeout) {
  TargetOptions request;
  request.tls = options.tls;
  request.host = options.host;
  request.port = options.port;
  request.path = options.path;
  request.proxy = proxy;
  request.certificates = tls;
  request.timeout = timeout;
  request.content_type = "application/x-www-form-urlencoded";
  request.headers = {{"Accept", "application/json"}};
  return request;
}

}  // namespace

TokenClient::TokenClient(boost::asio::io_context& io, const TokenOptions& options,
                         const ProxyOptions& proxy, const TlsOptions& tls, Duration timeout,
                         Done done)
    : body_{body_of(options)},
      client_id_{form_encoded(options.client_id)},
      done_{std::move(done)},
      exchange_{io, request_options(options, proxy, tls, timeout), kMostBody} {}

// Section 2.3.1: the one way in which every token server lets a client name itself.
void TokenClient::ask(const std::string& client_secret) {
  const std::string login = "Basic " + net::base64(client_id_ + ":" + form_encoded(client_secret));
  const RequestHeader header{"Authorization", login};
  Request request{};
  request.headers = {&header, 1};
  request.body = body_;
  exchange_.begin(request, [this](const Answer& answer) {
    TokenAnswer token;
    if (answer.status == 0) {
      token.trouble = answer.trouble;
    } else {
      token = read_token_answer(answer.status, answer.body);
    }
    done_(token);
  });
}

std::string without_token(const TargetOptions& options) {
  boost::asio::io_context io(1);
  std::optional<std::string> trouble;
  TokenClient client(io, options.login.token, options.proxy, options.certificates,
                     std::min(options.timeout, options.login.longest_ask),
                     [&](const TokenAnswer& answer) { trouble = answer.trouble; });
  client.ask(options.login.secret.value);
  while (!trouble && io.run_one() > 0) {
  }
  return trouble.value_or("");
}

}  // namespace einlass::http
