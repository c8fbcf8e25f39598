// A conversation with the server that has a key: commands in order, each answered by a value of any
// shape. For what is asked now and then and may wait; limits are asked through store.h.
//
// One connection, made when it is needed: to the server of the options, to the primary that
// Sentinels name, or to the node of a cluster that others send us to. What was of no use is passed
// over the next time: another Sentinel is asked, or another node of the cluster.
//
// While a cluster moves a slot, what is not at its node any more is asked at the next one, each
// command on a connection of its own: what has not moved yet would read as empty there.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/client/store_options.h"
#include "adapters/redis/nodes/sentinels.h"
#include "adapters/redis/wire/connection.h"
#include "adapters/redis/wire/value.h"

namespace einlass::redis {

// Owned by a shared_ptr, which what is under way holds too.
class Talk final : public std::enable_shared_from_this<Talk>, Connection::Observer {
 public:
  // Commands that wait for their answers, at most.
  static constexpr std::size_t kMostOpen = 1'000;

  // Called once, unless close() comes before: the answer, or null and why there is none, as a
  // sentence without a secret. A command without an answer may have been carried out. Each has
  // options.timeout, which begins when the connection is open.
  using Done = std::function<void(const Value* answer, const std::string& why)>;

  // `options` outlive it.
  Talk(boost::asio::io_context& io, const StoreOptions& options);

  // Commands that are asked in one handler leave together. One that fails takes those behind it
  // along, and the next one begins on a new connection. Where the server only refuses a write, or
  // what a key holds, no other command ends.
  void ask(std::span<const std::string_view> words, Done done);

  // How many connections there were so far: with each new one another server may answer.
  std::uint64_t connections() const { return connections_; }

  // Of the answer that is being told: the other node that gave it, to which the slot is on its way.
  const std::optional<Address>& asked_at() const { return asked_at_; }

  // Nothing more is heard of it.
  void close();

 private:
  struct Open {
    std::string command;
    bool writes = false;  // Which only scripts do.
    Done done;
    std::optional<Value> answer;  // That came, while one before it is asked elsewhere.
  };

  // What is said on a connection before anything is asked.
  enum class Greeting : std::uint8_t { login, database, role, slots };

  void connect();
  void look_for_primary();
  void connect_to(const Address& address);
  void greet(Greeting greeting, std::initializer_list<std::string_view> words);
  bool greeted(Greeting greeting, const Value& value);
  void watch();
  void opened() override;
  void received(std::span<const char> bytes) override;
  void lost(const std::string& why) override;
  bool ends_alone(Reaction reaction) const;
  bool take(const Value& value);
  bool follow(std::string_view error);
  std::optional<Redirection> sent_once(const Value& value) const;
  void tell();
  void tell_first(const Value* answer, const std::string& why);
  void ask_once(const Redirection& to);
  void hang_up();
  void fail(const std::string& why);
  void end(const std::string& why);

  boost::asio::io_context& io_;
  const StoreOptions& options_;
  std::unique_ptr<Sentinels> sentinels_;  // Null without them.
  std::optional<Address> moved_to_;       // Of a cluster: who has the key, ...
  std::vector<Address> nodes_;            // ... its primaries, as one of them told last, ...
  std::size_t asked_first_ = 0;           // ... and who is asked first: 0 is that of the options.
  int redirections_ = 0;                  // Since the last answer.
  Address address_;                       // That is connected, or was last.
  std::shared_ptr<Connection> connection_;
  std::unique_ptr<ValueReader> reader_;  // Of this connection.
  std::string password_;                 // That was sent at the last login; empty: none.
  std::deque<Greeting> greetings_;       // Whose replies are still to come.
  std::uint64_t connections_ = 0;
  std::chrono::steady_clock::time_point looked_{};  // For the primary.
  bool open_ = false;                               // Connected; what is asked may be sent.
  std::deque<Open> asked_;                          // In order; sent where open_.
  std::size_t answered_ = 0;                        // Of these, from the first on.
  boost::asio::steady_timer limit_;                 // Of the first that is not.
  std::shared_ptr<Inquiry> inquiry_;                // The first, at another node.
  std::optional<Address> asked_at_;
  bool closed_ = false;
};

}  // namespace einlass::redis
