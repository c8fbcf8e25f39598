// A target whose servers the records name.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/origins_world.h"
#include "adapters/http/target/origins.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

TEST(HostOfTheRecord, is_called_once_it_may_be) {
  Counting a;
  TargetWorld world(a.server.port());
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  EXPECT_EQ(deliver(world, "k", "127.0.0.1").outcome, Outcome::accepted);
  EXPECT_EQ(deliver(world, "k", "localhost").outcome, Outcome::accepted);
  EXPECT_EQ(deliver(world, "k", "127.0.0.1").outcome, Outcome::accepted);
  EXPECT_EQ(a.server.connections(), 2) << "each host keeps its connection";
  world.destroy_target();
}

TEST(HostOfTheRecord, what_they_leave_idle_is_closed_beyond_twice_what_may_be_in_flight) {
  Counting a;
  TargetWorld world(a.server.port());
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  world.options.max_in_flight = 1;
  for (const char* host : {"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1"}) {
    EXPECT_EQ(deliver(world, "k", host).outcome, Outcome::accepted);
  }
  EXPECT_EQ(a.server.connections(), 5);
  world.run_until([&] { return world.target().status().connections <= 2; });
  EXPECT_EQ(world.target().status().connections, 2u);
  EXPECT_EQ(deliver(world, "k", "0x7f.0.0.1").outcome, Outcome::accepted);
  EXPECT_EQ(a.server.connections(), 5) << "the one that was used last is left";
  world.destroy_target();
}

TEST(HostOfTheRecord, private_ones_are_refused_however_they_are_written) {
  Counting a;
  TargetWorld world(a.server.port());
  world.options.host = "";
  world.options.host_of_record = true;
  for (const char* host : {"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "0"}) {
    const core::DeliveryEnded ended = deliver(world, "k", host);
    EXPECT_EQ(ended.outcome, Outcome::refused) << host;
    EXPECT_FALSE(ended.asked) << host;
    EXPECT_EQ(ended.status, 0u);
    EXPECT_NE(ended.reason.find("is at a private address ("), std::string::npos) << ended.reason;
  }
  EXPECT_EQ(a.server.connections(), 0);
  EXPECT_EQ(world.target().status().unusable, "");
}

TEST(HostOfTheRecord, what_one_asks_for_holds_its_own_records_and_no_others) {
  std::atomic<int> asked{0}, others{0};
  ScriptedServer server([&](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      const bool asks = request.find("\r\nHost: localhost:") != std::string::npos;
      ++(asks ? asked : others);
      peer.write(asks ? "HTTP/1.1 429 Slow\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
                      : kNoContent);
    }
  });
  TargetWorld world(server.port());
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  const core::DeliveryEnded first = deliver(world, "k", "localhost");
  EXPECT_EQ(first.outcome, Outcome::retry);
  EXPECT_FALSE(first.hold_target) << "though no other host is known yet";
  EXPECT_EQ(first.wait, Duration::seconds(3600));
  EXPECT_TRUE(first.counts);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(deliver(world, "k", "127.0.0.1").outcome, Outcome::accepted);
    const core::DeliveryEnded again = deliver(world, "k", "localhost");
    EXPECT_EQ(again.outcome, Outcome::retry);
    EXPECT_FALSE(again.counts);
    EXPECT_FALSE(again.asked);
    EXPECT_GT(again.wait, Duration::seconds(3500));
    EXPECT_LE(again.wait, Duration::seconds(3600));
    EXPECT_EQ(again.reason, "its host asked for a pause (Retry-After)");
  }
  world.destroy_target();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(others, 3);
}

TEST(HostOfTheRecord, one_that_fails_is_shut_for_its_own_records_and_no_others) {
  std::atomic<int> failed{0}, others{0};
  std::atomic<bool> works{false};
  ScriptedServer server([&](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      const bool fails = request.find("\r\nHost: localhost:") != std::string::npos;
      ++(fails ? failed : others);
      if (fails && !works) return;
      peer.write(kNoContent);
    }
  });
  TargetWorld world(server.port());
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  world.options.breaker = {.failures = 3, .wait = Duration::millis(300)};
  // As many as open its breaker, and the first probe.
  for (int i = 0; i < 4; ++i) {
    const core::DeliveryEnded ended = deliver(world, "k", "localhost");
    EXPECT_TRUE(ended.asked && ended.sent);
  }
  const core::DeliveryEnded shut = deliver(world, "k", "localhost");
  EXPECT_EQ(shut.outcome, Outcome::retry);
  EXPECT_FALSE(shut.counts);
  EXPECT_FALSE(shut.asked);
  EXPECT_FALSE(shut.sent);
  EXPECT_GT(shut.wait, Duration{});
  EXPECT_LE(shut.wait, Duration::millis(300));
  EXPECT_EQ(shut.reason,
            "its host has failed too often in a row, and is probed by one record at a time");
  EXPECT_EQ(failed, 4);
  EXPECT_EQ(deliver(world, "k", "127.0.0.1").outcome, Outcome::accepted);
  works = true;
  bool open = false;
  world.run_until([&] {
    open = open || deliver(world, "k", "localhost").outcome == Outcome::accepted;
    return open;
  });
  EXPECT_EQ(failed, 5) << "the next probe opens it for all";
  EXPECT_EQ(deliver(world, "k", "localhost").outcome, Outcome::accepted);
  world.destroy_target();
}

