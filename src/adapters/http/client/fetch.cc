#include "adapters/http/client/fetch.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/proxy.h"
#include "adapters/http/client/request_writer.h"
#include "adapters/http/client/tls.h"
#include "adapters/http/resolver/addresses.h"
#include "adapters/http/wire/words.h"
#include "units/text.h"

namespace einlass::http {
namespace {

// One exchange on a connection that is closed after it, or before it has begun if nothing is to be
// sent.
class Fetch final : public ConnectionOwner {
 public:
  Fetch(TargetOptions options, bool sends)
      : options_{std::move(options)},
        settings_{
            .peer = host_and_port(options_.host, options_.port),
            .timeout = in_words(options_.timeout),
            .server_name = options_.server_name.empty() ? options_.host : options_.server_name,
            .kept_body = {.of_2xx = kMaxAnswerBody, .of_others = kMaxAnswerBody},
            .http2 = !sends},  // It is asked then whether to send.
        addresses_{io_,
                   first_hop(options_.proxy, options_.host, options_.port),
                   /*named_by=*/std::nullopt,
                   /*refuse_private=*/false,
                   options_.addresses_for,
                   options_.timeout,
                   [this](const std::string& trouble) { resolved(trouble); }},
        deadlines_{io_, options_.timeout} {
    go_through(options_.proxy, options_.host, options_.port, settings_);
    if (!options_.tls) return;
    tls_.emplace(options_.certificates, !sends && options_.may_speak_http2());
    settings_.tls = &*tls_;
  }

  Fetched run(std::string_view body = {}) {
    const auto now = std::chrono::steady_clock::now();
    connection_ = std::make_shared<Connection>(io_, settings_, *this);
    const RequestWriter writer(options_);
    writer.write(
        Request{
            .record = {}, .attempt = {}, .id = {}, .content_type = {}, .headers = {}, .body = body},
        connection_->request());
    deadlines_.start(*connection_, now);
    connection_->begin({}, now);
    addresses_.known(now) ? connection_->connect(addresses_.list()) : addresses_.lookup();
    while (!ended_ && io_.run_one() > 0) {
    }
    connection_->close();
    return std::move(fetched_);
  }

 private:
  void exchange_ended(Connection&, const Answer& answer) override {
    ended_ = true;
    fetched_ = {answer.status, std::string(answer.body), answer.trouble};
  }
  void idle_closed(Connection&) override {}
  bool established(Connection& connection) override {
    ended_ = true;
    const bool is_other = options_.tls && !connection.speaks_http2();
    if (options_.http2 == Http2::always && is_other) {
      fetched_.trouble = "the server does not choose HTTP/2, and http2 is always";
    }
    return false;
  }
  void connect_failed(const Endpoint&) override {}

  void resolved(const std::string& trouble) {
    trouble.empty() ? connection_->connect(addresses_.list())
                    : connection_->unresolvable(trouble, /*are_refused=*/false);
  }

  boost::asio::io_context io_{1};
  TargetOptions options_;
  std::optional<TlsContext> tls_;
  ConnectionSettings settings_;
  Addresses addresses_;
  Deadlines deadlines_;
  std::shared_ptr<Connection> connection_;
  Fetched fetched_;
  bool ended_ = false;
};

}  // namespace

Fetched fetch(TargetOptions options) {
  options.method = "GET";
  return Fetch(std::move(options), /*sends=*/true).run();
}

Fetched send(const TargetOptions& options, std::string_view body) {
  return Fetch(options, /*sends=*/true).run(body);
}

std::string reach(const TargetOptions& options) {
  return Fetch(options, /*sends=*/false).run().trouble;
}

}  // namespace einlass::http
