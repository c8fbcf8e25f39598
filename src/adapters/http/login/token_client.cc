#include "adapters/http/login/token_client.h"

#include <chrono>
#include <utility>

#include "adapters/http/client/proxy.h"
#include "adapters/http/client/request_writer.h"
#include "adapters/http/wire/words.h"
#include "net/encoding.h"
#include "units/check.h"
#include "units/text.h"

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

// Section 2.3.1: the one way in which every token server lets a client name itself.
TargetOptions request_options(const TokenOptions& options, const std::string& secret) {
  TargetOptions request;
  request.tls = options.tls;
  request.host = options.host;
  request.port = options.port;
  request.path = options.path;
  request.content_type = "application/x-www-form-urlencoded";
  request.headers = {{"Accept", "application/json"},
                     {"Authorization", "Basic " + net::base64(form_encoded(options.client_id) +
                                                              ":" + form_encoded(secret))}};
  return request;
}

}  // namespace

TokenClient::TokenClient(boost::asio::io_context& io, const TokenOptions& options,
                         const ProxyOptions& proxy, const TlsOptions& tls, Duration timeout,
                         Done done)
    : io_{io},
      options_{options},
      settings_{.peer = host_and_port(options.host, options.port),
                .timeout = in_words(timeout),
                .server_name = options.host,
                .kept_body = {.of_2xx = kMostBody, .of_others = kMostBody}},
      done_{std::move(done)},
      addresses_{io,
                 first_hop(proxy, options.host, options.port),
                 /*named_by=*/std::nullopt,
                 /*refuse_private=*/false,
                 TargetOptions{}.addresses_for,
                 timeout,
                 [this](const std::string& trouble) { resolved(trouble); }},
      deadlines_{io, timeout} {
  go_through(proxy, options.host, options.port, settings_);
  if (!options.tls) return;
  tls_.emplace(tls);
  settings_.tls = &*tls_;
}

TokenClient::~TokenClient() {
  if (connection_) connection_->close();
}

void TokenClient::look() {
  if (tls_) tls_->look();
}

void TokenClient::ask(const std::string& client_secret) {
  CHECK(!is_asking());
  const auto now = std::chrono::steady_clock::now();
  const std::string body = body_of(options_);
  const RequestWriter writer(request_options(options_, client_secret));
  connection_ = std::make_shared<Connection>(io_, settings_, *this);
  writer.write(
      Request{
          .record = {}, .attempt = {}, .id = {}, .content_type = {}, .headers = {}, .body = body},
      connection_->request());
  deadlines_.start(*connection_, now);
  connection_->begin({}, now);
  if (addresses_.known(now)) {
    connection_->connect(addresses_.list());
  } else {
    addresses_.lookup();
  }
}

void TokenClient::resolved(const std::string& trouble) {
  if (!connection_ || !connection_->is_resolving()) return;
  if (trouble.empty()) {
    connection_->connect(addresses_.list());
  } else {
    connection_->unresolvable(trouble, /*are_refused=*/false);
  }
}

// Tokens are asked for so seldom that no connection is kept.
void TokenClient::exchange_ended(Connection& connection, const Answer& answer) {
  TokenAnswer token;
  if (answer.status == 0) {
    token.trouble = answer.trouble;
  } else {
    token = read_token_answer(answer.status, answer.body);
  }
  const auto ended = std::exchange(connection_, nullptr);
  connection.close();
  done_(token);
}

std::string without_token(const TargetOptions& options) {
  boost::asio::io_context io(1);
  std::optional<std::string> trouble;
  TokenClient client(io, options.login.token, options.proxy, options.certificates, options.timeout,
                     [&](const TokenAnswer& answer) { trouble = answer.trouble; });
  client.ask(options.login.secret.value);
  while (!trouble && io.run_one() > 0) {
  }
  return trouble.value_or("");
}

}  // namespace einlass::http
