// A real cluster: each line at its node, nodes that come and go, slots that move under way.
#include "adapters/redis/nodes/cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_group.h"

namespace einlass::redis::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kLines = 60;

class RedisCluster : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shared_ = new ClusterGroup; }
  static void TearDownTestSuite() { delete std::exchange(shared_, nullptr); }

  // Lines of one tenant each, spread over the nodes.
  static void add_lines(GateSide& side, const limits::Limit& limit) {
    for (std::uint32_t i = 0; i < kLines; ++i) {
      const Bucket bucket{&limit, tenant(i), true};
      side.store->add_line({i}, {&bucket, 1});
    }
  }
  static std::string tenant(std::uint32_t i) { return "tenant-" + std::to_string(i); }
  static std::string key(std::uint32_t i) {
    return "test:{" + tenant(i) + "}:callbacks:" + tenant(i);
  }
  static std::uint16_t slot(std::uint32_t i) { return hash_slot(tenant(i)); }
  static std::uint32_t line_at(std::size_t node) {
    std::uint32_t i = 0;
    while (ClusterGroup::owner_of(slot(i)) != node) ++i;
    return i;
  }
  void TearDown() override {
    for (std::size_t i = 0; i < shared_->size(); ++i) shared_->control(i)({"FLUSHALL"});
  }

  // All lines in one turn; how many were answered.
  static std::size_t ask_all(GateSide& side, std::int64_t max) {
    side.events.clear();
    for (std::uint32_t i = 0; i < kLines; ++i) side.ask(i, max);
    side.store->flush();
    side.until([&] {
      return side.count<core::PermitsAnswered>() + side.count<core::PermitsFailed>() == kLines;
    });
    return side.count<core::PermitsAnswered>();
  }

  static ClusterGroup* shared_;
  const limits::Limit limit_ = sliding_log("callbacks", 10);
};

ClusterGroup* RedisCluster::shared_ = nullptr;

TEST_F(RedisCluster, EachLineIsAskedOfTheNodeThatHasItsKeys) {
  GateSide side(shared_->options());
  add_lines(side, limit_);
  ASSERT_TRUE(side.until_up());
  EXPECT_EQ(side.store->status().nodes, 3u);
  EXPECT_EQ(side.store->status().nodes_up, 3u);
  ASSERT_EQ(ask_all(side, 4), kLines);
  std::set<std::size_t> used;
  for (std::uint32_t i = 0; i < kLines; ++i) {
    const std::size_t owner = ClusterGroup::owner_of(slot(i));
    used.insert(owner);
    EXPECT_EQ(shared_->control(owner)({"ZCARD", key(i)}), "4");
    EXPECT_EQ(shared_->control(owner)({"CLUSTER", "KEYSLOT", key(i)}), std::to_string(slot(i)));
  }
  EXPECT_EQ(used.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(shared_->control(i)({"INFO", "errorstats"}).find("MOVED"), std::string::npos)
        << "nothing was sent astray";
  }
  const auto* answer = side.answer(7, 10);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 6u);
  for (std::uint16_t i = 0; i < 6; ++i) {
    side.store->release({{7}, {answer->ask, i, answer->limiter_now, {1}}, {}});
  }
  side.store->flush();
  const std::size_t owner = ClusterGroup::owner_of(slot(7));
  const auto entries = [&] { return std::stoi(shared_->control(owner)({"ZCARD", key(7)})); };
  ASSERT_TRUE(side.until([&] { return entries() <= 5; })) << "what goes back goes there too";
  EXPECT_EQ(side.answer(7, 10)->due.size(), 6u);
}

TEST_F(RedisCluster, ALimitThatIsNotSpreadLivesInOneSlot) {
  GateSide side(shared_->options());
  for (std::uint32_t i = 0; i < 30; ++i) {
    const Bucket buckets[] = {{&limit_, tenant(i)}, {&limit_, ""}};
    side.store->add_line({i}, buckets);
  }
  ASSERT_TRUE(side.until_up());
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(side.answer(i, 1));
  const auto owner = ClusterGroup::owner_of(hash_slot("test"));
  EXPECT_EQ(shared_->control(owner)({"ZCARD", "test:{test}:callbacks:"}), "10");
}

