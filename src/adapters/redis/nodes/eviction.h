// Whether a server throws keys away when its memory is full. A limit whose key is gone starts over,
// quotas and pauses end, and nothing else tells of it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/client/store_options.h"
#include "adapters/redis/nodes/sentinels.h"

namespace einlass::redis {

// The maxmemory-policy by which it does so, from its answer to INFO memory; empty where it keeps
// what it has, or does not say.
std::string read_eviction(std::string_view info);

// Asks once, on a connection of its own: the server; or the primary that Sentinels name; or of a
// cluster the node that the options name. REQUIRES: used on the thread that runs `io`.
class Eviction {
 public:
  // Called once it is known: what is wrong, as a sentence; empty: nothing. A login that may not ask
  // hears of nothing.
  using Done = std::function<void(const std::string& trouble)>;

  // Without an answer it asks again every kAgain, until it is gone.
  static constexpr std::chrono::seconds kAgain{10};

  Eviction(boost::asio::io_context& io, StoreOptions options, Done done);
  ~Eviction();
  Eviction(const Eviction&) = delete;
  Eviction& operator=(const Eviction&) = delete;

 private:
  void find();
  void ask(const Address& server);
  void answered(const Address& server, const Value* answer, const std::string& why);
  void find_later();

  boost::asio::io_context& io_;
  const StoreOptions options_;
  const Done done_;
  std::optional<Sentinels> sentinels_;
  std::shared_ptr<Inquiry> inquiry_;
  boost::asio::steady_timer again_;
};

}  // namespace einlass::redis
