// The way to a target, tried without sending it anything.
#include <gtest/gtest.h>

#include "adapters/http/certificates.h"
#include "adapters/http/client/fetch.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

TargetOptions options_at(std::uint16_t port) {
  TargetOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.timeout = Duration::millis(500);
  return options;
}

TEST(Reach, goes_the_whole_way_and_sends_nothing) {
  const Certificates certificates;
  const ServerTls tls = certificates.server("good");
  std::string heard = "?";
  {
    ScriptedServer server([&](Peer& peer) { heard = peer.read_some(); }, tls.get());
    TargetOptions options = options_at(server.port());
    options.tls = true;
    options.certificates.ca_file = certificates.file("ca.pem");
    EXPECT_EQ(reach(options), "");
  }
  EXPECT_EQ(heard, "");
  ScriptedServer server([&](Peer& peer) { peer.wait_for_end(); }, tls.get());
  TargetOptions options = options_at(server.port());
  options.tls = true;
  options.certificates.ca_file = certificates.file("other-ca.pem");
  EXPECT_TRUE(reach(options).starts_with("certificate refused: unable to get local issuer"));
  options.certificates.ca_file = certificates.file("ca.pem");
  options.server_name = "elsewhere.example";
  EXPECT_TRUE(reach(options).starts_with("certificate refused: hostname mismatch"));
  options.server_name.clear();
  options.http2 = Http2::always;
  EXPECT_EQ(reach(options), "the server does not choose HTTP/2, and http2 is always");
}

TEST(Reach, says_what_stands_in_the_way) {
  ScriptedServer silent([](Peer& peer) { peer.wait_for_end(); });
  TargetOptions options = options_at(silent.port());
  EXPECT_EQ(reach(options), "") << "without TLS nothing is to be heard";
  options.tls = true;
  EXPECT_TRUE(reach(options).starts_with("no TLS handshake within 500ms")) << reach(options);
  options.certificates.ca_file = "/nowhere/ca.pem";
  EXPECT_THROW(reach(options), std::runtime_error);

  ScriptedServer proxy(once_and_end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
  options = options_at(silent.port());
  options.proxy = {"127.0.0.1", proxy.port(), "", ""};
  EXPECT_TRUE(reach(options).starts_with("the proxy refuses the way: status 407"));
  std::uint16_t nobody = 0;
  ::close(listen_on_free_port(nobody));
  EXPECT_TRUE(reach(options_at(nobody)).starts_with("connection refused")) << reach(options);
}

}  // namespace
}  // namespace einlass::http::testing
