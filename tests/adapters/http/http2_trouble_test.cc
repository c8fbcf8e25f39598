// The client over HTTP/2 against servers that leave, refuse, or do not keep to the rules: each
// attempt ends exactly once, and nothing is lost.
#include <gtest/gtest.h>

#include <atomic>

#include "adapters/http/http2_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

// One attempt that fails with this trouble, and one after it that works: on a second connection, or
// where `same_connection` is set, on the first.
void expect_trouble(const std::function<void(Http2Peer&, std::uint32_t stream)>& misbehave,
                    const std::string& trouble, bool same_connection = false) {
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    if (peer.peer().number == 1) misbehave(peer, peer.next_request().stream);
    for (auto stream = peer.next_request().stream; stream != 0;
         stream = peer.next_request().stream) {
      peer.answer(stream, "204");
    }
  }));
  Http2World world(server);
  world.options.timeout = Duration::seconds(5);
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.trouble(), trouble);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
  EXPECT_EQ(world.events.size(), 2u);
  EXPECT_EQ(server.connections(), same_connection ? 1 : 2);
}

TEST(Http2Trouble, a_stream_that_is_reset_is_a_failed_attempt_and_the_connection_goes_on) {
  const std::pair<std::uint32_t, const char*> resets[] = {
      {NGHTTP2_REFUSED_STREAM, "stream reset: REFUSED_STREAM"},
      {NGHTTP2_ENHANCE_YOUR_CALM, "stream reset: ENHANCE_YOUR_CALM"},
      {NGHTTP2_CANCEL, "stream reset: CANCEL"},
      {NGHTTP2_NO_ERROR, "stream reset: NO_ERROR"}};
  for (const auto& [code, trouble] : resets) {
    expect_trouble([code = code](Http2Peer& peer, auto stream) { peer.reset(stream, code); },
                   trouble, true);
  }
}

TEST(Http2Trouble, a_stream_that_is_reset_in_the_middle_of_its_answer_is_a_failed_attempt) {
  expect_trouble(
      [](Http2Peer& peer, auto stream) {
        peer.answer(stream, "200", {}, false);
        peer.data(stream, "half of it", false);
        peer.reset(stream, NGHTTP2_INTERNAL_ERROR);
      },
      "stream reset: INTERNAL_ERROR", true);
}

