// Logs in at Kafka with access tokens: asks token servers for them before they expire, and hands
// each on to all the clients that log in with it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/login/token_client.h"
#include "adapters/kafka/client/tokens.h"
#include "app/setup/wiring.h"
#include "config/config.h"
#include "net/secret.h"
#include "net/token_renewal.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

// One `oauth` of the configuration. REQUIRES: outlived by `io`; used on the thread that runs it.
class KafkaLogin {
 public:
  // `path` is where it stands. Throws std::runtime_error if `ca_file` cannot be used. Says
  // "kafka_login_failing" and "kafka_login_ok" to `notify` when that changes.
  KafkaLogin(boost::asio::io_context& io, std::string path, const KafkaLoginOptions& options,
             Notify notify);

  // Asks where it is time to. To be called every now and then.
  void look();

  // Has a token, or has failed to get one.
  bool answered() const { return answered_; }

  const std::shared_ptr<kafka::Tokens>& tokens() const { return tokens_; }

 private:
  void token_came(const http::TokenAnswer& answer);
  void failed(const std::string& why);

  const std::string path_;
  const std::string client_id_;
  const Notify notify_;
  const std::shared_ptr<kafka::Tokens> tokens_ = std::make_shared<kafka::Tokens>();
  net::Secret secret_;
  http::TokenClient client_;
  net::TokenRenewal renewal_;
  std::string trouble_;  // As was told.
  bool answered_ = false;
};

// All that the configuration has. REQUIRES: as for KafkaLogin.
class KafkaLogins {
 public:
  // Throws ConfigRefused where KafkaLogin does not take its part of the configuration.
  KafkaLogins(boost::asio::io_context& io, const config::Config& config, const Notify& notify);

  // Asks for tokens from now on, whenever it is time to.
  void start();

  // Runs `io` until each has a token or has failed to get one. REQUIRES: started.
  void wait(Duration patience);

  // Null where no `oauth` holds.
  std::shared_ptr<kafka::Tokens> of_source() const;
  std::shared_ptr<kafka::Tokens> of_target(std::size_t target) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::shared_ptr<kafka::Tokens> at(std::size_t login) const;

  boost::asio::io_context& io_;
  std::vector<std::unique_ptr<KafkaLogin>> logins_;
  std::size_t source_ = kNone;        // Places in logins_.
  std::vector<std::size_t> targets_;  // By target.
  boost::asio::steady_timer tick_;
};

}  // namespace einlass::app
