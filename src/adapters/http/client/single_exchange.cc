#include "adapters/http/client/single_exchange.h"

#include <chrono>
#include <utility>

#include "adapters/http/client/proxy.h"
#include "units/check.h"

namespace einlass::http {

SingleExchange::SingleExchange(boost::asio::io_context& io, const TargetOptions& options,
                               std::size_t most_body)
    : io_{io},
      writer_{options},
      settings_{connection_settings(options)},
      addresses_{io,
                 first_hop(options),
                 /*named_by=*/std::nullopt,
                 /*refuse_private=*/false,
                 options.addresses_for,
                 options.timeout,
                 [this](const std::string& trouble) { resolved(trouble); }},
      deadlines_{io, options.timeout} {
  settings_.kept_body = {.of_2xx = most_body, .of_others = most_body};
  if (!options.tls) return;
  tls_.emplace(options.certificates);
  settings_.tls = &*tls_;
}

SingleExchange::~SingleExchange() {
  if (connection_) connection_->close();
}

void SingleExchange::look() {
  if (tls_) tls_->look();
  const bool waits = connection_ && connection_->is_resolving();
  if (waits && addresses_.lags(std::chrono::steady_clock::now())) {
    connection_->connect(addresses_.list());
  }
}

void SingleExchange::begin(const Request& request, Done done) {
  CHECK(!is_open());
  const auto now = std::chrono::steady_clock::now();
  done_ = std::move(done);
  connection_ = std::make_shared<Connection>(io_, settings_, *this);
  writer_.write(request, connection_->request());
  deadlines_.start(*connection_, now);
  connection_->begin({}, now);
  if (addresses_.known(now) || addresses_.lags(now)) {
    connection_->connect(addresses_.list());
  } else {
    addresses_.lookup();
  }
}

void SingleExchange::resolved(const std::string& trouble) {
  if (!connection_ || !connection_->is_resolving()) return;
  if (trouble.empty()) {
    connection_->connect(addresses_.list());
  } else {
    connection_->unresolvable(trouble, /*are_refused=*/false);
  }
}

void SingleExchange::exchange_ended(Connection& connection, const Answer& answer) {
  const auto ended = std::exchange(connection_, nullptr);
  const Done done = std::move(done_);
  done(answer);
  connection.close();
}

}  // namespace einlass::http