TEST(Http2Trouble, answers_beyond_the_bounds_end_their_stream_only) {
  expect_trouble(
      [](Http2Peer& peer, auto stream) {
        peer.answer(stream, "200", {{"x", std::string(15'500, 'x')}, {"y", std::string(800, 'y')}});
      },
      "answer with too large headers", true);
  expect_trouble(
      [](Http2Peer& peer, auto stream) {
        for (int i = 0; i < 17; ++i) peer.answer(stream, "103", {}, false);
      },
      "answer with too many interim answers", true);
  expect_trouble(
      [](Http2Peer& peer, auto stream) {
        peer.answer(stream, "500", {}, false);
        peer.body(stream, std::string(1100 * 1000, 'x'));
      },
      "answer too large", true);
}

// Two that are too long, whose streams the client gives up, and one after them.
void answer_at_length(Http2Peer& peer) {
  for (int i = 0; i < 2; ++i) {
    const auto stream = peer.next_request().stream;
    peer.answer(stream, "200", {}, false);
    if (peer.body(stream, std::string(1100 * 1000, 'x'))) peer.next_of(NGHTTP2_RST_STREAM);
  }
  peer.answer(peer.next_request().stream, "204");
  peer.next_frame();
}

TEST(Http2Trouble, an_answer_of_2xx_is_accepted_however_long_its_body_is) {
  ScriptedServer server(in_http2(answer_at_length));
  Http2World world(server);
  for (const unsigned status : {200u, 200u, 204u}) {
    const auto ended = world.deliver();
    EXPECT_EQ(ended.outcome, Outcome::accepted) << world.trouble();
    EXPECT_EQ(ended.status, status);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http2Trouble, an_answer_of_2xx_whose_body_decides_has_to_fit) {
  ScriptedServer server(in_http2(answer_at_length));
  Http2World world(server);
  world.options.answers.by_body = {{"/ok", "true", Outcome::accepted}};
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.trouble(), "answer too large");
}

TEST(Http2Trouble, an_answer_that_is_none_is_a_failed_attempt) {
  const std::string kBroken = "answer is not HTTP/2: Violation in HTTP messaging rule";
  const std::string kInvalid = "answer is not HTTP/2: Invalid HTTP header field was received";
  const std::pair<Http2Fields, std::string> wrong[] = {
      {{{":status", "20"}}, kInvalid},
      {{{":status", "099"}}, "answer with a status below 100"},
      {{{"x", "no status"}}, kBroken},
      {{{":status", "200"}, {"Upper", "case"}}, kInvalid},
      {{{":status", "200"}, {"content-length", "5"}}, kBroken}};
  for (const auto& [fields, trouble] : wrong) {
    expect_trouble(
        [&fields = fields](Http2Peer& peer, auto stream) {
          peer.send(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, stream,
                    header_block(fields));
        },
        trouble, true);
  }
}

TEST(Http2Trouble, a_head_of_more_than_a_megabyte_is_refused_and_the_connection_goes_on) {
  ScriptedServer server(always_in_http2("204"));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  const std::string large((1 << 20) + 1, '\x7e');
  const auto refused = world.deliver("{}", {{"x-large", large}});
  EXPECT_EQ(refused.outcome, Outcome::refused);
  EXPECT_TRUE(refused.too_large);
  EXPECT_FALSE(refused.asked);
  EXPECT_EQ(world.trouble(), "request with headers too large for HTTP/2");
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 1);
}

// What lies above the last stream that the server will answer goes to another connection within the
// same attempt; what lies below gets its answer.
TEST(Http2Trouble, a_server_that_leaves_answers_what_it_has_taken_and_the_rest_goes_elsewhere) {
  std::atomic<int> came = 0;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    if (peer.peer().number == 1) {
      const auto first = peer.next_request().stream;
      while (came < 3) {
        peer.next_request();
        ++came;
      }
      peer.go_away(first, NGHTTP2_NO_ERROR);
      peer.answer(first, "204");
    }
    for (auto stream = peer.next_request().stream; stream != 0;
         stream = peer.next_request().stream) {
      peer.answer(stream, "204");
    }
  }));
  Http2World world(server);
  for (int i = 0; i < 4; ++i) world.send();
  world.run_until_ended(4);
  EXPECT_EQ(came, 3);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(world.ended(i).outcome, Outcome::accepted) << i;
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.events.size(), 5u);
  EXPECT_EQ(server.connections(), 2);
  world.run_until([&] { return world.target().status().connections == 1; });
}

TEST(Http2Trouble, a_server_that_leaves_again_and_again_is_a_failed_attempt_in_the_end) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    peer.next_request();
    peer.go_away(0, NGHTTP2_NO_ERROR);
    peer.peer().wait_for_end();
  }));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(server.connections(), 3);
  EXPECT_EQ(world.trouble(), "the server left without an answer");
}

TEST(Http2Trouble, a_server_that_leaves_for_a_reason_is_not_asked_again_at_once) {
  expect_trouble(
      [](Http2Peer& peer, auto) {
        peer.go_away(0, NGHTTP2_ENHANCE_YOUR_CALM);
        peer.peer().wait_for_end();
      },
      "the server ended the connection: ENHANCE_YOUR_CALM");
}