TEST_F(RedisCluster, ALineWhoseBucketsLiveApartSaysSo) {
  GateSide side(shared_->options());
  const Bucket apart[] = {{&limit_, "acme", true}, {&limit_, "other", true}};
  const Bucket alone{&limit_, "acme", true};
  side.store->add_line({0}, apart);
  side.store->add_line({1}, {&alone, 1});
  ASSERT_TRUE(side.until_up());
  EXPECT_FALSE(side.answer(0, 1));
  EXPECT_TRUE(side.says("CROSSSLOT"));
  EXPECT_TRUE(side.says("Limit callbacks, callbacks"));
  EXPECT_TRUE(side.store->status().up);
  EXPECT_TRUE(side.answer(1, 1));
}

// It says so before it says that the slot is another's by now.
TEST_F(RedisCluster, ANodeThatTakesTheClusterForDownIsNotTheOnlyOneToBeAsked) {
  ClusterGroup cluster;
  auto options = cluster.options();
  options.port = cluster.server(1).port();
  GateSide side(options);
  add_lines(side, limit_);
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes_up == 3; }));
  const std::uint32_t line = line_at(0);
  ASSERT_TRUE(side.answer(line, 1));
  // What was still to be looked up as the nodes became well is by then.
  ASSERT_FALSE(side.until([&] { return side.store->status().nodes_up < 3; }, 600ms));
  std::uint32_t other = line + 1;
  while (ClusterGroup::owner_of(slot(other)) != 0 || slot(other) == slot(line)) ++other;
  ASSERT_EQ(cluster.control(0)({"CLUSTER", "DELSLOTS", std::to_string(slot(other))}), "OK");
  const std::string down = "(error) CLUSTERDOWN The cluster is down";
  ASSERT_TRUE(eventually([&] { return cluster.control(0)({"ZCARD", key(line)}) == down; }));
  for (std::size_t i = 1; i < 3; ++i) {
    ASSERT_EQ(cluster.control(i)(
                  {"CLUSTER", "SETSLOT", std::to_string(slot(line)), "NODE", cluster.id(1)}),
              "OK");
  }
  EXPECT_TRUE(side.until([&] { return side.answer(line, 1) != nullptr; }));
  EXPECT_TRUE(side.says("the Redis cluster is down (CLUSTERDOWN)"));
  EXPECT_EQ(cluster.control(1)({"ZCARD", key(line)}), "1");
}

TEST_F(RedisCluster, ASlotThatMovesIsFollowed) {
  GateSide side(shared_->options());
  add_lines(side, limit_);
  ASSERT_TRUE(side.until_up());
  ASSERT_EQ(ask_all(side, 2), kLines);
  const std::uint32_t line = line_at(0);
  shared_->begin_move(slot(line), 0, 1);
  ASSERT_TRUE(side.answer(line, 1)) << "the source still has all of its keys";

  // One key is here and one there: the bucket and the memo. The bucket is enough.
  shared_->move_key(key(line), 0, 1);
  ASSERT_TRUE(side.answer(line, 1)) << "TRYAGAIN, then ASK";
  EXPECT_FALSE(side.find<core::PermitsFailed>());
  std::uint32_t fresh = line + 1;
  while (slot(fresh) != slot(line)) ++fresh;
  const Bucket bucket{&limit_, tenant(fresh), true};
  side.store->add_line({fresh}, {&bucket, 1});
  ASSERT_TRUE(side.answer(fresh, 1)) << "who comes new while it moves has no key anywhere";

  shared_->move_keys(slot(line), 0, 1);
  EXPECT_EQ(side.answer(line, 1)->due.size(), 1u) << "ASK";
  EXPECT_EQ(side.answer(line, 2)->due.size(), 2u);
  EXPECT_EQ(shared_->control(1)({"INFO", "errorstats"}).find("MOVED"), std::string::npos);

  shared_->end_move(slot(line), 1);
  EXPECT_EQ(side.answer(line, 10)->due.size(), 3u) << "MOVED, and nothing was paid twice";
  ASSERT_EQ(ask_all(side, 1), kLines);
  EXPECT_EQ(shared_->control(1)({"ZCARD", key(line)}), "10");
  EXPECT_EQ(side.store->status().errors, 0u);

  shared_->begin_move(slot(line), 1, 0);
  shared_->move_keys(slot(line), 1, 0);
  shared_->end_move(slot(line), 0);
}

