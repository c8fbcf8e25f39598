// The client over TLS: whom it talks to, and whom it does not.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "adapters/http/certificates.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

class TargetTls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { certificates = new Certificates; }
  static void TearDownTestSuite() {
    delete certificates;
    certificates = nullptr;
  }

  // A world whose target trusts `ca`.
  static std::unique_ptr<TargetWorld> world_at(const ScriptedServer& server,
                                               const std::string& ca = "ca.pem") {
    auto world = std::make_unique<TargetWorld>(server.port());
    world->options.tls = true;
    world->options.certificates.ca_file = certificates->file(ca);
    return world;
  }

  static void expect_refused(const std::string& certificate, const std::string& ca,
                             const std::string& why) {
    const ServerTls tls = certificates->server(certificate);
    ScriptedServer server(always(std::string(kNoContent)), tls.get());
    const auto world = world_at(server, ca);
    const core::DeliveryEnded ended = world->deliver();
    EXPECT_EQ(ended.outcome, Outcome::retry);
    EXPECT_FALSE(ended.counts) << "it is not the record's fault";
    EXPECT_EQ(world->trouble(),
              "certificate refused: " + why + " (127.0.0.1:" + std::to_string(server.port()) + ")");
    EXPECT_EQ(world->target().status().connections, 0u);
  }

  static Certificates* certificates;
};

Certificates* TargetTls::certificates = nullptr;

TEST_F(TargetTls, delivers_and_keeps_the_connection) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const ServerTls tls = certificates->server("good");
    SSL_CTX_set_max_proto_version(tls.get(), version);
    ScriptedServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), tls.get());
    const auto world = world_at(server);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(world->deliver().outcome, Outcome::accepted);
    EXPECT_EQ(server.connections(), 1);
  }
}

