// What tests of several servers share.
#pragma once

#include <atomic>
#include <string_view>

#include "adapters/http/target_world.h"

namespace einlass::http::testing {

// Answers as `answer` is at the time, and counts.
struct Counting {
  ScriptedServer server{[this](Peer& peer) {
    while (!peer.read_request().empty()) {
      ++requests;
      if (!peer.write(works ? kNoContent : "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")) return;
    }
  }};
  std::atomic<int> requests{0};
  std::atomic<bool> works{true};
};

inline Request request_with(TargetWorld& world, std::string_view key, std::string_view host = {}) {
  ++world.sent;
  Request request{};
  request.record = {world.sent, 1};
  request.attempt = {world.sent + 100};
  request.key = key;
  request.host = host;
  request.body = "{}";
  return request;
}

inline core::DeliveryEnded deliver(TargetWorld& world, std::string_view key,
                                   std::string_view host = {}) {
  const std::size_t before = world.events.size();
  world.target().send(request_with(world, key, host));
  world.run_until_ended(before + 1);
  return world.ended(before);
}

}  // namespace einlass::http::testing
