// GET /v1/events: what the live page shows, sent to everybody who listens, once a second.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/server/open_body.h"
#include "adapters/http/server/server.h"

namespace einlass::app {

// While nobody listens nothing is made; while many do, each event is made once. Whoever does not
// read in time is dropped and may come again.
// REQUIRES: used on the thread that runs `io`; outlived by it.
class Live {
 public:
  static constexpr std::size_t kMostListeners = 32;

  // Makes one event, now or later, and hands it to what it is given. One at a time.
  using Make = std::function<void(std::function<void(const std::string& json)>)>;

  Live(boost::asio::io_context& io, Make make);

  // The answer to one more listener, who is sent events for as long as `may` says so; 503 where
  // there are too many.
  http::ServerResponse listen(std::function<bool()> may);

 private:
  struct Listener {
    std::shared_ptr<http::OpenBody> body;
    std::function<bool()> may;
  };

  void make_after(std::chrono::milliseconds pause);
  void send(const std::string& json);

  const Make make_;
  boost::asio::steady_timer tick_;
  std::vector<Listener> listeners_;  // At most kMostListeners.
  bool making_ = false;
};

}  // namespace einlass::app