// As after a move that was broken off.
TEST_F(RedisCluster, ASlotThatDoesNotArriveIsTold) {
  GateSide side(shared_->options());
  const Bucket buckets[] = {{&limit_, "acme"}, {&limit_, ""}};
  constexpr std::uint32_t line = 0;
  side.store->add_line({line}, buckets);
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(line, 1));
  const std::uint16_t moving = hash_slot("test");
  const std::size_t from = ClusterGroup::owner_of(moving), to = (from + 1) % 3;
  shared_->begin_move(moving, from, to);
  shared_->move_key("test:{test}:callbacks:acme", from, to);
  while (!side.notice("redis_limit")) {
    ASSERT_FALSE(side.answer(line, 1)) << "TRYAGAIN";
    ASSERT_TRUE(side.find<core::PermitsFailed>());
  }
  EXPECT_EQ(side.find<core::PermitsFailed>()->wait, Duration::seconds(1));
  EXPECT_GT(side.store->status().errors, 0u);
  shared_->move_keys(moving, from, to);
  shared_->end_move(moving, to);
  EXPECT_TRUE(side.answer(line, 1));
  shared_->begin_move(moving, to, from);
  shared_->move_keys(moving, to, from);
  shared_->end_move(moving, from);
}

// Slots go to a new node and back while all lines ask: no bucket is ever paid more than its limit,
// and in the end all of it was granted.
TEST_F(RedisCluster, ReshardingUnderLoadAdmitsNeitherMoreNorLess) {
  const std::size_t fresh = shared_->add_primary();
  GateSide side(shared_->options());
  add_lines(side, limit_);
  ASSERT_TRUE(side.until_up());
  std::vector<std::int64_t> granted(kLines);
  std::vector<core::AskId> failed(kLines);
  std::size_t downs = 0;
  const auto ask_one_each = [&] {
    side.events.clear();
    for (std::uint32_t i = 0; i < kLines; ++i) {
      const bool again = failed[i].value != 0;
      const core::AskId id = again ? failed[i] : core::AskId{++side.last_ask};
      side.store->ask({{i}, id, {1}, {1}, {}, {1}, again});
    }
    side.store->flush();
    side.until([&] {
      return side.count<core::PermitsAnswered>() + side.count<core::PermitsFailed>() >= kLines;
    });
    downs += side.count<core::StoreDown>();
    for (const core::Event& event : side.events) {
      if (const auto* answer = std::get_if<core::PermitsAnswered>(&event)) {
        granted[answer->line.value] += static_cast<std::int64_t>(answer->due.size());
        failed[answer->line.value] = {};
      } else if (const auto* none = std::get_if<core::PermitsFailed>(&event)) {
        failed[none->line.value] = none->ask;
      }
    }
  };
  ask_one_each();
  for (const bool there : {true, false}) {
    for (std::uint32_t i = 0; i < kLines; i += 5) {
      const std::size_t home = ClusterGroup::owner_of(slot(i));
      const std::size_t from = there ? home : fresh, to = there ? fresh : home;
      shared_->begin_move(slot(i), from, to);
      ask_one_each();
      shared_->move_keys(slot(i), from, to);
      if (i % 2 == 0) ask_one_each();
      shared_->end_move(slot(i), to);
    }
    ask_one_each();
  }
  ASSERT_TRUE(side.until([&] {
    ask_one_each();
    return std::all_of(granted.begin(), granted.end(), [](auto n) { return n >= 10; });
  }));
  for (int i = 0; i < 3; ++i) ask_one_each();
  for (std::uint32_t i = 0; i < kLines; ++i) EXPECT_EQ(granted[i], 10) << tenant(i);
  EXPECT_EQ(downs, 0u);
}

