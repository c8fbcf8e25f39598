// What a target says to one gate, heard by all: two stores on real servers.
#include "adapters/redis/calls/holds.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_group.h"

namespace einlass::redis::testing {
namespace {

using namespace std::chrono_literals;

constexpr core::TargetId kBilling{0}, kAudit{1};

StoreOptions sharing(StoreOptions options) {
  options.targets = {{kBilling, "billing"}, {kAudit, "audit"}};
  return options;
}

// Two gates, of which the second is listened to while both turn.
struct Fleet {
  explicit Fleet(const StoreOptions& options) : first(sharing(options)), second(sharing(options)) {}

  bool up() { return first.until_up() && second.until_up(); }
  // How long it took until the second was told of a hold; none if it never was.
  std::optional<std::chrono::milliseconds> heard(std::chrono::milliseconds limit) {
    const auto begin = Steady::now();
    while (Steady::now() - begin < limit) {
      for (GateSide* side : {&first, &second}) {
        if (side->io.stopped()) side->io.restart();
        side->io.run_one_for(1ms);
      }
      if (second.find<core::TargetHold>()) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - begin);
      }
    }
    return std::nullopt;
  }

  GateSide first, second;
};

TEST(HoldKey, IsNoBucketsKeyAndAllShareASlot) {
  EXPECT_EQ(hold_key("einlass", "billing"), "einlass:hold:{einlass}:billing");
  EXPECT_EQ(hash_slot(hold_key("einlass", "a")), hash_slot("einlass"));
}

