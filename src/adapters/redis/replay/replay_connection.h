// A connection to Redis that is waited for: many commands out in one write, then their replies.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "adapters/redis/client/store_options.h"
#include "adapters/redis/wire/connection.h"
#include "adapters/redis/wire/reply_reader.h"

namespace einlass::redis {

class ReplayConnection final : Connection::Observer {
 public:
  // Without an answer for so long, it counts as lost.
  static constexpr std::chrono::seconds kPatience{10};

  // Of the options, only how the server is reached counts. `key` is one of those that will be
  // asked for, all of which live in one slot of a cluster.
  ReplayConnection(StoreOptions options, std::string key)
      : options_(std::move(options)), key_(std::move(key)) {}
  ~ReplayConnection();
  ReplayConnection(const ReplayConnection&) = delete;
  ReplayConnection& operator=(const ReplayConnection&) = delete;

  // Finds the server, connects, logs in and selects the database. False, with a sentence in
  // trouble(), if that does not work. May be called again after a connection was lost.
  bool open();
  bool is_open() const { return connection_ != nullptr; }

  // Where the commands of the next exchange() are appended.
  std::string& out() { return out_; }

  // Sends them and calls `take` with each of their `replies`. False, with a sentence in trouble(),
  // if they did not all come; the connection is closed then.
  bool exchange(std::size_t replies, const std::function<void(const Reply&)>& take);

  const std::string& trouble() const { return trouble_; }

  // The server's address, for a sentence.
  std::string where() const;

 private:
  void opened() override { opened_ = true; }
  void received(std::span<const char> bytes) override;
  void lost(const std::string& why) override;

  bool find_server();
  bool find_primary();
  bool find_holder();
  void wait_for_inquiry(const bool& over);

  bool wait(const std::function<bool()>& done);
  bool log_in();
  void give_up(const std::string& why);

  StoreOptions options_;
  std::string key_;
  Address server_;  // That is or was connected.
  boost::asio::io_context io_{1};
  std::shared_ptr<Connection> connection_;
  std::unique_ptr<ReplyReader> reader_;
  std::string out_;
  const std::function<void(const Reply&)>* take_ = nullptr;
  std::size_t missing_ = 0;  // Replies.
  bool opened_ = false;
  std::string trouble_;
};

}  // namespace einlass::redis
