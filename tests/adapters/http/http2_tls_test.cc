// HTTP/2 by ALPN: the server chooses, and may choose otherwise the next time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>

#include "adapters/http/certificates.h"
#include "adapters/http/http2_peer.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

// Chooses what `protocols` (as ALPN writes them) has first of what the client offers.
void choose(SSL_CTX* tls, std::string& protocols) {
  const auto select = [](SSL*, const unsigned char** out, unsigned char* size,
                         const unsigned char* offered, unsigned offered_size, void* arg) {
    const auto& ours = *static_cast<const std::string*>(arg);
    const int chosen = SSL_select_next_proto(
        const_cast<unsigned char**>(out), size, reinterpret_cast<const unsigned char*>(ours.data()),
        static_cast<unsigned>(ours.size()), offered, offered_size);
    return chosen == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
  };
  SSL_CTX_set_alpn_select_cb(tls, select, &protocols);
}

class Http2Tls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { certificates = new Certificates; }
  static void TearDownTestSuite() {
    delete certificates;
    certificates = nullptr;
  }

  Http2Tls() : tls{certificates->server("good")} {}

  TargetWorld& world_at(const ScriptedServer& server, Http2 http2) {
    world = std::make_unique<TargetWorld>(server.port());
    world->options.tls = true;
    world->options.certificates.ca_file = certificates->file("ca.pem");
    world->options.http2 = http2;
    return *world;
  }

  static Certificates* certificates;
  const std::string kHttp2 = "\2h2";
  const std::string kHttp1 = "\x08http/1.1";
  ServerTls tls;
  std::unique_ptr<TargetWorld> world;
};

Certificates* Http2Tls::certificates = nullptr;

TEST_F(Http2Tls, is_spoken_where_the_server_chooses_it_on_one_connection) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SSL_CTX_set_max_proto_version(tls.get(), version);
    std::string chosen = kHttp2 + kHttp1;
    choose(tls.get(), chosen);
    Http2Request seen;
    ScriptedServer server(in_http2([&](Http2Peer& peer) {
                            for (auto one = peer.next_request(); one.stream != 0;
                                 one = peer.next_request()) {
                              seen = one;
                              peer.answer(one.stream, "204");
                            }
                          }),
                          tls.get());
    TargetWorld& target = world_at(server, Http2::automatic);
    for (int i = 0; i < 16; ++i) target.send("of ten bytes");
    target.run_until_ended(16);
    EXPECT_EQ(target.trouble(), "");
    EXPECT_EQ(target.deliver(std::string(1024 * 1024, 'x')).outcome, Outcome::accepted);
    EXPECT_EQ(server.connections(), 1);
    EXPECT_EQ(seen[":scheme"], "https");
    EXPECT_EQ(seen.body.size(), 1024u * 1024);
    world.reset();
  }
}

TEST_F(Http2Tls, a_server_that_chooses_http_1_1_or_nothing_gets_it) {
  for (const bool chooses : {true, false}) {
    std::string chosen = kHttp1;
    ServerTls other = certificates->server("good");
    if (chooses) choose(other.get(), chosen);
    ScriptedServer server(always(std::string(kNoContent)), other.get());
    TargetWorld& target = world_at(server, Http2::automatic);
    // Sent before anybody knows what the server speaks: all wait for the first connection.
    for (int i = 0; i < 8; ++i) target.send();
    EXPECT_EQ(target.target().status().in_flight, 8u);
    target.run_until_ended(8);
    EXPECT_EQ(target.trouble(), "");
    EXPECT_EQ(target.deliver().outcome, Outcome::accepted);
    EXPECT_EQ(target.target().status().in_flight, 0u);
    EXPECT_LE(server.connections(), 8);
    world.reset();
  }
}

TEST_F(Http2Tls, is_not_offered_where_it_is_never_to_be_spoken) {
  std::string chosen = kHttp2 + kHttp1;
  choose(tls.get(), chosen);
  ScriptedServer server(always(std::string(kNoContent)), tls.get());
  TargetWorld& target = world_at(server, Http2::never);
  EXPECT_EQ(target.deliver().outcome, Outcome::accepted) << target.trouble();
  world.reset();
}

