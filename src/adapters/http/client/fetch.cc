#include "adapters/http/client/fetch.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/proxy.h"
#include "adapters/http/client/request_writer.h"
#include "adapters/http/client/single_exchange.h"
#include "adapters/http/client/tls.h"
#include "adapters/http/resolver/addresses.h"

namespace einlass::http {
namespace {

// A gate's own page on thousands of partitions is some MiB long.
constexpr std::size_t kMostBody = 64 * 1024 * 1024;

// Goes the way to a server until a request could be sent, and closes the connection there.
class Reach final : public ConnectionOwner {
 public:
  explicit Reach(TargetOptions options)
      : options_{std::move(options)},
        settings_{connection_settings(options_)},
        addresses_{io_,
                   first_hop(options_),
                   /*named_by=*/std::nullopt,
                   /*refuse_private=*/false,
                   options_.addresses_for,
                   options_.timeout,
                   [this](const std::string& trouble) { resolved(trouble); }},
        deadlines_{io_, options_.timeout} {
    settings_.http2 = true;
    if (!options_.tls) return;
    tls_.emplace(options_.certificates, options_.may_speak_http2());
    settings_.tls = &*tls_;
  }

  std::string run() {
    const auto now = std::chrono::steady_clock::now();
    connection_ = std::make_shared<Connection>(io_, settings_, *this);
    const RequestWriter writer(options_);
    writer.write(Request{}, connection_->request());
    deadlines_.start(*connection_, now);
    connection_->begin({}, now);
    addresses_.known(now) ? connection_->connect(addresses_.list()) : addresses_.lookup();
    while (!ended_ && io_.run_one() > 0) {
    }
    connection_->close();
    return std::move(trouble_);
  }

 private:
  void exchange_ended(Connection&, const Answer& answer) override {
    ended_ = true;
    trouble_ = answer.trouble;
  }
  void idle_closed(Connection&) override {}
  // Nothing is to be sent: that it stands is all that was asked.
  bool established(Connection& connection) override {
    ended_ = true;
    const bool is_other = options_.tls && !connection.speaks_http2();
    if (options_.http2 == Http2::always && is_other) {
      trouble_ = "the server does not choose HTTP/2, and http2 is always";
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
  std::string trouble_;
  bool ended_ = false;
};

}  // namespace

Fetched fetch(TargetOptions options) {
  options.method = "GET";
  return send(options, {});
}

Fetched send(const TargetOptions& options, std::string_view body) {
  boost::asio::io_context io(1);
  std::optional<Fetched> fetched;
  SingleExchange exchange(io, options, kMostBody);
  Request request{};
  request.body = body;
  exchange.begin(request, [&](const Answer& answer) {
    fetched = {answer.status, std::string(answer.body), answer.trouble};
  });
  while (!fetched && io.run_one() > 0) {
  }
  return fetched.value_or(Fetched{});
}

std::string reach(const TargetOptions& options) { return Reach(options).run(); }

}  // namespace einlass::http
