// A TargetWorld that speaks HTTP/2 in the clear.
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/http2_peer.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {

struct Http2World : TargetWorld {
  explicit Http2World(const ScriptedServer& server) : TargetWorld(server.port()) {
    options.http2 = Http2::always;
    peer = " (127.0.0.1:" + std::to_string(server.port()) + ")";
  }

  // Keeps so many under way until `all` have ended.
  void deliver_many(std::uint32_t all, std::uint32_t at_a_time, std::string_view body = "{}") {
    run_until([&] {
      while (sent < all && sent < events.size() + at_a_time) send(body);
      return events.size() == all;
    });
    for (std::size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(ended(i).outcome, core::Outcome::accepted) << trouble();
    }
  }

  std::string peer;  // As notices name the server.
};

}  // namespace einlass::http::testing
