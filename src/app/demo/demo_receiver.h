// The demo's server: takes what the gate delivers, and checks it as a stranger would.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "adapters/http/server/server.h"

namespace einlass::app {

class DemoReceiver {
 public:
  // What it has seen.
  struct Seen {
    std::uint64_t accepted = 0;
    std::uint64_t distinct = 0;
    std::uint64_t turned_away = 0;   // Answered 503 with Retry-After.
    std::uint64_t out_of_order = 0;  // Behind a later offset of its partition.
    std::size_t worst_window = 0;    // Most permits in any second, by the instants of the permits.
    std::size_t last_window = 0;     // In the second that ends with the newest permit.
  };

  explicit DemoReceiver(boost::asio::io_context& io);

  std::uint16_t port() const { return server_.port(); }
  const Seen& seen() const { return seen_; }

  // Answers the next request with 503 and `Retry-After: 1`.
  void be_busy_once() { busy_ = true; }

 private:
  http::ServerResponse take(const http::ServerRequest& request);
  void count_window(std::int64_t admitted_at);

  Seen seen_;
  bool busy_ = false;
  std::map<std::string, std::int64_t> newest_;  // Offset, by partition.
  std::set<std::pair<std::string, std::int64_t>> records_;
  std::deque<std::int64_t> window_;  // The permits' instants of the last second, rising.
  http::Server server_;
};

}  // namespace einlass::app
