// Proxies that people run: HAProxy.
#include <gtest/gtest.h>

#include <fstream>

#include "adapters/http/real_server.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

class Haproxy : public ::testing::Test {
 protected:
  // At one port it refuses to open a way, at the other it leaves that to `next`.
  std::string config(std::uint16_t refusing, std::uint16_t opening, std::uint16_t next) {
    const std::string path = directory_.file("haproxy.cfg");
    std::ofstream(path) << "defaults\n mode http\n timeout connect 2s\n timeout client 9s\n"
                        << " timeout server 9s\n"
                        << "frontend refusing\n bind 127.0.0.1:" << refusing << "\n"
                        << " http-request deny deny_status 403 if METH_CONNECT\n"
                        << "frontend opening\n bind 127.0.0.1:" << opening << "\n"
                        << " default_backend next\n"
                        << "backend next\n server next 127.0.0.1:" << next << "\n";
    return path;
  }

 private:
  adapters::testing::TemporaryDirectory directory_;
};

TEST_F(Haproxy, refuses_a_way_and_opens_another) {
  ScriptedServer beyond([](Peer& peer) {
    std::string asked;
    while (!asked.ends_with("\r\n\r\n")) asked += peer.read_some();
    if (!asked.starts_with("CONNECT billing.example:8080 ")) return;
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    while (!peer.read_request().empty()) peer.write(kNoContent);
  });
  const std::uint16_t refusing = free_port(), opening = free_port();
  const RealServer haproxy(
      {"/usr/sbin/haproxy", "-W", "-db", "-f", config(refusing, opening, beyond.port())},
      "Loading success");
  TargetWorld refused(1);
  refused.options.host = "billing.example";
  refused.options.port = 8080;
  refused.options.proxy = {"127.0.0.1", refusing, "", ""};
  EXPECT_EQ(refused.deliver().outcome, Outcome::retry);
  EXPECT_EQ(
      refused.target().status().unusable,
      "the proxy refuses the way: status 403 (proxy 127.0.0.1:" + std::to_string(refusing) + ")");
  EXPECT_EQ(beyond.connections(), 0);

  TargetWorld let_through(1);
  let_through.options = refused.options;
  let_through.options.proxy.port = opening;
  EXPECT_EQ(let_through.deliver("one").outcome, Outcome::accepted) << let_through.trouble();
  EXPECT_EQ(let_through.deliver("two").outcome, Outcome::accepted) << let_through.trouble();
  EXPECT_EQ(beyond.connections(), 1);
  let_through.destroy_target();
}

}  // namespace
}  // namespace einlass::http::testing
