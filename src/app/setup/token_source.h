// Where the tokens come from with which clients log in at Kafka.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "adapters/http/login/token_answer.h"
#include "app/setup/wiring.h"

namespace einlass::app {

// REQUIRES: outlived by its io_context; used on the thread that runs it.
class TokenSource {
 public:
  using Done = std::function<void(const http::TokenAnswer&)>;

  virtual ~TokenSource() = default;

  // Gets one; ends in Done, perhaps before this returns. REQUIRES: !is_asking().
  virtual void ask() = 0;
  virtual bool is_asking() const = 0;

  // Reads files again that have changed. True if asking may end otherwise than the last time.
  virtual bool look() = 0;

  // Why a file that has changed is not used, while what stood there before is; empty if it is.
  virtual std::string trouble() const = 0;

  // Brokers have refused the last one.
  virtual void was_refused() = 0;

  // As whom it logs in, for librdkafka, which shows it to nobody.
  virtual std::string principal() const = 0;

  // "token from login.example:443": what there is none of, in messages.
  virtual std::string in_words() const = 0;
};

// Throw std::runtime_error if the options cannot be used.
std::unique_ptr<TokenSource> oauth_tokens(boost::asio::io_context& io,
                                          const KafkaLoginOptions& options, TokenSource::Done done);
std::unique_ptr<TokenSource> msk_tokens(boost::asio::io_context& io, const MskLoginOptions& options,
                                        TokenSource::Done done);

}  // namespace einlass::app
