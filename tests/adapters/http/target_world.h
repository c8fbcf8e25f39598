// A Target with the loop around it that the gate would be.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/scripted_server.h"
#include "adapters/http/target/target.h"

namespace einlass::http::testing {

inline constexpr std::string_view kNoContent = "HTTP/1.1 204 No Content\r\n\r\n";

class TargetWorld {
 public:
  explicit TargetWorld(std::uint16_t port) {
    options.name = "billing";
    options.host = "127.0.0.1";
    options.port = port;
    options.path = "/callback";
  }

  Target& target() {
    if (!target_) {
      target_ = std::make_unique<Target>(io, options, events, [this](const Notice& n) {
        (n.severity == Severity::debug ? steps : notices).push_back(n);
      });
      target_->start(core::TargetId{3});
    }
    return *target_;
  }

  void send(std::string_view body = "{}", std::vector<RequestHeader> headers = {},
            std::string_view host = {}) {
    ++sent;
    target().send(Request{.record = {sent, 1},
                          .attempt = {sent + 100},
                          .host = host,
                          .id = "results-3-7",
                          .content_type = {},
                          .headers = headers,
                          .body = body});
  }

  // Runs until that many attempts have ended in all, at most ten seconds.
  void run_until_ended(std::size_t count) {
    run_until([&] { return events.size() >= count; });
  }

  template <class Condition>
  void run_until(Condition condition) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < give_up) {
      if (io.run_one_for(std::chrono::milliseconds(5)) == 0) io.restart();
      take_ready();
    }
    EXPECT_TRUE(condition()) << "gave up waiting";
  }

  // Sends one request and says how it ended.
  core::DeliveryEnded deliver(std::string_view body = "{}",
                              std::vector<RequestHeader> headers = {}) {
    const std::size_t before = events.size();
    send(body, std::move(headers));
    EXPECT_EQ(events.size(), before) << "an attempt ended inside send()";
    run_until_ended(before + 1);
    return events.size() > before ? ended(before) : core::DeliveryEnded{};
  }

  // Takes it out of the events, and counts how often it was said.
  void take_ready() {
    ready += std::erase_if(events, [](const core::Event& event) {
      return std::holds_alternative<core::TargetReady>(event);
    });
  }

  core::DeliveryEnded ended(std::size_t i) const {
    return std::get<core::DeliveryEnded>(events.at(i));
  }

  std::string trouble() { return target().status().trouble; }

  void destroy_target() { target_.reset(); }

  TargetOptions options;
  boost::asio::io_context io{1};
  core::Events events;
  std::vector<Notice> notices;
  std::vector<Notice> steps;  // What is said at debug.
  std::uint32_t sent = 0;
  std::size_t ready = 0;

 private:
  std::unique_ptr<Target> target_;
};

// Replaces the world's by it, as a reload does, and sends it a request.
inline void take_over_and_send(Target& another, TargetWorld& world) {
  another.take_over(world.target());
  another.start(core::TargetId{4});
  another.send(Request{.record = {9, 1},
                       .attempt = {1},
                       .id = "results-3-7",
                       .content_type = {},
                       .headers = {},
                       .body = "{}"});
}

// Answers every request on a connection with the same bytes.
inline ScriptedServer::Script always(std::string answer) {
  return [answer = std::move(answer)](Peer& peer) {
    while (!peer.read_request().empty()) peer.write(answer);
  };
}

// Answers the first request with these bytes, ends the connection, and waits for the client to go.
inline ScriptedServer::Script once_and_end(std::string answer) {
  return [answer = std::move(answer)](Peer& peer) {
    peer.read_request();
    peer.write(answer);
    peer.end();
    peer.wait_for_end();
  };
}

}  // namespace einlass::http::testing
