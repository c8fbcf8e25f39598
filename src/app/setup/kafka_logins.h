// Logs in at Kafka with access tokens: gets another before one expires, and hands each on to all
// the clients that log in with it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/client/tokens.h"
#include "app/setup/token_source.h"
#include "config/model/config.h"
#include "net/token_renewal.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

// One login with tokens of the configuration. REQUIRES: outlived by the io_context of its source;
// used on the thread that runs it.
class KafkaLogin {
 public:
  // Makes what it gets its tokens from, which tells it of them.
  using MakeSource = std::function<std::unique_ptr<TokenSource>(TokenSource::Done)>;

  // `path` is where it stands. Says "kafka_login_failing" and "kafka_login_ok" to `notify` when
  // that changes.
  KafkaLogin(std::string path, const MakeSource& make_source, Notify notify);

  // Asks where it is time to. To be called every now and then.
  void look();

  // Has a token, or has failed to get one.
  bool answered() const { return answered_; }

  const std::shared_ptr<kafka::Tokens>& tokens() const { return tokens_; }

 private:
  void token_came(const http::TokenAnswer& answer);
  void failed(const std::string& why);
  void tell();

  const std::string path_;
  const Notify notify_;
  const std::shared_ptr<kafka::Tokens> tokens_ = std::make_shared<kafka::Tokens>();
  const std::unique_ptr<TokenSource> source_;
  net::TokenRenewal renewal_;
  std::string token_trouble_;  // Why there is no newer token.
  std::string trouble_;        // As was told: that, or what will be of it.
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

  // Null where the properties say how to log in.
  std::shared_ptr<kafka::Tokens> of_source() const;
  std::shared_ptr<kafka::Tokens> of_target(std::size_t target) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The login of a config::Kafka or a config::KafkaTarget. REQUIRES: it logs in with tokens.
  template <class S>
  std::size_t add(const std::string& section, const S& kafka, const Notify& notify);
  std::shared_ptr<kafka::Tokens> at(std::size_t login) const;

  boost::asio::io_context& io_;
  std::vector<std::unique_ptr<KafkaLogin>> logins_;
  std::size_t source_ = kNone;        // Places in logins_.
  std::vector<std::size_t> targets_;  // By target.
  boost::asio::steady_timer tick_;
};

}  // namespace einlass::app