// Within what a peer may do: it has all of its answer.
TEST_F(TargetTls, a_server_may_renew_its_keys) {
  const ServerTls tls = certificates->server("good");
  ScriptedServer server(
      [&](Peer& peer) {
        while (!peer.read_request().empty()) {
          EXPECT_TRUE(peer.renew_keys(20));
          peer.write(kNoContent);
        }
      },
      tls.get());
  const auto world = world_at(server);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(world->deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(TargetTls, a_server_that_does_nothing_else_is_hung_up_on) {
  const ServerTls tls = certificates->server("good");
  ScriptedServer server(
      [&](Peer& peer) {
        peer.read_request();
        while (peer.renew_keys(1'000)) {
        }
      },
      tls.get());
  const auto world = world_at(server);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_EQ(world->trouble(), "TLS: too many messages that carry no data (127.0.0.1:" +
                                  std::to_string(server.port()) + ")");
}

// Each byte is a record of its own, and all of them are there when the first is read.
TEST_F(TargetTls, an_answer_in_small_pieces_is_read_in_several_turns) {
  constexpr int kPieces = 300;
  const ServerTls tls = certificates->server("good");
  std::atomic<bool> written = false;
  ScriptedServer server(
      [&](Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kPieces) + "\r\n\r\n");
        for (int i = 0; i < kPieces; ++i) peer.write("x");
        written = true;
        peer.wait_for_end();
      },
      tls.get());
  const auto world = world_at(server);
  world->send();
  world->run_until([&] { return world->target().status().in_flight == 1 && written; });
  int turns = 0;
  while (world->events.empty() && world->io.run_one_for(std::chrono::seconds(10)) > 0) ++turns;
  EXPECT_GE(turns, kPieces / 16 - 1);
  world->run_until_ended(1);
  EXPECT_EQ(world->ended(0).outcome, Outcome::accepted);
}

TEST_F(TargetTls, a_name_is_asked_for_and_an_address_is_not) {
  const ServerTls tls = certificates->server("good");
  std::string asked = "?";
  ScriptedServer server(
      [&](Peer& peer) {
        asked = peer.server_name;
        always(std::string(kNoContent))(peer);
      },
      tls.get());
  const auto by_address = world_at(server);
  EXPECT_EQ(by_address->deliver().outcome, Outcome::accepted);
  EXPECT_EQ(asked, "");
  const auto by_name = world_at(server);
  by_name->options.server_name = "localhost";
  EXPECT_EQ(by_name->deliver().outcome, Outcome::accepted);
  EXPECT_EQ(asked, "localhost");
  const auto by_whole_name = world_at(server);
  by_whole_name->options.server_name = "localhost.";
  EXPECT_EQ(by_whole_name->deliver().outcome, Outcome::accepted) << by_whole_name->trouble();
  EXPECT_EQ(asked, "localhost") << "no certificate has the dot";
}

TEST_F(TargetTls, a_certificate_of_an_unknown_authority_is_refused) {
  expect_refused("good", "other-ca.pem", "unable to get local issuer certificate");
}

TEST_F(TargetTls, a_certificate_for_another_name_is_refused) {
  expect_refused("other-name", "ca.pem", "IP address mismatch");
  const ServerTls tls = certificates->server("other-name");
  ScriptedServer server(always(std::string(kNoContent)), tls.get());
  const auto world = world_at(server);
  world->options.server_name = "localhost";
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_TRUE(world->trouble().starts_with("certificate refused: hostname mismatch"))
      << world->trouble();
}

TEST_F(TargetTls, a_name_in_the_subject_alone_is_no_name) {
  const ServerTls tls = certificates->server("only-subject");
  ScriptedServer server(always(std::string(kNoContent)), tls.get());
  const auto world = world_at(server);
  world->options.server_name = "localhost";
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_TRUE(world->trouble().starts_with("certificate refused: hostname mismatch"))
      << world->trouble();
}

TEST_F(TargetTls, an_expired_certificate_is_refused) {
  expect_refused("expired", "ca.pem", "certificate has expired");
}

TEST_F(TargetTls, what_is_older_than_tls_1_2_is_refused) {
  const ServerTls tls = certificates->server("good");
  SSL_CTX_set_security_level(tls.get(), 0);
  SSL_CTX_set_min_proto_version(tls.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(tls.get(), TLS1_1_VERSION);
  ScriptedServer server(always(std::string(kNoContent)), tls.get());
  const auto world = world_at(server);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_TRUE(world->trouble().starts_with("TLS: ")) << world->trouble();
}

TEST_F(TargetTls, a_server_without_tls_is_a_failed_attempt) {
  std::string heard;
  {
    ScriptedServer server([&](Peer& peer) {
      heard = peer.read_some();
      peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
      peer.wait_for_end();
    });
    const auto world = world_at(server);
    EXPECT_EQ(world->deliver("a secret").outcome, Outcome::retry);
    EXPECT_TRUE(world->trouble().starts_with("TLS: ")) << world->trouble();
  }
  EXPECT_TRUE(heard.starts_with("\x16\x03")) << "something else than a greeting of TLS";
  EXPECT_EQ(heard.find("secret"), std::string::npos);
}

TEST_F(TargetTls, a_server_that_hangs_up_instead_of_shaking_hands_is_a_failed_attempt) {
  ScriptedServer server([](Peer& peer) {
    peer.read_some();
    peer.end();
    peer.wait_for_end();
  });
  const auto world = world_at(server);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_TRUE(world->trouble().starts_with("connection closed in the TLS handshake"))
      << world->trouble();
}

TEST_F(TargetTls, a_server_that_never_shakes_hands_runs_into_the_timeout) {
  ScriptedServer server([](Peer& peer) { peer.wait_for_end(); });
  const auto world = world_at(server);
  world->options.timeout = Duration::millis(50);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_TRUE(world->trouble().starts_with("no TLS handshake within 50ms")) << world->trouble();
}

TEST_F(TargetTls, large_bodies_and_answers_in_many_records) {
  const ServerTls tls = certificates->server("good");
  std::size_t body = 0;
  ScriptedServer server(
      [&](Peer& peer) {
        for (std::string request; !(request = peer.read_request()).empty();) {
          body = request.size() - request.find("\r\n\r\n") - 4;
          peer.write("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n");
          peer.write(std::string(900'000, 'x'));
        }
      },
      tls.get());
  const auto world = world_at(server);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world->deliver(std::string(5 * 1024 * 1024, 'x')).outcome, Outcome::accepted);
    EXPECT_EQ(body, 5u * 1024 * 1024);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(TargetTls, hang_ups_with_and_without_goodbye) {
  const ServerTls tls = certificates->server("good");
  ScriptedServer server(
      [](Peer& peer) {
        peer.read_request();
        if (peer.number == 1) peer.write("HTTP/1.1 200 OK\r\n\r\nto the end");
        if (peer.number == 2) peer.write("HTTP/1.1 200 OK\r\n\r\nto the end");
        if (peer.number == 3) peer.write(kNoContent);
        if (peer.number == 4) return peer.reset();
        if (peer.number != 2) peer.end();
        peer.close();
      },
      tls.get());
  const auto world = world_at(server);
  EXPECT_EQ(world->deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world->deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world->deliver().outcome, Outcome::accepted);
  world->run_until([&] { return world->target().status().connections == 0; });
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_NE(world->trouble().find("connection reset by peer"), std::string::npos)
      << world->trouble();
}

TEST_F(TargetTls, writing_to_a_server_that_is_gone_is_a_failed_attempt) {
  const ServerTls tls = certificates->server("good");
  std::atomic<bool> closed = false;
  ScriptedServer server(
      [&](Peer& peer) {
        peer.read_request();
        peer.write(kNoContent);
        peer.close();
        closed = true;
      },
      tls.get());
  const auto world = world_at(server);
  EXPECT_EQ(world->deliver().outcome, Outcome::accepted);
  while (!closed) std::this_thread::yield();  // The loop does not run: it cannot know.
  EXPECT_EQ(world->deliver(std::string(32 * 1024 * 1024, 'x')).outcome, Outcome::retry);
}

TEST_F(TargetTls, a_server_that_would_like_a_certificate_refuses_records_all_the_same) {
  const ServerTls tls = certificates->server("good");
  SSL_CTX_set_verify(tls.get(), SSL_VERIFY_PEER, nullptr);
  const auto refusal = [](const std::string& body) {
    return always("HTTP/1.1 400 Bad Request\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n" + body);
  };
  ScriptedServer of_the_record(refusal("bad payload"), tls.get());
  ScriptedServer of_us(refusal("No required SSL certificate was sent"), tls.get());
  auto world = world_at(of_the_record);
  EXPECT_EQ(world->deliver().outcome, Outcome::refused);
  EXPECT_EQ(world->trouble(), "status 400: bad payload");
  world = world_at(of_us);
  EXPECT_EQ(world->deliver().outcome, Outcome::retry);
  EXPECT_TRUE(world->trouble().starts_with("status 400: the server asks for a client cert"))
      << world->trouble();
}

TEST_F(TargetTls, a_ca_file_that_cannot_be_read_is_said_at_the_start) {
  TargetWorld world(1);
  world.options.tls = true;
  for (const std::string& file : {certificates->file("absent.pem"), certificates->file("ca.key")}) {
    world.options.certificates.ca_file = file;
    try {
      world.target();
      ADD_FAILURE() << file;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace einlass::http::testing
