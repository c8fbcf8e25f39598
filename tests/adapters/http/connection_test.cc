// One connection by itself: the ways to a server that has more than one address.
#include "adapters/http/client/connection.h"

#include <gtest/gtest.h>

#include "adapters/http/scripted_server.h"

namespace einlass::http::testing {
namespace {

struct Owner : ConnectionOwner {
  void exchange_ended(Connection&, const Answer& answer) override { answers.push_back(answer); }
  void idle_closed(Connection&) override {}
  bool established(Connection&) override { return true; }
  void connect_failed(const Endpoint& address) override { failed.push_back(address); }

  std::vector<Answer> answers;
  std::vector<Endpoint> failed;
};

struct ConnectionTest : ::testing::Test {
  Endpoint nobody_there() {
    std::uint16_t port = 0;
    ::close(listen_on_free_port(port));
    return {boost::asio::ip::make_address("127.0.0.1"), port};
  }

  void exchange_over(const std::vector<Endpoint>& addresses) {
    const auto connection = std::make_shared<Connection>(io, settings, owner);
    RequestWriter(TargetOptions{}).write(Request{}, connection->request());
    connection->begin({}, {});
    connection->connect(addresses);
    while (owner.answers.empty() && io.run_one_for(std::chrono::seconds(10)) > 0) {
    }
    connection->close();
    ASSERT_EQ(owner.answers.size(), 1u);
  }

  boost::asio::io_context io{1};
  ConnectionSettings settings{.peer = "name:1", .timeout = "5s"};
  Owner owner;
};

TEST_F(ConnectionTest, goes_on_to_the_next_address) {
  ScriptedServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 204 No Content\r\n\r\n");
    peer.wait_for_end();
  });
  const Endpoint first = nobody_there();
  const Endpoint second = nobody_there();
  exchange_over({first, second, {boost::asio::ip::make_address("127.0.0.1"), server.port()}});
  EXPECT_EQ(owner.answers[0].status, 204u);
  EXPECT_EQ(owner.failed, (std::vector<Endpoint>{first, second}));
}

// A name may have thousands, and each of them takes time.
TEST_F(ConnectionTest, tries_sixteen_addresses_at_most) {
  exchange_over(std::vector<Endpoint>(20, nobody_there()));
  EXPECT_EQ(owner.answers[0].status, 0u);
  EXPECT_EQ(owner.failed.size(), 16u);
}

TEST_F(ConnectionTest, fails_with_the_last_address_when_none_is_left) {
  const Endpoint first = nobody_there();
  const Endpoint second = nobody_there();
  exchange_over({first, second});
  EXPECT_EQ(owner.answers[0].status, 0u);
  EXPECT_EQ(owner.answers[0].trouble,
            "connection refused (127.0.0.1:" + std::to_string(second.port()) + ")");
  EXPECT_EQ(owner.failed, (std::vector<Endpoint>{first, second}));
}

// The system takes connections for a server that hangs.
TEST_F(ConnectionTest, an_address_that_is_silent_in_the_handshake_has_failed) {
  ScriptedServer server([](Peer& peer) { peer.wait_for_end(); });
  const Endpoint silent{boost::asio::ip::make_address("127.0.0.1"), server.port()};
  const TlsContext tls(TlsOptions{});
  settings.tls = &tls;
  settings.server_name = "name";
  Deadlines deadlines(io, Duration::millis(200));
  const auto connection = std::make_shared<Connection>(io, settings, owner);
  RequestWriter(TargetOptions{}).write(Request{}, connection->request());
  deadlines.start(*connection);
  connection->begin({}, {});
  connection->connect({silent});
  while (owner.answers.empty() && io.run_one_for(std::chrono::seconds(10)) > 0) {
  }
  ASSERT_EQ(owner.answers.size(), 1u);
  EXPECT_EQ(owner.answers[0].trouble, "no TLS handshake within 5s (name:1)");
  EXPECT_EQ(owner.failed, std::vector<Endpoint>{silent});
}

TEST(Addresses, an_address_that_failed_is_tried_last_and_a_name_is_asked_for_once) {
  boost::asio::io_context io(1);
  int lookups = 0;
  Addresses literal(io, {"[::1]", 80}, {}, false, Duration::seconds(30), Duration::seconds(5),
                    [](const std::string&) {});
  EXPECT_TRUE(literal.known(std::chrono::steady_clock::now()));
  EXPECT_EQ(literal.list().at(0).address().to_string(), "::1");
  literal.failed(literal.list()[0]);
  EXPECT_TRUE(literal.known(std::chrono::steady_clock::now()));

  Addresses name(io, {"localhost", 80}, {}, false, Duration::seconds(30), Duration::seconds(5),
                 [&](const std::string& trouble) {
                   EXPECT_EQ(trouble, "");
                   ++lookups;
                 });
  EXPECT_FALSE(name.known(std::chrono::steady_clock::now()));
  name.lookup();
  name.lookup();
  io.run();
  EXPECT_EQ(lookups, 1);
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(name.known(now));
  EXPECT_TRUE(name.known(now + std::chrono::seconds(29)));
  EXPECT_FALSE(name.known(now + std::chrono::seconds(31)));
  const Endpoint first = name.list().front();
  name.failed(first);
  EXPECT_EQ(name.list().back(), first);
  EXPECT_TRUE(name.known(std::chrono::steady_clock::now()));
  EXPECT_FALSE(name.known(now + std::chrono::seconds(2)));
}

struct Late : Timed {
  void expired() override { at = std::chrono::steady_clock::now(); }
  SteadyTime at{};
};

TEST(Deadlines, what_is_handed_over_keeps_its_time) {
  boost::asio::io_context io(1);
  Deadlines deadlines(io, Duration::millis(50));
  const auto start = std::chrono::steady_clock::now();
  Late first, second, taker;
  deadlines.start(first, start);
  deadlines.start(second, start + std::chrono::milliseconds(20));
  deadlines.hand_over(first, taker);
  io.run();
  EXPECT_EQ(first.at, SteadyTime{});
  EXPECT_GE(taker.at, start + std::chrono::milliseconds(50));
  EXPECT_GE(second.at, start + std::chrono::milliseconds(70));
  EXPECT_LT(taker.at, second.at);
}

}  // namespace
}  // namespace einlass::http::testing