TEST(Http2Trouble, a_connection_that_dies_fails_all_that_was_on_it_once) {
  for (const bool resets : {false, true}) {
    ScriptedServer server(in_http2([&](Http2Peer& peer) {
      for (int i = 0; i < 5; ++i) peer.next_request();
      if (resets) {
        peer.peer().reset();
      } else {
        peer.peer().end();
      }
      peer.peer().wait_for_end();
    }));
    Http2World world(server);
    for (int i = 0; i < 5; ++i) world.send();
    world.run_until_ended(5);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(world.ended(i).outcome, Outcome::retry);
    EXPECT_EQ(
        world.trouble(),
        (resets ? "connection reset by peer" : "connection closed without an answer") + world.peer);
    EXPECT_EQ(world.events.size(), 5u);
    EXPECT_EQ(world.target().status().in_flight, 0u);
    EXPECT_EQ(world.target().status().connections, 0u);
  }
}

// A server that is killed: what it answered before is here, and so is its reset, when the next
// request is written.
TEST(Http2Trouble, what_was_answered_before_a_reset_counts_though_writing_finds_it_first) {
  std::atomic<bool> came = false, may_go = false, is_gone = false;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    peer.answer(peer.next_request().stream, "204");
    const auto stream = peer.next_request().stream;
    came = true;
    while (!may_go) std::this_thread::yield();
    peer.answer(stream, "204");
    peer.peer().reset();
    is_gone = true;
  }));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  world.send();
  world.run_until([&] { return came.load(); });
  may_go = true;
  while (!is_gone) std::this_thread::yield();
  world.send();
  world.run_until_ended(3);
  EXPECT_EQ(world.ended(1).record.slot, 2u);
  EXPECT_EQ(world.ended(1).outcome, Outcome::accepted) << "nothing that was answered is sent again";
  EXPECT_EQ(world.ended(2).record.slot, 3u);
  EXPECT_EQ(world.ended(2).outcome, Outcome::retry);
  EXPECT_EQ(world.events.size(), 3u);
}

TEST(Http2Trouble, a_server_that_speaks_something_else_is_a_failed_attempt) {
  const std::pair<std::string, std::string> servers[] = {
      {"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "the server does not speak HTTP/2"},
      {std::string(100'000, '\xff'), "the server does not speak HTTP/2"},
      {std::string(40, '\0'), "the server does not speak HTTP/2"},
      {"", "connection closed before a word of HTTP/2"}};
  for (const auto& [words, trouble] : servers) {
    ScriptedServer server([&words = words](Peer& peer) {
      peer.read_some();
      peer.write(words);
      peer.end();
      peer.wait_for_end();
    });
    Http2World world(server);
    for (int i = 0; i < 3; ++i) world.send();
    world.run_until_ended(3);
    EXPECT_EQ(world.trouble(), trouble + world.peer) << words.substr(0, 20);
    EXPECT_EQ(world.events.size(), 3u);
  }
}

TEST(Http2Trouble, a_server_that_breaks_the_rules_loses_the_connection) {
  const std::pair<std::string, std::string> wrong[] = {
      {frame(NGHTTP2_DATA, 0, 0, "for nobody"), "DATA: stream_id == 0"},
      {frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 2, "\x88"), "request HEADERS"},
      {frame(NGHTTP2_PUSH_PROMISE, NGHTTP2_FLAG_END_HEADERS, 1, std::string("\0\0\0\2\x88", 5)),
       "PUSH_PROMISE"},
      {frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, "\xff\xff\xff\xff\xff\xff"), ""},
      {frame(NGHTTP2_SETTINGS, 0, 0, "12345"), "FRAME_SIZE_ERROR"},
      {frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string(4, '\0')), "WINDOW_UPDATE"},
      {frame(NGHTTP2_GOAWAY, 0, 0, std::string("\0\0\0\2\0\0\0\0", 8)), "GOAWAY"},
      {big_endian(1 << 20, 3) + std::string(6, '\0'), "too large frame size"}};
  for (const auto& [words, why] : wrong) {
    ScriptedServer server(in_http2([&words = words](Http2Peer& peer) {
      if (peer.peer().number == 1) {
        peer.next_request();
        peer.next_request();
        peer.peer().write(words);
      }
      for (auto stream = peer.next_request().stream; stream != 0;
           stream = peer.next_request().stream) {
        peer.answer(stream, "204");
      }
    }));
    Http2World world(server);
    world.send();
    world.send();
    world.run_until_ended(2);
    EXPECT_EQ(world.ended(0).outcome, Outcome::retry);
    EXPECT_EQ(world.ended(1).outcome, Outcome::retry);
    EXPECT_TRUE(world.trouble().starts_with("the server breaks HTTP/2: ")) << world.trouble();
    EXPECT_NE(world.trouble().find(why), std::string::npos) << world.trouble();
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
    EXPECT_EQ(world.events.size(), 3u);
  }
}

