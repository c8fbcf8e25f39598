// The client over HTTP/2 against servers that keep to the rules: what arrives, what an answer
// means, and how many connections there are.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "adapters/http/http2_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;
constexpr std::uint16_t kMaxStreams = NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS;

TEST(Http2Target, what_arrives_is_what_was_sent) {
  std::string preface;
  Http2Request seen;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    preface = peer.preface;
    seen = peer.next_request();
    peer.answer(seen.stream, "204");
    peer.next_request();
  }));
  Http2World world(server);
  world.options.headers = {{"X-Source", "einlass"}};
  EXPECT_EQ(world.deliver("bytes\xff", {{"Kafka-Topic", "results"}}).outcome, Outcome::accepted);
  EXPECT_EQ(preface, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_EQ(seen.fields, (Http2Fields{{":method", "POST"},
                                      {":scheme", "http"},
                                      {":authority", "127.0.0.1:" + std::to_string(server.port())},
                                      {":path", "/callback"},
                                      {"x-source", "einlass"},
                                      {"content-type", "application/octet-stream"},
                                      {"content-length", "6"},
                                      {"kafka-topic", "results"}}));
  EXPECT_EQ(seen.body, "bytes\xff");
}

TEST(Http2Target, every_status_ends_as_its_outcome_on_one_connection) {
  const std::vector<std::pair<std::string, Outcome>> statuses = {
      {"200", Outcome::accepted}, {"204", Outcome::accepted}, {"301", Outcome::refused},
      {"404", Outcome::refused},  {"408", Outcome::retry},    {"425", Outcome::retry},
      {"429", Outcome::retry},    {"500", Outcome::retry},    {"503", Outcome::retry}};
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    for (const auto& [status, outcome] : statuses) {
      peer.answer(peer.next_request().stream, status);
    }
    peer.next_request();
  }));
  Http2World world(server);
  for (const auto& [status, outcome] : statuses) {
    const auto ended = world.deliver();
    EXPECT_EQ(ended.outcome, outcome) << status;
    EXPECT_EQ(ended.record, (core::RecordId{world.sent, 1}));
    EXPECT_EQ(ended.attempt, core::Attempt{world.sent + 100});
    EXPECT_EQ(world.trouble(), outcome == Outcome::accepted ? "" : "status " + status);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http2Target, interim_answers_bodies_and_trailers_are_not_the_answer) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    const auto stream = peer.next_request().stream;
    peer.answer(stream, "103", {{"retry-after", "9"}}, false);
    peer.answer(stream, "429", {{"retry-after", "7"}}, false);
    peer.data(stream, "slow down", false);
    peer.send(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, stream,
              header_block({{"retry-after", "8"}}));
    peer.next_request();
  }));
  Http2World world(server);
  const auto ended = world.deliver();
  EXPECT_EQ(ended.outcome, Outcome::retry);
  EXPECT_EQ(ended.hold_target, Duration::seconds(7));
  EXPECT_EQ(world.trouble(), "status 429: slow down");
}

TEST(Http2Target, redirects_are_not_followed_and_tell_where_they_point) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    peer.answer(peer.next_request().stream, "302", {{"location", "https://elsewhere.example/a"}});
    peer.next_request();
  }));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(),
            "status 302: redirects are not followed (to https://elsewhere.example/a)");
}

TEST(Http2Target, the_body_of_an_answer_may_say_what_it_means) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    const auto stream = peer.next_request().stream;
    peer.answer(stream, "200", {}, false);
    peer.data(stream, "{\"error\": ", false);
    peer.data(stream, "\"LIMIT\"}", true);
    peer.answer(peer.next_request().stream, "200");
    peer.next_request();
  }));
  Http2World world(server);
  world.options.answers.by_body = {{"/error", "LIMIT", Outcome::retry}};
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
}

TEST(Http2Target, logins_and_signatures_go_along) {
  Http2Request seen;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    seen = peer.next_request();
    peer.answer(seen.stream, "401");
    peer.next_request();
  }));
  Http2World world(server);
  world.options.login.kind = LoginOptions::Kind::bearer;
  world.options.login.secret.value = "token-1";
  world.options.sign.secret.value = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.trouble(), "status 401: the login is refused");
  EXPECT_EQ(seen["authorization"], "Bearer token-1");
  EXPECT_TRUE(seen["webhook-signature"].starts_with("v1,")) << seen["webhook-signature"];
}

TEST(Http2Target, bodies_empty_and_large_both_ways) {
  std::atomic<std::size_t> body = 1;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    for (auto request = peer.next_request(); request.stream != 0; request = peer.next_request()) {
      body = request.body.size();
      peer.answer(request.stream, "200", {}, false);
      peer.body(request.stream, std::string(800 * 1024, 'x'));
      peer.data(request.stream, "", true);
    }
  }));
  Http2World world(server);
  const std::string large(5 * 1024 * 1024, 'x');
  for (const std::string& one : {std::string(), large, std::string("{}")}) {
    EXPECT_EQ(world.deliver(one).outcome, Outcome::accepted);
    EXPECT_EQ(body, one.size());
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http2Target, all_go_over_one_connection_at_the_same_time) {
  constexpr std::size_t kAll = 64;
  std::atomic<std::size_t> came = 0;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    std::vector<std::uint32_t> streams;
    for (; streams.size() < kAll; ++came) streams.push_back(peer.next_request().stream);
    // Backwards: answers come in any order.
    for (auto one = streams.rbegin(); one != streams.rend(); ++one) peer.answer(*one, "204");
    peer.next_request();
  }));
  Http2World world(server);
  for (std::size_t i = 0; i < kAll; ++i) world.send();
  EXPECT_EQ(world.target().status().in_flight, kAll);
  world.run_until_ended(kAll);
  EXPECT_EQ(came, kAll);
  EXPECT_EQ(world.target().status().in_flight, 0u);
  EXPECT_EQ(world.target().status().connections, 1u);
  EXPECT_EQ(server.connections(), 1);
  std::set<std::uint32_t> slots;
  for (std::size_t i = 0; i < kAll; ++i) {
    EXPECT_EQ(world.ended(i).outcome, Outcome::accepted);
    slots.insert(world.ended(i).record.slot);
  }
  EXPECT_EQ(slots.size(), kAll);
}