TEST(Holds, TheSameOneIsNoNewsHoweverLongTheAnswerTook) {
  const std::vector<SharedTarget> targets = {{kBilling, "billing"}};
  core::Events events;
  Holds holds("test", targets, events);
  const auto answer = [&](Steady::time_point asked, std::chrono::milliseconds way,
                          std::int64_t left_ms) {
    std::string call;
    holds.append_call(call, asked);
    holds.answered(std::vector{left_ms}, asked + way);
    return std::exchange(events, {}).size();
  };
  const Steady::time_point begin = Steady::now();
  EXPECT_EQ(answer(begin, 2ms, 20'000), 1u);
  EXPECT_EQ(answer(begin + 1s, 400ms, 19'000), 0u);
  EXPECT_EQ(answer(begin + 2s, 400ms, 17'600), 0u);
  EXPECT_EQ(answer(begin + 3s, 400ms, 18'000), 1u) << "another, that ends a second later";
}

TEST(RedisHolds, WhatOneGateIsToldTheOtherLearns) {
  RedisServer server;
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  fleet.first.store->hold(kAudit, Duration::seconds(5));
  ASSERT_TRUE(fleet.heard(5s));
  const auto* hold = fleet.second.find<core::TargetHold>();
  EXPECT_EQ(hold->target, kAudit);
  EXPECT_LE(hold->length, Duration::seconds(5));
  EXPECT_GE(hold->length, Duration::seconds(4));
  // Once, and the gate that was told itself hears nothing.
  EXPECT_FALSE((fleet.second.events.clear(), fleet.heard(300ms)));
  EXPECT_EQ(fleet.first.count<core::TargetHold>(), 0u);
}

TEST(RedisHolds, AHoldGetsLongerAndNeverShorter) {
  RedisServer server;
  Control control(server.port());
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  fleet.first.store->hold(kBilling, Duration::seconds(20));
  ASSERT_TRUE(fleet.heard(5s));
  fleet.second.store->hold(kBilling, Duration::seconds(1));
  fleet.second.events.clear();
  EXPECT_FALSE(fleet.heard(200ms));
  EXPECT_GT(std::stoll(control({"PTTL", hold_key("test", "billing")})), 15'000);
  fleet.first.store->hold(kBilling, Duration::seconds(60));
  ASSERT_TRUE(fleet.heard(5s));
  EXPECT_GT(fleet.second.find<core::TargetHold>()->length, Duration::seconds(50));
}

TEST(RedisHolds, OneThatWouldLastLongerThanItsLengthBeginsAnew) {
  RedisServer server;
  Control(server.port())({"SET", hold_key("test", "audit"), "5000", "PX", "3600000"});
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  ASSERT_TRUE(fleet.heard(5s));
  EXPECT_LE(fleet.second.find<core::TargetHold>()->length, Duration::seconds(5));
}

TEST(RedisHolds, AGateThatStartsLaterLearnsOfIt) {
  RedisServer server;
  Control(server.port())({"SET", hold_key("test", "billing"), "by hand", "PX", "9000"});
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.heard(5s));
  EXPECT_GT(fleet.second.find<core::TargetHold>()->length, Duration::seconds(3));
}

TEST(RedisHolds, AHoldThatIsOverIsForgotten) {
  RedisServer server;
  Control control(server.port());
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  fleet.first.store->hold(kBilling,
                          Duration::seconds(1));  // Less is over unheard on a busy machine.
  ASSERT_TRUE(fleet.heard(5s));
  EXPECT_TRUE(eventually([&] { return control({"EXISTS", hold_key("test", "billing")}) == "0"; }));
}

TEST(RedisHolds, OthersThanTheSharedTargetsStayHere) {
  RedisServer server;
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  fleet.first.store->hold(core::TargetId{7}, Duration::seconds(5));
  EXPECT_FALSE(fleet.heard(200ms));
}

TEST(RedisHolds, WhatIsToldWhileRedisIsAwayIsToldWhenItIsBack) {
  RedisServer server;
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  server.kill();
  ASSERT_TRUE(fleet.first.until([&] { return !fleet.first.store->status().up; }));
  fleet.first.store->hold(kBilling, Duration::seconds(30));
  EXPECT_FALSE(fleet.heard(100ms));
  ASSERT_TRUE(server.start());
  ASSERT_TRUE(fleet.heard(10s));
  EXPECT_GT(fleet.second.find<core::TargetHold>()->length, Duration::seconds(10));
}

TEST(RedisHolds, AServerThatForbidsItIsTold) {
  RedisServer server;
  Control(server.port())({"ACL", "SETUSER", "default", "resetkeys", "~test:{*"});
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.second.until([&] { return fleet.second.notice("redis_holds") != nullptr; }));
  EXPECT_TRUE(fleet.second.until_up());
  EXPECT_EQ(std::count_if(fleet.second.notices.begin(), fleet.second.notices.end(),
                          [](const Notice& n) { return n.what == "redis_holds"; }),
            1);
}

TEST(RedisHolds, InAClusterTheyAreAtOneNode) {
  ClusterGroup cluster;
  Fleet fleet(cluster.options());
  ASSERT_TRUE(fleet.up());
  fleet.first.store->hold(kBilling, Duration::seconds(5));
  fleet.first.store->hold(kAudit, Duration::seconds(5));
  EXPECT_TRUE(
      eventually([&] { return fleet.heard(1s) && fleet.second.count<core::TargetHold>() == 2; }));
  const std::size_t owner = ClusterGroup::owner_of(hash_slot(hold_key("test", "billing")));
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    EXPECT_EQ(cluster.control(i).elements({"KEYS", "*:hold:*"}), i == owner ? 2u : 0u) << i;
  }
}

TEST(RedisHolds, AfterAFailoverTheyAreAtTheNewPrimary) {
  SentinelGroup group;
  Fleet fleet(group.options());
  ASSERT_TRUE(fleet.up());
  group.primary().kill();
  ASSERT_TRUE(group.failed_over());
  ASSERT_TRUE(fleet.first.until([&] { return fleet.first.store->status().up; }, 20s));
  ASSERT_TRUE(fleet.second.until([&] { return fleet.second.store->status().up; }, 20s));
  fleet.first.store->hold(kBilling, Duration::seconds(30));
  EXPECT_TRUE(fleet.heard(15s));
}

// How many looks at the holds a server has answered.
int looks(Control& control) {
  const std::string info = control({"INFO", "commandstats"});
  const std::size_t at = info.find("cmdstat_eval:calls=");
  return at == std::string::npos ? 0 : std::stoi(info.substr(info.find('=', at) + 1));
}

std::string listeners(Control& control) {
  return control.element({"PUBSUB", "NUMSUB", holds_channel("test")}, 1);
}

// A gate that listens.
struct ListeningGate : ::testing::Test {
  void SetUp() override { ASSERT_TRUE(listens()); }
  bool listens() {
    return side.until([&] { return side.store->status().up && listeners(control) == "1"; });
  }

  RedisServer server;
  Control control{server.port()};
  GateSide side{sharing(options_for(server.port()))};
};

TEST(RedisHolds, WhatOneGateIsToldTheOtherHearsAtOnce) {
  RedisServer server;
  Control control(server.port());
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  ASSERT_TRUE(eventually([&] {
    fleet.heard(10ms);
    return listeners(control) == "2";
  }));
  int heard = 0;
  const auto begin = Steady::now();
  while (Steady::now() - begin < 4s) {
    fleet.second.events.clear();
    fleet.first.store->hold(kAudit, Duration::seconds(10 * ++heard));
    ASSERT_TRUE(fleet.heard(5s));
  }
  EXPECT_GE(heard, 12) << "looks that come by themselves find five or six in that time";
}

TEST(RedisHolds, WhoMayNotPublishIsToldSo) {
  RedisServer server;
  Control(server.port())({"ACL", "SETUSER", "default", "-publish"});
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  fleet.first.store->hold(kAudit, Duration::seconds(20));
  EXPECT_TRUE(fleet.heard(5s));
  EXPECT_TRUE(fleet.first.until([&] { return fleet.first.notice("redis_publish") != nullptr; }));
  EXPECT_EQ(fleet.first.notice("redis_holds"), nullptr);
}

TEST_F(ListeningGate, LooksOnceASecond) {
  const int before = looks(control);
  side.until([] { return false; }, 2s);
  EXPECT_LE(looks(control) - before, 6) << "40 to 80 are those of a gate that does not listen";
}

TEST_F(ListeningGate, LooksAtEachMessage) {
  int seen = 0;
  ASSERT_TRUE(side.until([&] {
    if (looks(control) > seen) {
      seen = looks(control);
      control({"PUBLISH", holds_channel("test"), ""});
    }
    return seen >= 50;
  })) << "a look a second would take most of a minute; there were "
      << seen;
}

TEST_F(ListeningGate, LooksNoMoreOftenInAFloodOfMessages) {
  const int before = looks(control);
  const auto begin = Steady::now();
  for (int i = 0; i < 2'000; ++i) {
    control({"PUBLISH", holds_channel("test"), ""});
    side.io.poll();
  }
  const auto periods = (Steady::now() - begin) / kHoldsPeriod;
  EXPECT_LE(looks(control) - before, 2 * periods + 3);
}

TEST_F(ListeningGate, FindsWhatIsSetByHand) {
  side.until([] { return false; }, 200ms);  // It looks when it begins to listen.
  control({"SET", hold_key("test", "billing"), "1", "PX", "9000"});
  EXPECT_TRUE(side.until([&] { return side.find<core::TargetHold>() != nullptr; }));
}

TEST(RedisHolds, WhoMayNotListenIsToldSoAndLooksAllTheTime) {
  RedisServer server;
  Control control(server.port());
  control({"ACL", "SETUSER", "default", "resetchannels"});
  Fleet fleet(options_for(server.port()));
  ASSERT_TRUE(fleet.up());
  ASSERT_TRUE(
      fleet.second.until([&] { return fleet.second.notice("redis_subscribe") != nullptr; }));
  EXPECT_NE(fleet.second.notice("redis_subscribe")->detail.find("NOPERM"), std::string::npos);
  const int before = looks(control);
  EXPECT_TRUE(fleet.second.until([&] { return looks(control) - before > 50; }));
  // And what one gate may not publish is written all the same.
  fleet.first.store->hold(kAudit, Duration::seconds(5));
  EXPECT_TRUE(fleet.heard(5s));
  EXPECT_EQ(fleet.first.notice("redis_holds"), nullptr);
}

TEST_F(ListeningGate, LooksAllTheTimeUntilItListensAgain) {
  control({"ACL", "SETUSER", "default", "resetchannels"});  // Which ends its subscription too.
  const int before = looks(control);
  EXPECT_TRUE(side.until([&] { return looks(control) - before > 50; }));
  control({"ACL", "SETUSER", "default", "allchannels"});
  EXPECT_TRUE(listens());
}

// That is known all the time, and each of their calls is in vain until it has arrived.
TEST(RedisHolds, WhileTheirSlotIsOnItsWayNobodyIsAskedWhoHoldsIt) {
  ClusterGroup cluster;
  GateSide side(sharing(cluster.options()));
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes_up == 3; }));
  const std::uint16_t slot = hash_slot(hold_key("test", "billing"));
  const std::size_t from = ClusterGroup::owner_of(slot);
  cluster.begin_move(slot, from, (from + 1) % 3);
  for (std::size_t i = 0; i < 3; ++i) cluster.control(i)({"CONFIG", "RESETSTAT"});
  side.until([] { return false; }, 1s);
  int asked = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string info = cluster.control(i)({"INFO", "commandstats"});
    const std::size_t at = info.find("cmdstat_cluster");
    if (at != std::string::npos) asked += std::stoi(info.substr(info.find("calls=", at) + 6));
  }
  EXPECT_LT(asked, 4);
}

}  // namespace
}  // namespace einlass::redis::testing
