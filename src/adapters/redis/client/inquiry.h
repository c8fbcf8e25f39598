// One question to a server, on a connection of its own: connects, logs in, asks, hands on what it
// hears and hangs up. For what is asked rarely: who the master is, and who holds which slots.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/redis/client/login.h"
#include "adapters/redis/wire/connection.h"
#include "adapters/redis/wire/value.h"

namespace einlass::redis {

// Owned by a shared_ptr, which what is under way holds too.
class Inquiry final : public std::enable_shared_from_this<Inquiry>, Connection::Observer {
 public:
  // Called once, unless it is cancelled before: the answer, or null and why there is none. `why` is
  // a part of a sentence and holds no secret. To connect may take `limit`, and to answer as long.
  using Done = std::function<void(const Value* answer, const std::string& why)>;

  static std::shared_ptr<Inquiry> start(boost::asio::io_context& io, const Endpoint& server,
                                        const Login& login, std::span<const std::string_view> words,
                                        std::chrono::microseconds limit, Done done);

  // The same for one `command`, written out, of a node to which its slot is only on its way. What
  // that node says against the command is an answer.
  static std::shared_ptr<Inquiry> start_asking(boost::asio::io_context& io, const Endpoint& server,
                                               const Login& login, std::string_view command,
                                               std::chrono::microseconds limit, Done done);

  // Nothing more is heard of it.
  void cancel();

 private:
  Inquiry(boost::asio::io_context& io, const Login& login, std::chrono::microseconds limit,
          Done done);

  void open(boost::asio::io_context& io, const Endpoint& server);

  void opened() override;
  void received(std::span<const char> bytes) override;
  void lost(const std::string& why) override;
  void take(const Value& value);
  void end(const Value* answer, const std::string& why);

  std::shared_ptr<Connection> connection_;
  const std::chrono::microseconds limit_;
  boost::asio::steady_timer timer_;
  std::string question_;
  const std::string password_;  // Empty: no login.
  int to_come_;                 // Replies before the answer: to the login, to ASKING.
  bool errors_too_ = false;     // The answer may be one.
  ValueReader reader_;
  Done done_;
};

}  // namespace einlass::redis
