// What is published is heard, and a connection that is of no use is given up: on real servers.
#include "adapters/redis/nodes/listener.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_server.h"

namespace einlass::redis::testing::listening {
namespace {

using namespace std::chrono_literals;

const std::string kChannel = "test:news";

struct Side {
  explicit Side(std::uint16_t port)
      : options(options_for(port)), listener(io, options, kChannel, [this](const auto& refused) {
          ++heard;
          if (!refused.empty()) refusals.push_back(refused);
        }) {}

  void turn(int times) {
    for (int i = 0; i < times; ++i) {
      if (io.stopped()) io.restart();
      io.run_for(1ms);
    }
  }
  bool until(const std::function<bool()>& condition) {
    return eventually([&] {
      turn(1);
      return condition();
    });
  }
  bool listens_to(std::uint16_t port, Steady::time_point now = Steady::now()) {
    listener.listen_to({"127.0.0.1", port}, now);
    return until([&] { return listener.listening(); });
  }

  boost::asio::io_context io;
  StoreOptions options;
  int heard = 0;
  std::vector<std::string> refusals;
  Listener listener;
};

std::string listeners(Control& control) {
  return control.element({"PUBSUB", "NUMSUB", kChannel}, 1);
}

TEST(RedisListener, HearsThatItListensAndWhatIsPublished) {
  RedisServer server;
  Control control(server.port());
  Side side(server.port());
  ASSERT_TRUE(side.listens_to(server.port()));
  EXPECT_EQ(side.heard, 1);
  EXPECT_EQ(control({"PUBLISH", "test:else", "x"}), "0");
  EXPECT_EQ(control({"PUBLISH", kChannel, std::string(100'000, 'x')}), "1");
  ASSERT_TRUE(side.until([&] { return side.heard == 2; }));
  EXPECT_TRUE(side.refusals.empty());
}

TEST(RedisListener, LogsInWithThePasswordThatItsServerWants) {
  RedisServer server({"--requirepass", "right"});
  Side side(server.port());
  side.options.login.password = "wrong";
  side.listener.listen_to({"127.0.0.1", server.port()}, Steady::now());
  ASSERT_TRUE(side.until([&] { return !side.refusals.empty(); }));
  EXPECT_EQ(side.refusals[0].find("wrong "), std::string::npos);
  side.options.login.password = "right";
  EXPECT_TRUE(side.listens_to(server.port(), Steady::now() + 2s));
}

TEST(RedisListener, ARefusalIsToldAndTriedAgainLaterAndLater) {
  RedisServer server;
  Control control(server.port());
  ASSERT_EQ(control({"ACL", "SETUSER", "default", "resetchannels"}), "OK");
  Side side(server.port());
  const Address address{"127.0.0.1", server.port()};
  auto now = Steady::now();
  for (const auto wait : {0s, 1s, 2s}) {
    if (wait > 0s) {
      side.listener.listen_to(address, now + wait - 500ms);  // Too early.
      side.turn(50);
      EXPECT_EQ(side.heard, 0);
    }
    side.listener.listen_to(address, now += wait + 100ms);
    ASSERT_TRUE(side.until([&] { return side.heard > 0; }));
    ASSERT_EQ(side.refusals.size(), 1u) << wait.count();
    EXPECT_NE(side.refusals[0].find("NOPERM"), std::string::npos) << side.refusals[0];
    side.heard = 0;
    side.refusals.clear();
    now = Steady::now();
  }
  ASSERT_EQ(control({"ACL", "SETUSER", "default", "allchannels"}), "OK");
  EXPECT_TRUE(side.listens_to(server.port(), Steady::now() + 5s));
}

TEST(RedisListener, ALostConnectionIsToldAndMadeAgain) {
  RedisServer server;
  Control control(server.port());
  Side side(server.port());
  ASSERT_TRUE(side.listens_to(server.port()));
  ASSERT_EQ(control({"CLIENT", "KILL", "TYPE", "pubsub"}), "1");
  ASSERT_TRUE(side.until([&] { return side.heard == 2; }));
  EXPECT_FALSE(side.listener.listening());
  EXPECT_TRUE(side.refusals.empty());
  EXPECT_TRUE(side.listens_to(server.port(), Steady::now() + 2s));
}

TEST(RedisListener, AServerThatIsSilentIsAskedAndThenLeft) {
  RedisServer server;
  Control control(server.port());
  Side side(server.port());
  ASSERT_TRUE(side.listens_to(server.port()));
  const Address address{"127.0.0.1", server.port()};
  const auto pings = [&] {
    const std::string info = control({"INFO", "commandstats"});
    return info.find("cmdstat_ping:") != std::string::npos;
  };
  side.listener.listen_to(address, Steady::now() + 5s);
  side.turn(50);
  EXPECT_FALSE(pings());
  side.listener.listen_to(address, Steady::now() + 11s);
  EXPECT_TRUE(side.until(pings));
  EXPECT_TRUE(side.listener.listening());
  side.listener.listen_to(address, Steady::now() + 25s);
  EXPECT_FALSE(side.listener.listening());
  EXPECT_EQ(side.heard, 2);
}

TEST(RedisListener, AnotherServerIsListenedToAtOnceAndTheFirstNoLonger) {
  RedisServer first, second;
  Control of_first(first.port());
  Side side(first.port());
  ASSERT_TRUE(side.listens_to(first.port()));
  side.listener.listen_to({"127.0.0.1", second.port()}, Steady::now());
  EXPECT_FALSE(side.listener.listening());
  EXPECT_TRUE(side.listens_to(second.port()));
  EXPECT_TRUE(eventually([&] { return listeners(of_first) == "0"; }));
}

}  // namespace
}  // namespace einlass::redis::testing::listening
