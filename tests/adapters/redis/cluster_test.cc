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

  // One key is here and one there: the bucket and the memo.
  shared_->move_key(key(line), 0, 1);
  ASSERT_FALSE(side.answer(line, 1)) << "TRYAGAIN";
  ASSERT_TRUE(side.find<core::PermitsFailed>());
  EXPECT_LE(side.find<core::PermitsFailed>()->wait, Duration::millis(50));
  EXPECT_TRUE(side.store->status().up);
  const core::AskId failed{side.last_ask};

  shared_->move_keys(slot(line), 0, 1);
  const auto* answer = side.answer_again(line, failed, 1);  // ASK
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 1u);
  EXPECT_EQ(side.answer(line, 2)->due.size(), 2u);
  EXPECT_EQ(shared_->control(1)({"INFO", "errorstats"}).find("MOVED"), std::string::npos);

  shared_->end_move(slot(line), 1);
  EXPECT_EQ(side.answer(line, 10)->due.size(), 4u) << "MOVED, and nothing was paid twice";
  ASSERT_EQ(ask_all(side, 1), kLines);
  EXPECT_EQ(shared_->control(1)({"ZCARD", key(line)}), "10");
  EXPECT_EQ(side.store->status().errors, 0u);

  shared_->begin_move(slot(line), 1, 0);
  shared_->move_keys(slot(line), 1, 0);
  shared_->end_move(slot(line), 0);
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
  const auto ask_one_each = [&] {
    side.events.clear();
    for (std::uint32_t i = 0; i < kLines; ++i) {
      const bool again = failed[i].value != 0;
      const core::AskId id = again ? failed[i] : core::AskId{++side.last_ask};
      side.store->ask({{i}, id, {1}, {1}, {}, {1}, again});
    }
    side.store->flush();
    side.until([&] { return side.events.size() >= kLines; });
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
  EXPECT_EQ(side.count<core::StoreDown>(), 0u);
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

TEST(RedisClusterSlots, TheAnswerIsRead) {
  const auto read = [](std::string_view bytes) {
    ValueReader reader;
    reader.feed(bytes);
    EXPECT_EQ(reader.next(), ValueReader::Result::done);
    return read_slots(reader.value(), "10.0.0.9");
  };
  const auto slots = read(
      "*2\r\n*4\r\n:0\r\n:5460\r\n*3\r\n$8\r\n10.0.0.1\r\n:7000\r\n$1\r\na\r\n*2\r\n$1\r\nx\r\n:"
      "1\r\n"
      "*3\r\n:5461\r\n:16383\r\n*4\r\n$-1\r\n:7001\r\n$1\r\nb\r\n*0\r\n");
  ASSERT_TRUE(slots);
  ASSERT_EQ(slots->size(), 2u);
  EXPECT_EQ((*slots)[0].last, 5460);
  EXPECT_EQ((*slots)[0].primary, (Address{"10.0.0.1", 7000}));
  EXPECT_EQ((*slots)[1].primary, (Address{"10.0.0.9", 7001})) << "who has no name is who was asked";
  for (const char* bad : {":1\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
                          "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                          "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                          "*2\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\nh\r\n:1\r\n"
                          "*3\r\n:0\r\n:0\r\n*2\r\n$1\r\ng\r\n:1\r\n",
                          "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                          "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:65536\r\n",
                          "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nh\r\n"}) {
    EXPECT_FALSE(read(bad)) << bad;
  }
}

TEST(RedisClusterSlots, AnyBytesAreReadOrRefused) {
  const std::string whole = "*2\r\n:1\r\n*2\r\n$3\r\nabc\r\n+OK\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ValueReader reader;
    reader.feed({whole.data(), size});
    EXPECT_EQ(reader.next(), ValueReader::Result::more_needed) << size;
    reader.feed(std::string_view(whole).substr(size));
    EXPECT_EQ(reader.next(), ValueReader::Result::done) << size;
    EXPECT_EQ(reader.value().elements[1].elements[0].text, "abc");
    EXPECT_EQ(reader.next(), ValueReader::Result::more_needed);
  }
  for (const char* bad : {"?\r\n", "\r\n", ":x\r\n", "$-2\r\n", "*-2\r\n", "*1000001\r\n",
                          "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"}) {
    ValueReader reader;
    reader.feed(std::string_view(bad));
    EXPECT_EQ(reader.next(), ValueReader::Result::broken) << bad;
  }
}

TEST(RedisClusterSlots, NoAnswerIsWaitedForWithoutEnd) {
  ValueReader reader;
  reader.feed(std::string_view("$9999999999\r\n"));
  const std::string piece(64 * 1024, 'x');
  std::size_t fed = 0;
  while (reader.next() == ValueReader::Result::more_needed && fed < 2 * kLongestAnswer) {
    reader.feed(piece);
    fed += piece.size();
  }
  EXPECT_EQ(reader.next(), ValueReader::Result::broken);
  EXPECT_LE(fed, kLongestAnswer + piece.size());
}

TEST(RedisClusterSlots, AKeyLivesWhereRedisSays) {
  EXPECT_EQ(hash_slot("123456789"), 0x31c3 % 16'384);
  EXPECT_EQ(hash_slot("{user1000}.following"), hash_slot("user1000"));
  EXPECT_NE(hash_slot("foo{}{bar}"), hash_slot("bar"));
  EXPECT_EQ(hash_slot("foo{{bar}}zap"), hash_slot("{bar"));
  EXPECT_EQ(hash_slot("foo{bar}{zap}"), hash_slot("bar"));
}

}  // namespace
}  // namespace einlass::redis::testing