TEST_F(RedisCluster, ASlotThatNobodyServesFailsOnlyItsLines) {
  ClusterGroup cluster;
  for (std::size_t i = 0; i < 3; ++i) {
    cluster.control(i)({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  }
  GateSide side(cluster.options());
  add_lines(side, limit_);
  ASSERT_TRUE(side.until_up());
  const std::uint32_t line = line_at(0);
  for (std::size_t i = 0; i < 3; ++i) {
    cluster.control(i)({"CLUSTER", "DELSLOTS", std::to_string(slot(line))});
  }
  EXPECT_FALSE(side.answer(line, 1));
  EXPECT_TRUE(side.says("CLUSTERDOWN")) << side.notices.back().detail;
  EXPECT_TRUE(side.answer(line_at(1), 1));
  EXPECT_TRUE(side.store->status().up);
  ASSERT_TRUE(side.until([&] { return side.says("are held by no node"); }));
  cluster.control(1)({"CLUSTER", "ADDSLOTS", std::to_string(slot(line))});
  EXPECT_TRUE(side.until([&] { return side.answer(line, 1) != nullptr; }));
}

// As while a replica takes over: the end of an attempt that is told then is not forgotten.
TEST_F(RedisCluster, APlaceThatComesFreeWhileNobodyServesItsSlotIsFreedAfterwards) {
  ClusterGroup cluster;
  for (std::size_t i = 0; i < 3; ++i) {
    cluster.control(i)({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  }
  const limits::Limit one_place{
      "places", limits::ConcurrencyParameters{Permits{1}, Duration::seconds(600)}};
  GateSide side(cluster.options());
  add_lines(side, one_place);
  ASSERT_TRUE(side.until_up());
  const std::uint32_t line = line_at(0);
  const auto* answer = side.answer(line, 1);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->due.size(), 1u);
  const core::Permit taken{answer->ask, 0, answer->limiter_now};
  const std::string number = std::to_string(slot(line));
  for (std::size_t i = 0; i < 3; ++i) cluster.control(i)({"CLUSTER", "DELSLOTS", number});
  side.store->ended({{line}, taken});
  side.store->flush();
  ASSERT_TRUE(side.until([&] { return side.says("CLUSTERDOWN"); }));
  cluster.control(0)({"CLUSTER", "ADDSLOTS", number});
  EXPECT_TRUE(side.until([&] {
    const auto* again = side.answer(line, 1);
    return again != nullptr && again->due.size() == 1;
  }));
}

TEST_F(RedisCluster, APrimaryThatDiesIsReplacedByItsReplicaAndFailsOnlyItsLines) {
  ClusterGroup cluster;
  const std::size_t replica = cluster.add_replica_of(0);
  GateSide side(cluster.options());
  add_lines(side, limit_);
  ASSERT_TRUE(side.until_up());
  ASSERT_EQ(ask_all(side, 4), kLines);
  Control follower = cluster.control(replica);
  const std::string there = cluster.control(0)({"DBSIZE"});
  ASSERT_TRUE(eventually([&] { return follower({"DBSIZE"}) == there; }));

  side.events.clear();
  cluster.server(0).kill();
  const std::uint32_t lost = line_at(0), other = line_at(1);
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes_up == 2; }));
  EXPECT_EQ(side.count<core::StoreDown>(), 0u);
  EXPECT_FALSE(side.answer(lost, 1));
  EXPECT_TRUE(side.answer(other, 1));
  ASSERT_TRUE(side.until([&] { return side.answer(lost, 10) != nullptr; }, 30s));
  EXPECT_EQ(side.find<core::PermitsAnswered>()->due.size(), 6u);
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes == 3; }))
      << "the dead one is forgotten";
  EXPECT_EQ(side.store->status().nodes_up, 3u);
}

// The other nodes are well, and nobody asks them: a namespace is in one slot.
TEST_F(RedisCluster, TheStoreIsNotUpWhileTheNodeOfAllThatIsAskedIsGone) {
  ClusterGroup cluster;
  GateSide side(cluster.options());
  const Bucket bucket{&limit_, tenant(0)};
  side.store->add_line({0}, {&bucket, 1});
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(0, 1));
  RedisServer& holder = cluster.server(ClusterGroup::owner_of(hash_slot("test")));
  holder.kill();
  EXPECT_TRUE(side.until([&] {
    side.answer(0, 1);
    return !side.store->status().up;
  }));
  EXPECT_EQ(side.store->status().nodes_up, 2u);
  const std::string why = side.store->status().trouble;
  EXPECT_NE(why.find("Redis at 127.0.0.1:" + std::to_string(holder.port())), why.npos) << why;
  ASSERT_TRUE(holder.start());
  EXPECT_TRUE(side.until([&] { return side.answer(0, 1) && side.store->status().up; }, 30s));
}

TEST_F(RedisCluster, TheStoreIsDownOnlyWhenNoNodeCanBeUsed) {
  ClusterGroup cluster;
  GateSide side(cluster.options());
  add_lines(side, limit_);
  ASSERT_TRUE(side.until_up());
  cluster.server(1).kill();
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes_up == 2; }));
  EXPECT_EQ(side.count<core::StoreDown>(), 0u);
  // Without a replica the others stop too: the whole cluster is down.
  ASSERT_TRUE(side.until(
      [&] {
        ask_all(side, 1);
        return side.says("the Redis cluster is down (CLUSTERDOWN)");
      },
      20s));
  EXPECT_TRUE(side.until([&] {
    ask_all(side, 1);
    return !side.store->status().up;
  }));
  ASSERT_TRUE(cluster.server(1).start());
  EXPECT_TRUE(side.until([&] { return ask_all(side, 1) == kLines; }, 30s));
}

}  // namespace
}  // namespace einlass::redis::testing