// Hangs up on bad ones and takes the others, for a host that records name.
struct HangsUpOnBad {
  ScriptedServer server{[](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      if (request.find("bad") != std::string::npos) return;
      peer.write(kNoContent);
    }
  }};
  TargetWorld world{server.port()};

  HangsUpOnBad() {
    world.options.host = "";
    world.options.host_of_record = true;
    world.options.allow_private = true;
    world.options.breaker = {.failures = 3, .wait = Duration::millis(300)};
  }
  core::DeliveryEnded deliver(std::string_view body, std::optional<Duration> failed_ago = {}) {
    Request request = request_with(world, "k", "127.0.0.1");
    request.body = body;
    request.failed_ago = failed_ago;
    const std::size_t before = world.events.size();
    world.target().send(request);
    world.run_until_ended(before + 1);
    return world.ended(before);
  }
  // Turns the loop for so long.
  void pass(Duration time) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(time.us);
    world.run_until([&] { return std::chrono::steady_clock::now() >= end; });
  }
};

TEST(HostOfTheRecord, a_record_that_failed_while_others_were_answered_shuts_it_for_nobody) {
  HangsUpOnBad host;
  EXPECT_EQ(host.deliver("good").outcome, Outcome::accepted);
  host.pass(core::BreakerOptions{}.silence);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(host.deliver("bad", Duration::seconds(60)).asked);
  EXPECT_EQ(host.deliver("good").outcome, Outcome::accepted);
  host.pass(core::BreakerOptions{}.silence);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(host.deliver("bad").asked) << "but those are others";
  EXPECT_TRUE(host.deliver("bad").asked) << "the probe";
  EXPECT_FALSE(host.deliver("good").asked);
  host.world.destroy_target();
}

TEST(HostOfTheRecord, it_is_probed_by_a_record_that_has_not_failed_if_there_is_one) {
  HangsUpOnBad host;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(host.deliver("bad").asked);
  const core::DeliveryEnded failed = host.deliver("bad", Duration::millis(1));
  const core::DeliveryEnded fresh = host.deliver("good");
  EXPECT_FALSE(failed.asked);
  EXPECT_FALSE(fresh.asked);
  EXPECT_GE(failed.wait, fresh.wait + Duration::millis(90));
  host.pass(fresh.wait);
  EXPECT_FALSE(host.deliver("bad", Duration::millis(300)).asked);
  EXPECT_EQ(host.deliver("good").outcome, Outcome::accepted);
  EXPECT_TRUE(host.deliver("bad", Duration::millis(300)).asked);
  host.world.destroy_target();
}

// It asked for an hour, and must not be asked sooner because many others are named.
TEST(HostOfTheRecord, one_that_asked_for_time_is_not_forgotten_for_others) {
  ScriptedServer server([](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      const bool asks = request.find("\r\nHost: localhost:") != std::string::npos;
      peer.write(asks ? "HTTP/1.1 429 Slow\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
                      : kNoContent);
    }
  });
  TargetWorld world(server.port());
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  EXPECT_TRUE(deliver(world, "k", "localhost").asked);
  for (std::size_t i = 0; i < kMostHosts + 8; ++i) {
    const std::string host = "127.0." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1);
    deliver(world, "k", host);
  }
  EXPECT_FALSE(deliver(world, "k", "localhost").asked);
  world.destroy_target();
}

TEST(HostOfTheRecord, too_many_at_a_time_wait) {
  ScriptedServer silent([](Peer& peer) { peer.wait_for_end(); });
  TargetWorld world(silent.port());
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  world.options.max_in_flight = kMostHosts + 8;
  for (std::size_t i = 0; i < kMostHosts; ++i) {
    const std::string host = "127.0.1." + std::to_string(i % 250 + 1) + (i < 250 ? "" : "0");
    world.target().send(
        request_with(world, "k", i < 250 ? host : "127.0.2." + std::to_string(i % 250 + 1)));
  }
  EXPECT_TRUE(world.events.empty());
  EXPECT_EQ(deliver(world, "k", "127.0.3.1").outcome, Outcome::retry);
  EXPECT_FALSE(world.ended(0).counts);
  world.destroy_target();
}

TEST(HostOfTheRecord, what_only_people_can_repair_brings_no_record_nearer_to_its_dead_letter) {
  ScriptedServer proxy(once_and_end("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"));
  TargetWorld world(80);
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  world.options.proxy = {"127.0.0.1", proxy.port(), "", ""};
  const core::DeliveryEnded ended = deliver(world, "k", "billing.example");
  EXPECT_EQ(ended.outcome, Outcome::retry);
  EXPECT_FALSE(ended.counts);
  EXPECT_EQ(world.target().status().unusable, "");
  world.destroy_target();
}

}  // namespace
}  // namespace einlass::http::testing
