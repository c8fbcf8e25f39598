#include "app/pages/live.h"

#include <chrono>
#include <utility>

namespace einlass::app {

using std::chrono::milliseconds;

Live::Live(boost::asio::io_context& io, Make make) : make_(std::move(make)), tick_(io) {}

http::ServerResponse Live::listen(std::function<bool()> may) {
  http::ServerResponse response;
  if (listeners_.size() >= kMostListeners) {
    response.status = 503;
    response.body = "as many live pages as may be are open already; close one and try again\n";
    return response;
  }
  response.content_type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  response.open_body = std::make_shared<http::OpenBody>();
  listeners_.push_back({response.open_body, std::move(may)});
  // Not before this one is answered with. Who is not the first waits for the others' next event.
  if (listeners_.size() == 1) make_after(milliseconds(0));
  return response;
}

void Live::make_after(milliseconds pause) {
  tick_.expires_after(pause);
  tick_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || std::exchange(making_, true)) return;
    make_([this](const std::string& json) {
      making_ = false;
      send(json);
    });
  });
}

void Live::send(const std::string& json) {
  const std::string event = "data: " + json + "\n\n";
  std::erase_if(listeners_, [&](const Listener& one) {
    if (one.may()) return !one.body->write(event);
    one.body->end();
    return true;
  });
  if (!listeners_.empty()) make_after(milliseconds(1000));
}

}  // namespace einlass::app
