#include "adapters/http/fetch.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "adapters/http/addresses.h"
#include "adapters/http/connection.h"
#include "adapters/http/request_writer.h"
#include "adapters/http/words.h"

namespace einlass::http {
namespace {

// One exchange on a connection that is closed after it.
class Fetch final : public ConnectionOwner {
 public:
  explicit Fetch(TargetOptions options)
      : options_{std::move(options)},
        settings_{.peer = host_and_port(options_.host, options_.port),
                  .timeout = in_words(options_.timeout),
                  .kept_body = {.of_2xx = kMaxAnswerBody, .of_others = kMaxAnswerBody}},
        addresses_{io_, Hop{options_.host, options_.port}, /*refuse_private=*/false,
                   options_.addresses_for,
                   [this](const std::string& trouble) { resolved(trouble); }},
        deadlines_{io_, options_.timeout} {}

  Fetched run() {
    const auto now = std::chrono::steady_clock::now();
    connection_ = std::make_shared<Connection>(io_, settings_, *this);
    const RequestWriter writer(options_);
    writer.write(
        Request{
            .record = {}, .attempt = {}, .id = {}, .content_type = {}, .headers = {}, .body = {}},
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
  bool established(Connection&) override { return true; }  // Only asked about HTTP/2.
  void connect_failed(const Endpoint&) override {}

  void resolved(const std::string& trouble) {
    trouble.empty() ? connection_->connect(addresses_.list())
                    : connection_->unresolvable(trouble, /*are_refused=*/false);
  }

  boost::asio::io_context io_{1};
  TargetOptions options_;
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
  return Fetch(std::move(options)).run();
}

}  // namespace einlass::http
