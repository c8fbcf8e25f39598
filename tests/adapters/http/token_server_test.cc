// The server that tokens come from: reached as safely as the target, and doing what it should not.
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "adapters/http/certificates.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

constexpr std::string_view kToken =
    "HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n{\"access_token\": \"t-one\"}";
constexpr std::string_view kBasic = "Z2F0ZTpzLWNyZXQ=";  // gate:s-cret

// A receiver that takes everybody, and a target whose token comes from another server.
struct TokenServer : ::testing::Test {
  void ask(const ScriptedServer& tokens, bool tls) {
    world.options.login.kind = LoginOptions::Kind::oauth2;
    world.options.login.secret.value = "s-cret";
    world.options.login.token = {.tls = tls,
                                 .host = "127.0.0.1",
                                 .port = tokens.port(),
                                 .path = "/token",
                                 .client_id = "gate",
                                 .scope = "",
                                 .audience = ""};
    world.target();
  }

  // Says so, and sends nothing to the target.
  void expect_no_token(const std::string& why) {
    const std::string all =
        "no token from 127.0.0.1:" + std::to_string(world.options.login.token.port) + ": " + why;
    world.run_until([&] { return !world.notices.empty(); });
    EXPECT_TRUE(world.target().status().unusable.starts_with(all))
        << world.target().status().unusable;
    EXPECT_EQ(receiver.connections(), 0);
  }

  void expect_token() {
    world.run_until([&] { return world.target().status().unusable.empty(); });
    const std::size_t before = world.events.size();
    world.send();
    world.run_until([&] { return world.events.size() > before; });
    EXPECT_EQ(std::get<core::DeliveryEnded>(world.events.back()).outcome, Outcome::accepted);
  }

  ScriptedServer receiver{always(std::string(kNoContent))};
  TargetWorld world{receiver.port()};
};

TEST_F(TokenServer, that_is_not_verified_gets_no_secret_until_it_is) {
  const Certificates certificates;
  const ServerTls tls = certificates.server("good");
  std::mutex mutex;
  std::string seen;
  ScriptedServer tokens(
      [&](Peer& peer) {
        const std::string request = peer.read_request();
        const std::lock_guard lock(mutex);
        seen += request;
        if (!request.empty()) peer.write(kToken);
      },
      tls.get());
  const std::string ca = certificates.file("trusted.pem");
  std::filesystem::copy_file(certificates.file("other-ca.pem"), ca);
  world.options.certificates.ca_file = ca;
  ask(tokens, /*tls=*/true);
  expect_no_token("certificate refused: unable to get local issuer certificate");
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(seen, "");
  }
  std::filesystem::copy_file(certificates.file("ca.pem"), ca + ".new");
  std::filesystem::rename(ca + ".new", ca);
  expect_token();
  world.destroy_target();
  EXPECT_NE(seen.find(kBasic), std::string::npos);
}

TEST_F(TokenServer, that_speaks_no_tls_hears_no_secret) {
  std::string heard;
  {
    ScriptedServer tokens([&](Peer& peer) {
      heard = peer.read_some();
      peer.write(kToken);
      peer.end();
      peer.wait_for_end();
    });
    ask(tokens, /*tls=*/true);
    expect_no_token("TLS: ");
    world.destroy_target();
  }
  EXPECT_TRUE(heard.starts_with("\x16\x03")) << "something else than a greeting of TLS";
  EXPECT_EQ(heard.find(kBasic), std::string::npos);
}

TEST_F(TokenServer, that_never_answers_is_given_up_and_asked_again) {
  ScriptedServer tokens([](Peer& peer) {
    peer.read_request();
    if (peer.number > 1) peer.write(kToken);
    peer.wait_for_end();
  });
  world.options.timeout = Duration::millis(300);
  ask(tokens, /*tls=*/false);
  expect_no_token("no answer within 300ms");
  expect_token();
  world.destroy_target();
}

TEST_F(TokenServer, that_answers_garbage_or_too_much_gives_no_token) {
  const std::string large(2 * 1024 * 1024, 'x');
  const std::pair<std::string, std::string> odd[] = {
      {"SSH-2.0-x\r\n", "answer is not HTTP/1.1: bad version"},
      {"", "connection closed without an answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + large, "answer too large"},
      {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n", "status 302"},
  };
  for (const auto& [answer, why] : odd) {
    world.notices.clear();
    ScriptedServer tokens(once_and_end(answer));
    ask(tokens, /*tls=*/false);
    expect_no_token(why);
    world.destroy_target();
  }
}

TEST_F(TokenServer, is_reached_by_the_targets_proxy) {
  std::string asked;
  ScriptedServer proxy([&](Peer& peer) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) head += peer.read_some();
    asked += head.substr(0, head.find('\r')) + "\n";
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    if (head.find("login.example") != std::string::npos) {
      peer.read_request();
      peer.write(kToken);
    } else {
      while (!peer.read_request().empty()) peer.write(kNoContent);
    }
  });
  world.options.proxy = {"127.0.0.1", proxy.port(), "", ""};
  world.options.host = "billing.example";
  world.options.port = 8080;
  world.options.login.kind = LoginOptions::Kind::oauth2;
  world.options.login.secret.value = "s-cret";
  world.options.login.token = {.tls = false,
                               .host = "login.example",
                               .port = 80,
                               .path = "/token",
                               .client_id = "gate",
                               .scope = "",
                               .audience = ""};
  world.target();
  expect_token();
  world.destroy_target();
  EXPECT_EQ(asked, "CONNECT login.example:80 HTTP/1.1\nCONNECT billing.example:8080 HTTP/1.1\n");
}

}  // namespace
}  // namespace einlass::http::testing