TEST(Http2Target, thousands_over_one_connection) {
  ScriptedServer server(always_in_http2("204"));
  Http2World world(server);
  world.deliver_many(5'000, 64);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(world.trouble(), "");
}

// Where the server allows fewer streams than are wanted there are more connections, and on none
// more streams than it allows: not even before its settings have come.
TEST(Http2Target, more_connections_where_the_server_allows_few_streams) {
  std::atomic<int> most_at_once = 0;
  ScriptedServer server(in_http2(
      [&](Http2Peer& peer) {
        for (;;) {
          std::vector<std::uint32_t> streams = {peer.next_request().stream};
          if (streams[0] == 0) return;
          // Whatever has come until the answer to this PING was sent before the client heard of it.
          peer.send(NGHTTP2_PING, 0, 0, "12345678");
          for (auto one = peer.next_frame(); one && one->type != NGHTTP2_PING;
               one = peer.next_frame()) {
            if (one->type == NGHTTP2_HEADERS) streams.push_back(one->stream);
          }
          const int at_once = static_cast<int>(streams.size());
          if (at_once > most_at_once) most_at_once = at_once;
          for (const auto stream : streams) peer.answer(stream, "204");
        }
      },
      {{kMaxStreams, 3}}));
  Http2World world(server);
  world.deliver_many(300, 12, "");
  EXPECT_LE(most_at_once, 3);
  EXPECT_GT(most_at_once, 1);
  EXPECT_GE(server.connections(), 4);
  EXPECT_LE(server.connections(), 12);
}

TEST(Http2Target, there_is_a_bound_to_the_connections) {
  std::atomic<bool> over = false;
  ScriptedServer server(in_http2(
      [&](Http2Peer& peer) {
        const auto stream = peer.next_request().stream;
        while (!over) std::this_thread::yield();
        for (peer.answer(stream, "204");;) {
          const auto next = peer.next_request().stream;
          if (next == 0) return;
          peer.answer(next, "204");
        }
      },
      {{kMaxStreams, 1}}));
  Http2World world(server);
  world.options.max_in_flight = 80;
  for (int i = 0; i < 80; ++i) world.send();
  world.run_until([&] { return server.connections() == 64; });
  EXPECT_EQ(world.target().status().in_flight, 80u);
  over = true;
  world.run_until_ended(80);
  EXPECT_EQ(server.connections(), 64);
  for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(world.ended(i).outcome, Outcome::accepted);
}

TEST(Http2Target, the_server_may_allow_fewer_and_more_on_the_way) {
  std::atomic<int> answered = 0;
  ScriptedServer server(in_http2(
      [&](Http2Peer& peer) {
        const auto first = peer.next_request().stream;
        peer.send_settings({{kMaxStreams, 0}});
        // The acknowledgement is behind all that was sent before it was known.
        while (peer.next_frame()->flags != NGHTTP2_FLAG_ACK) {
        }
        peer.answer(first, "204");
        while (answered == 0) std::this_thread::yield();
        peer.send_settings({{kMaxStreams, 2}});
        for (auto stream = peer.next_request().stream; stream != 0;
             stream = peer.next_request().stream) {
          peer.answer(stream, "204");
        }
      },
      {{kMaxStreams, 1}}));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  world.send();  // Waits: there is no room, and no other connection is opened for it.
  world.send();
  EXPECT_EQ(world.target().status().in_flight, 2u);
  answered = 1;
  world.run_until_ended(3);
  EXPECT_EQ(world.ended(1).outcome, Outcome::accepted);
  EXPECT_EQ(world.ended(2).outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http2Target, in_the_clear_it_is_not_spoken_unless_told) {
  for (const Http2 http2 : {Http2::automatic, Http2::never}) {
    ScriptedServer server(always(std::string(kNoContent)));
    TargetWorld world(server.port());
    world.options.http2 = http2;
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  }
}

TEST(Http2Target, nothing_is_heard_of_it_once_it_is_gone) {
  std::atomic<int> came = 0;
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    peer.answer(peer.next_request().stream, "204");
    for (; peer.next_request().stream != 0; ++came) {
    }
    if (peer.peer().number > 1) return;
    EXPECT_EQ(peer.goodbye, std::uint32_t{NGHTTP2_NO_ERROR});
  }));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  for (int i = 0; i < 3; ++i) world.send();
  world.run_until([&] { return came == 3; });
  for (int i = 0; i < 3; ++i) world.send();  // Not even written yet.
  world.destroy_target();
  world.send();  // Only connects.
  world.destroy_target();
  const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  world.run_until([&] { return std::chrono::steady_clock::now() > later; });
  EXPECT_EQ(world.events.size(), 1u);
}

}  // namespace
}  // namespace einlass::http::testing