TEST(Http2Trouble, floods_of_frames_that_say_nothing_end_the_connection) {
  constexpr std::uint8_t kUnknown = 0x20;
  const std::string window("\0\0\0\1", 4);
  const std::string floods[] = {frame(NGHTTP2_PING, 0, 0, "12345678"),
                                frame(NGHTTP2_SETTINGS, 0, 0, ""),
                                frame(NGHTTP2_DATA, 0, 1, ""),
                                frame(kUnknown, 0, 0, ""),
                                frame(kUnknown, 0, 1, std::string(1000, 'x')),
                                frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, "12345678"),
                                frame(NGHTTP2_WINDOW_UPDATE, 0, 0, window)};
  for (const std::string& one : floods) {
    std::atomic<bool> ended = false;
    ScriptedServer server(in_http2([&](Http2Peer& peer) {
      const auto stream = peer.next_request().stream;
      peer.answer(stream, "200", {}, false);
      std::string many;
      for (int i = 0; i < 500; ++i) many += one;
      while (peer.peer().write(many)) {
      }
      ended = true;
    }));
    Http2World world(server);
    EXPECT_EQ(world.deliver().outcome, Outcome::retry);
    EXPECT_EQ(world.trouble(),
              "the server breaks HTTP/2: a flood of frames that say nothing" + world.peer);
    world.run_until([&] { return ended.load(); });
  }
}

// Without an exchange there is no timeout that would end it.
TEST(Http2Trouble, whoever_goes_on_talking_while_nothing_is_asked_is_left) {
  constexpr std::uint8_t kUnknown = 0x20;
  const std::string window("\0\0\0\1", 4);
  const std::string words[] = {frame(NGHTTP2_PING, 0, 0, "12345678"),
                               frame(NGHTTP2_WINDOW_UPDATE, 0, 0, window),
                               frame(kUnknown, 0, 0, std::string(1000, 'x'))};
  for (const std::string& one : words) {
    std::atomic<int> left = 0;
    ScriptedServer server(in_http2([&](Http2Peer& peer) {
      peer.answer(peer.next_request().stream, "204");
      std::string many;
      for (int i = 0; i < 500; ++i) many += one;
      while (peer.peer().write(many)) {
      }
      ++left;
    }));
    Http2World world(server);
    for (int i = 1; i <= 2; ++i) {
      EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
      world.run_until([&] { return world.target().status().connections == 0 && left == i; });
    }
    EXPECT_EQ(server.connections(), 2);
  }
}

TEST(Http2Trouble, a_refused_connection_fails_all_that_wait_for_it) {
  std::uint16_t port = 0;
  ::close(listen_on_free_port(port));
  TargetWorld world(port);
  world.options.http2 = Http2::always;
  for (int i = 0; i < 3; ++i) world.send();
  world.run_until_ended(3);
  EXPECT_EQ(world.trouble(), "connection refused (127.0.0.1:" + std::to_string(port) + ")");
  EXPECT_EQ(world.events.size(), 3u);
  EXPECT_EQ(world.target().status().in_flight, 0u);
}

TEST(Http2Trouble, a_server_that_hangs_up_on_an_idle_connection_is_noticed) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    peer.answer(peer.next_request().stream, "204");
    if (peer.peer().number == 1) return peer.peer().close();
    peer.next_request();
  }));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  world.run_until([&] { return world.target().status().connections == 0; });
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 2);
}

}  // namespace
}  // namespace einlass::http::testing
