// Hears at once what is published on one channel of a server, on a connection that does nothing
// else. What is published while there is none is not heard, and a message may be lost.
//
// Source: redis.io, "Redis Pub/Sub" (RESP2: a connection with a subscription takes only PING and
// the like, and answers with arrays).
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "adapters/redis/calls/open_calls.h"
#include "adapters/redis/client/store_options.h"
#include "adapters/redis/wire/connection.h"
#include "adapters/redis/wire/value.h"

namespace einlass::redis {

class Listener final : Connection::Observer {
 public:
  // Called from the loop: something was published, or listening has begun, or has ended. `in_vain`
  // is why it did not begin, without a secret; empty otherwise.
  using Heard = std::function<void(const std::string& in_vain)>;

  // `options` outlive it.
  Listener(boost::asio::io_context& io, const StoreOptions& options, std::string channel,
           Heard heard);
  ~Listener() { hang_up(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Listens to that server and to no other. To be called now and then: it connects again, later
  // and later while that is in vain, and asks a server that is silent for long whether it is there.
  void listen_to(const Address& server, Steady::time_point now);

  // Listens no more, until it is called for again.
  void hang_up();

  bool listening() const { return listening_; }

 private:
  void connect(const Address& server, Steady::time_point now);
  void watch_silence(Steady::time_point now);
  void opened() override;
  void received(std::span<const char> bytes) override;
  void lost(const std::string& why) override;
  void take(const Value& value);
  void end(const std::string& in_vain);

  boost::asio::io_context& io_;
  const StoreOptions& options_;
  const std::string channel_;
  const Heard heard_;
  Address server_;
  std::shared_ptr<Connection> connection_;  // Null between connections.
  std::unique_ptr<ValueReader> reader_;     // Of this connection.
  std::string password_;                    // That was sent with it; empty: none.
  bool listening_ = false;
  bool pinged_ = false;  // Since it was last heard.
  Steady::time_point last_read_{};
  Steady::time_point connect_at_{};  // Not before.
  Steady::duration delay_{};         // After the next failure.
};

}  // namespace einlass::redis
