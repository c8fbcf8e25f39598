// The client over HTTP/2 against servers that are slow, silent, or give no room.
#include <gtest/gtest.h>

#include <atomic>

#include "adapters/http/http2_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;
using std::chrono::milliseconds;

TEST(Http2Silence, no_answer_ends_one_attempt_at_the_timeout_and_not_the_connection) {
  std::atomic<std::uint32_t> code = 0;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    const auto slow = peer.next_request().stream;
    for (auto one = peer.next_frame(); one; one = peer.next_frame()) {
      if (one->type == NGHTTP2_PING && one->flags == 0) {
        peer.send(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, one->payload);
      }
      if (one->type == NGHTTP2_RST_STREAM && one->stream == slow) {
        code = number_at(one->payload, 0, 4);
        peer.answer(slow, "204");  // Too late: nobody hears it.
      }
      if (one->type == NGHTTP2_HEADERS) peer.answer(one->stream, "204");
    }
  }));
  Http2World world(server);
  world.options.timeout = Duration::millis(200);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(200));
  EXPECT_EQ(world.trouble(), "no answer within 200ms" + world.peer);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(code, std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_EQ(world.events.size(), 2u);
  EXPECT_EQ(server.connections(), 1);
}

// One of several behind an address hangs, and what reads its socket still answers each PING.
TEST(Http2Silence, a_connection_on_which_nothing_is_answered_any_more_takes_no_more) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
      if (peer.peer().number > 1) peer.answer(one.stream, "204");
    }
  }));
  Http2World world(server);
  world.options.timeout = Duration::millis(300);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.deliver().outcome, Outcome::retry);
    EXPECT_EQ(world.trouble(), "no answer within 300ms" + world.peer);
  }
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(world.target().status().connections, 1u) << "nothing is left on the first one";
}

// Nothing comes back, not even for a PING: later attempts on it need not wait for all of their
// time.
TEST(Http2Silence, a_dead_connection_is_noticed_by_the_timeout_and_left) {
  std::atomic<int> pings = 0;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    const auto first = peer.next_request().stream;
    if (peer.peer().number > 1) peer.answer(first, "204");
    for (auto one = peer.next_frame(); one; one = peer.next_frame()) {
      if (one->type == NGHTTP2_PING) ++pings;
    }
  }));
  Http2World world(server);
  world.options.timeout = Duration::millis(400);
  const auto start = std::chrono::steady_clock::now();
  world.send();
  world.run_until([&] { return pings == 1; });
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(200));
  const auto second = std::chrono::steady_clock::now();
  world.send("");
  world.run_until_ended(2);
  const auto end = std::chrono::steady_clock::now();
  EXPECT_GE(end - start, milliseconds(400));
  EXPECT_LT(end - second, milliseconds(400)) << "it had a timeout of its own to wait for";
  EXPECT_EQ(world.ended(0).outcome, Outcome::retry);
  EXPECT_EQ(world.ended(1).outcome, Outcome::retry);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
  EXPECT_EQ(server.connections(), 2);
}

TEST(Http2Silence, a_window_of_nothing_holds_bodies_back_until_the_timeout_or_more_room) {
  constexpr std::uint16_t kWindow = NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE;
  std::atomic<bool> opens = false;
  ScriptedServer server(in_http2(
      [&](Http2Peer& peer) {
        peer.answer(peer.next_request().stream, "204");
        const auto first = peer.next_of(NGHTTP2_HEADERS)->stream;
        while (!opens) {
          const auto one = peer.next_frame();
          EXPECT_NE(one->type, NGHTTP2_DATA);
          if (one->type == NGHTTP2_PING) {
            peer.send(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, one->payload);
          }
          if (one->type == NGHTTP2_RST_STREAM && one->stream == first) opens = true;
        }
        peer.send_settings({{kWindow, 3}});
        for (auto request = peer.next_request(); request.stream != 0;
             request = peer.next_request()) {
          EXPECT_EQ(request.body, "of ten bytes");
          peer.answer(request.stream, "204");
        }
      },
      {{kWindow, 0}}));
  Http2World world(server);
  world.options.timeout = Duration::millis(300);
  EXPECT_EQ(world.deliver("").outcome, Outcome::accepted);
  EXPECT_EQ(world.deliver("of ten bytes").outcome, Outcome::retry);
  EXPECT_EQ(world.trouble(), "no answer within 300ms" + world.peer);
  EXPECT_EQ(world.deliver("of ten bytes").outcome, Outcome::accepted) << world.trouble();
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http2Silence, a_server_that_does_not_read_runs_into_the_timeout) {
  std::atomic<bool> over = false;
  ScriptedServer server([&](Peer& peer) {
    peer.write(frame(NGHTTP2_SETTINGS, 0, 0,
                     big_endian(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 2) + big_endian(1 << 30, 4)));
    peer.write(frame(NGHTTP2_WINDOW_UPDATE, 0, 0, big_endian(1 << 30, 4)));
    while (!over) std::this_thread::yield();
  });
  Http2World world(server);
  world.options.timeout = Duration::millis(200);
  const std::string large(32 * 1024 * 1024, 'x');
  world.send(large);
  world.send(large);
  world.run_until_ended(2);
  EXPECT_EQ(world.ended(0).outcome, Outcome::retry);
  EXPECT_EQ(world.ended(1).outcome, Outcome::retry);
  // One that had the connection for all of its time leaves no doubt.
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  world.run_until([&] { return world.target().status().connections == 0; });
  over = true;
}

TEST(Http2Silence, an_answer_before_the_whole_request_is_sent_counts) {
  std::atomic<std::uint32_t> code = 99;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    const auto early = peer.next_of(NGHTTP2_HEADERS)->stream;
    peer.answer(early, "413");
    code = number_at(peer.next_of(NGHTTP2_RST_STREAM)->payload, 0, 4);
    peer.answer(peer.next_request().stream, "204");
    peer.next_request();
  }));
  Http2World world(server);
  EXPECT_EQ(world.deliver(std::string(32 * 1024 * 1024, 'x')).outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(), "status 413");
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(code, std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http2Silence, a_server_that_allows_no_stream_runs_into_the_timeout) {
  ScriptedServer server(in_http2(
      [](Http2Peer& peer) {
        peer.answer(peer.next_request().stream, "204");
        peer.peer().wait_for_end();
      },
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0}}));
  Http2World world(server);
  world.options.timeout = Duration::millis(100);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.deliver().outcome, Outcome::retry);
    EXPECT_EQ(world.trouble(), "no free stream within 100ms" + world.peer);
  }
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace einlass::http::testing
