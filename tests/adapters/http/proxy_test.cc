// The client behind a proxy, which does to each connection what the test says.
#include <gtest/gtest.h>

#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

// The head that the client sends to the proxy.
std::string read_head(Peer& peer) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string more = peer.read_some();
    if (more.empty()) return head;
    head += more;
  }
  return head;
}

// A target somewhere that can only be reached by `proxy`.
std::unique_ptr<TargetWorld> behind(const ScriptedServer& proxy) {
  auto world = std::make_unique<TargetWorld>(1);
  world->options.host = "billing.example";
  world->options.port = 8080;
  world->options.proxy = {"127.0.0.1", proxy.port(), "", ""};
  return world;
}

std::string who(const ScriptedServer& proxy) {
  return " (proxy 127.0.0.1:" + std::to_string(proxy.port()) + ")";
}

TEST(Proxy, is_asked_for_a_way_and_then_the_target_is_spoken_to) {
  std::string asked, sent;
  ScriptedServer proxy([&](Peer& peer) {
    asked = read_head(peer);
    peer.write("HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\r\n");
    while (!(sent = peer.read_request()).empty() && peer.write(kNoContent)) {
      if (sent.ends_with("two")) return peer.wait_for_end();
    }
  });
  const auto world = behind(proxy);
  world->options.proxy.username = "gate";
  world->options.proxy.password = "open sesame";
  EXPECT_EQ(world->deliver("one").outcome, Outcome::accepted);
  EXPECT_EQ(world->deliver("two").outcome, Outcome::accepted);
  EXPECT_EQ(proxy.connections(), 1);
  world->destroy_target();
  EXPECT_EQ(asked,
            "CONNECT billing.example:8080 HTTP/1.1\r\nHost: billing.example:8080\r\n"
            "Proxy-Authorization: Basic Z2F0ZTpvcGVuIHNlc2FtZQ==\r\n\r\n");
  EXPECT_TRUE(sent.starts_with("POST /callback HTTP/1.1\r\nHost: billing.example:8080\r\n"))
      << sent;
  EXPECT_EQ(sent.find("Proxy-"), std::string::npos) << "the login is the proxy's alone";
}

TEST(Proxy, one_that_refuses_is_told_and_nothing_is_sent) {
  for (const std::string status : {"407 Proxy Authentication Required", "403 Forbidden"}) {
    std::string rest = "?";
    {
      ScriptedServer proxy([&](Peer& peer) {
        read_head(peer);
        peer.write("HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nno");
        rest = peer.read_some();
      });
      const auto world = behind(proxy);
      EXPECT_EQ(world->deliver().outcome, Outcome::retry);
      const std::string why =
          "the proxy refuses the way: status " + status.substr(0, 3) + who(proxy);
      EXPECT_EQ(world->trouble(), why);
      EXPECT_EQ(world->target().status().unusable, why);
      EXPECT_EQ(world->notices.at(0).what, "target_unusable");
    }
    EXPECT_EQ(rest, "");
  }
}

TEST(Proxy, one_that_cannot_reach_the_target_is_an_ordinary_failure) {
  ScriptedServer proxy(once_and_end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  const auto world = behind(proxy);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_EQ(world->target().status().unusable, "");
  EXPECT_EQ(world->trouble(), "the proxy refuses the way: status 502" + who(proxy));
}

TEST(Proxy, odd_ones_are_failed_attempts) {
  const std::pair<std::string, std::string> odd[] = {
      {"", "connection closed by the proxy"},
      {"SSH-2.0-x\r\n", "answer is not HTTP/1.1: bad version"},
      {"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
       "the proxy says more than it was asked"},
  };
  for (const auto& [bytes, why] : odd) {
    ScriptedServer proxy([&bytes = bytes](Peer& peer) {
      read_head(peer);
      peer.write(bytes);
      peer.end();
      peer.wait_for_end();
    });
    const auto world = behind(proxy);
    EXPECT_EQ(world->deliver().outcome, Outcome::retry);
    EXPECT_EQ(world->trouble(), why + who(proxy));
  }
}

TEST(Proxy, one_that_resets_the_connection_is_named) {
  ScriptedServer proxy([](Peer& peer) {
    read_head(peer);
    peer.reset();
  });
  const auto world = behind(proxy);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_EQ(world->trouble(), "connection reset by peer" + who(proxy));
}

TEST(Proxy, one_that_says_nothing_runs_into_the_timeout) {
  ScriptedServer proxy([](Peer& peer) { peer.wait_for_end(); });
  const auto world = behind(proxy);
  world->options.timeout = Duration::millis(60);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_EQ(world->trouble(), "no answer of the proxy 127.0.0.1:" + std::to_string(proxy.port()) +
                                  " within 60ms (billing.example:8080)");
}

}  // namespace
}  // namespace einlass::http::testing