TEST_F(Http2Tls, a_server_that_does_not_choose_it_where_it_must_is_a_failed_attempt) {
  std::string chosen = kHttp1;
  choose(tls.get(), chosen);
  std::atomic<int> requests = 0;
  ScriptedServer server(
      [&](Peer& peer) {
        while (!peer.read_request().empty()) ++requests;
      },
      tls.get());
  TargetWorld& target = world_at(server, Http2::always);
  for (int i = 0; i < 3; ++i) target.send();
  target.run_until_ended(3);
  EXPECT_EQ(target.ended(0).outcome, Outcome::retry);
  EXPECT_EQ(target.trouble(), "the server does not choose HTTP/2, and http2 is always (127.0.0.1:" +
                                  std::to_string(server.port()) + ")");
  EXPECT_EQ(target.events.size(), 3u);
  EXPECT_EQ(target.target().status().in_flight, 0u);
  EXPECT_EQ(requests, 0);
  world.reset();
}

// As behind a load balancer, or through an upgrade of the server.
TEST_F(Http2Tls, a_server_may_change_its_mind_with_each_connection) {
  std::string chosen = kHttp1;
  choose(tls.get(), chosen);
  ScriptedServer server(
      [&](Peer& peer) {
        if (peer.number % 2 == 1) {
          peer.read_request();
          peer.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
          return peer.end();
        }
        Http2Peer http2(peer);
        http2.answer(http2.next_request().stream, "204");
        http2.go_away(1, NGHTTP2_NO_ERROR);
        peer.wait_for_end();
      },
      tls.get());
  TargetWorld& target = world_at(server, Http2::automatic);
  for (int i = 1; i <= 6; ++i) {
    chosen = i % 2 == 1 ? kHttp1 : kHttp2;
    EXPECT_EQ(target.deliver().outcome, Outcome::accepted) << i << ": " << target.trouble();
    target.run_until([&] { return target.target().status().connections == 0; });
  }
  EXPECT_EQ(server.connections(), 6);
  world.reset();
}

// It leaves while requests are open that it has not looked at, one of them half sent.
TEST_F(Http2Tls, what_a_server_left_undone_goes_whole_to_one_that_speaks_http_1_1) {
  std::string chosen = kHttp2;
  choose(tls.get(), chosen);
  std::promise<void> all_have_come, may_leave;
  std::mutex mutex;
  std::vector<std::string> seen;
  ScriptedServer server(
      [&](Peer& peer) {
        if (peer.number == 1) {
          Http2Peer http2(peer);
          for (int i = 0; i < 3; ++i) http2.next_of(NGHTTP2_HEADERS);
          all_have_come.set_value();
          may_leave.get_future().wait();
          http2.go_away(0, NGHTTP2_NO_ERROR);
          return peer.wait_for_end();
        }
        for (std::string one; !(one = peer.read_request()).empty(); peer.write(kNoContent)) {
          const std::lock_guard lock(mutex);
          seen.push_back(one);
        }
      },
      tls.get());
  TargetWorld& target = world_at(server, Http2::automatic);
  const std::vector<std::string> bodies = {"of ten bytes", std::string(200'000, 'x'), "[]"};
  for (const std::string& body : bodies) target.send(body);
  auto come = all_have_come.get_future();
  target.run_until(
      [&] { return come.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  chosen = kHttp1;
  may_leave.set_value();
  target.run_until_ended(3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(target.ended(i).outcome, Outcome::accepted) << target.trouble();
  }
  // The same again, by HTTP/1.1 from the beginning.
  for (const std::string& body : bodies) target.deliver(body);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(seen.size(), 6u);
  std::sort(seen.begin(), seen.begin() + 3);
  std::sort(seen.begin() + 3, seen.end());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(seen[i] == seen[i + 3]) << seen[i].substr(0, 200);
  world.reset();
}

TEST_F(Http2Tls, a_certificate_that_is_refused_fails_all_that_wait_and_nothing_is_sent) {
  std::string chosen = kHttp2;
  choose(tls.get(), chosen);
  ScriptedServer server(always_in_http2("204"), tls.get());
  TargetWorld& target = world_at(server, Http2::automatic);
  target.options.certificates.ca_file = certificates->file("other-ca.pem");
  for (int i = 0; i < 3; ++i) target.send();
  target.run_until_ended(3);
  EXPECT_TRUE(target.trouble().starts_with("certificate refused: ")) << target.trouble();
  EXPECT_EQ(target.events.size(), 3u);
  world.reset();
}

}  // namespace
}  // namespace einlass::http::testing
