// Logs in at Kafka with access tokens, or with a password out of a file: gets another token before
// one expires, reads the file again, and hands each on to all the clients that log in with it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/client/login.h"
#include "app/setup/kafka_password.h"
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

  const std::shared_ptr<kafka::Login>& login() const { return login_; }

 private:
  void token_came(const http::TokenAnswer& answer);
  void failed(const std::string& why);
  void tell();

  const std::string path_;
  const Notify notify_;
  const std::shared_ptr<kafka::Login> login_ =
      std::make_shared<kafka::Login>(kafka::Login::By::token);
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

  // Asks for tokens from now on, whenever it is time to, and looks at files.
  void start();

  // Runs `io` until each has a token or has failed to get one. REQUIRES: started.
  void wait(Duration patience);

  // Null where the properties alone say how to log in.
  const std::shared_ptr<kafka::Login>& of_source() const { return source_; }
  const std::shared_ptr<kafka::Login>& of_target(std::size_t target) const {
    return targets_[target];
  }

 private:
  // The login of a config::Kafka or a config::KafkaTarget; null as above.
  template <class S>
  std::shared_ptr<kafka::Login> add(const std::string& section, const S& kafka,
                                    const Notify& notify);
  template <class S>
  std::shared_ptr<kafka::Login> add_tokens(const std::string& section, const S& kafka,
                                           const Notify& notify);
  std::shared_ptr<kafka::Login> add_password(const std::string& path,
                                             KafkaPassword::Written written, const Notify& notify);

  boost::asio::io_context& io_;
  std::vector<std::unique_ptr<KafkaLogin>> logins_;
  std::vector<std::unique_ptr<KafkaPassword>> passwords_;  // Each once.
  std::shared_ptr<kafka::Login> source_;
  std::vector<std::shared_ptr<kafka::Login>> targets_;  // By target; null where it is no Kafka.
  boost::asio::steady_timer tick_;
};

}  // namespace einlass::app
