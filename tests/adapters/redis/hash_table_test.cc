// The fleet's table in a real Redis.
#include "adapters/redis/table/hash_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <memory>
#include <vector>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_group.h"
#include "adapters/table_listener.h"

namespace einlass::redis::testing {
namespace {

using einlass::testing::run_until;
using einlass::testing::TableListener;
using einlass::testing::write_and_wait;
using Texts = TableListener::Texts;

constexpr char kHash[] = "test:quotas:{test}";

// There was a change once: where there was none, the first is a reason to read all again.
void begin_changes(Control& control) {
  control({"XADD", std::string(kHash) + ":changes", "*", "other", "x"});
}

struct Reader {
  explicit Reader(const StoreOptions& options) : table(io, options, listener) {}

  bool until(const std::function<bool()>& done) { return run_until(io, done); }
  bool until_whole() {
    return until([this] { return listener.wholes > 0; });
  }

  boost::asio::io_context io;
  TableListener listener;
  HashTable table;
};

TEST(HashTable, ReadsWhatIsThereAndThenWhatComes) {
  RedisServer server;
  Control control(server.port());
  control({"HSET", kHash, "per_tenant/acme", "1"});
  begin_changes(control);
  Reader first(options_for(server.port())), second(options_for(server.port()));
  ASSERT_TRUE(first.until_whole() && second.until_whole());
  EXPECT_EQ(second.listener.texts, (Texts{{"per_tenant/acme", "1"}}));

  EXPECT_EQ(write_and_wait(first.io, first.table, "per_tenant/b", "2"), "");
  EXPECT_EQ(write_and_wait(first.io, first.table, "per_tenant/acme", std::nullopt), "");
  const Texts now{{"per_tenant/b", "2"}};
  EXPECT_TRUE(second.until([&] { return second.listener.texts == now; }));
  EXPECT_TRUE(first.until([&] { return first.listener.texts == now; })) << "also by who wrote it";
  EXPECT_EQ(second.listener.wholes, 1) << "by the stream, not by reading all again";
}

TEST(HashTable, ReadsAllOfALargeHash) {
  RedisServer server;
  Control control(server.port());
  for (int i = 0; i < 5'000; ++i) control({"HSET", kHash, "l/" + std::to_string(i), "{}"});
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(reader.listener.texts.size(), 5'000u);
}

// A change that only the stream has, in the middle of the hash: it is told before all is read.
TEST(HashTable, HearsOfChangesWhileItReadsALargeHash) {
  RedisServer server;
  Control control(server.port());
  for (int i = 0; i < 5'000; ++i) control({"HSET", kHash, "l/" + std::to_string(i), "{}"});
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until([&] { return reader.listener.entries > 0; }));
  ASSERT_EQ(reader.listener.wholes, 0);
  control({"XADD", std::string(kHash) + ":changes", "*", "key", "late", "text", "1"});
  ASSERT_TRUE(reader.until([&] { return reader.listener.texts.contains("late"); }));
  EXPECT_EQ(reader.listener.wholes, 0);
  EXPECT_TRUE(reader.until_whole());
}

TEST(HashTable, ReadsAllAgainWhereTheStreamHasForgotten) {
  RedisServer server;
  Control control(server.port());
  begin_changes(control);
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"), "");
  ASSERT_TRUE(reader.until([&] { return reader.listener.texts.size() == 1; }));
  // More than it is told at a look, and then all but the last is forgotten.
  control({"MULTI"});
  control({"HSET", kHash, "l/b", "2"});
  control({"XADD", std::string(kHash) + ":changes", "*", "key", "l/b", "text", "2"});
  control({"HSET", kHash, "l/c", "3"});
  control({"XADD", std::string(kHash) + ":changes", "MAXLEN", "1", "*", "key", "l/c", "text", "3"});
  control({"EXEC"});
  const Texts now{{"l/a", "1"}, {"l/b", "2"}, {"l/c", "3"}};
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == now; }));
  EXPECT_EQ(reader.listener.wholes, 2);
}

// So does one that had none when it was read, and forgets some before anybody looks.
TEST(HashTable, ReadsAllAgainWhereTheFirstChangesMayBeForgotten) {
  RedisServer server;
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  Control control(server.port());
  control({"MULTI"});
  control({"HSET", kHash, "l/a", "1"});
  control({"HSET", kHash, "l/b", "2"});
  control({"XADD", std::string(kHash) + ":changes", "*", "key", "l/b", "text", "2"});
  control({"EXEC"});
  const Texts now{{"l/a", "1"}, {"l/b", "2"}};
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == now; }));
  EXPECT_EQ(reader.listener.wholes, 2);
}

TEST(HashTable, KeepsWhatItKnowsWhileRedisIsAwayAndReadsAllAfterwards) {
  RedisServer server;
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"), "");
  ASSERT_TRUE(reader.until([&] { return reader.listener.texts.size() == 1; }));
  server.kill();
  ASSERT_TRUE(reader.until([&] { return !reader.listener.trouble.empty(); }));
  EXPECT_EQ(reader.listener.texts.size(), 1u);
  EXPECT_NE(write_and_wait(reader.io, reader.table, "l/b", "2"), "");
  ASSERT_TRUE(server.start());
  Control(server.port())({"HSET", kHash, "l/z", "9"});
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == Texts{{"l/z", "9"}}; }));
  EXPECT_EQ(reader.listener.trouble, "");
}

TEST(HashTable, ReadsAllOnANewConnectionWhoeverNoticedThatTheOldOneWasLost) {
  RedisServer server;
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  server.kill();
  EXPECT_NE(write_and_wait(reader.io, reader.table, "l/b", "2"), "");
  ASSERT_TRUE(server.start());
  Control(server.port())({"HSET", kHash, "l/z", "9"});
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == Texts{{"l/z", "9"}}; }));
}

TEST(HashTable, PassesOverChangesThatAreNoneOfOurs) {
  RedisServer server;
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  Control(server.port())({"XADD", std::string(kHash) + ":changes", "*", "other", "x"});
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"), "");
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == Texts{{"l/a", "1"}}; }));
}

// More than a look brings, and then again more behind what is ours.
TEST(HashTable, FindsItsOwnBehindManyChangesThatAreNoneOfOurs) {
  RedisServer server;
  Control control(server.port());
  begin_changes(control);
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  for (const char* key : {"l/a", "l/b"}) {
    for (int i = 0; i < 700; ++i) control({"XADD", std::string(kHash) + ":changes", "*", "o", "x"});
    EXPECT_EQ(write_and_wait(reader.io, reader.table, key, "1"), "");
    EXPECT_TRUE(reader.until([&] { return reader.listener.texts.contains(key); })) << key;
  }
  EXPECT_EQ(reader.listener.wholes, 1) << "by the stream, not by reading all again";
}

// By Redis' own word, which comes before the call is over.
TEST(HashTable, SaysHowManyReplicasHaveWhatWasWritten) {
  RedisServer server;
  StoreOptions options = options_for(server.port());
  options.wait_replicas = 1;
  Reader reader(options);
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"),
            "only 0 of 1 replicas have it (redis.wait_replicas); write it again");
}

// What can be read is read on, on the same connection.
TEST(HashTable, IsNotReadAgainWhereAWriteIsRefused) {
  RedisServer server;
  Control control(server.port());
  begin_changes(control);
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  ASSERT_EQ(control({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_TRUE(write_and_wait(reader.io, reader.table, "l/a", "1").starts_with("Redis is out of"));
  ASSERT_EQ(control({"CONFIG", "SET", "maxmemory", "0"}), "OK");
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "2"), "");
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == Texts{{"l/a", "2"}}; }));
  EXPECT_EQ(reader.listener.readings, 1);
}

TEST(HashTable, SaysWhatIsWrongWithTheKey) {
  RedisServer server;
  Control(server.port())({"SET", kHash, "no hash"});
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until([&] { return reader.listener.trouble.starts_with("WRONGTYPE"); }));
  EXPECT_EQ(reader.listener.wholes, 0);
}

TEST(HashTable, FollowsAPrimaryThatSentinelsName) {
  SentinelGroup group;
  Reader reader(group.options());
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"), "");
  ASSERT_TRUE(reader.until([&] { return reader.listener.texts.size() == 1; }));
  Control(group.sentinel(0).port())({"SENTINEL", "FAILOVER", "mymaster"});
  // The old one is a replica soon, and then refuses: the next try goes to the new one.
  EXPECT_TRUE(
      reader.until([&] { return write_and_wait(reader.io, reader.table, "l/b", "2").empty(); }));
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts.contains("l/b"); }));
}

// Sentinels by the server that each of them names. They are too few to replace one.
class FewSentinels {
 public:
  explicit FewSentinels(std::initializer_list<const RedisServer*> named) {
    for (const RedisServer* one : named) {
      const std::string file = directory_.file(std::to_string(sentinels_.size()));
      std::ofstream(file) << "sentinel monitor mymaster 127.0.0.1 " << one->port() << " 3\n"
                          << "sentinel down-after-milliseconds mymaster 60000\n";
      sentinels_.push_back(std::make_unique<RedisServer>(std::vector<std::string>{}, file));
    }
  }

  std::uint16_t port(std::size_t i) const { return sentinels_[i]->port(); }
  StoreOptions options() const {
    StoreOptions options = options_for(1);  // Nobody listens there, and nobody is to ask.
    for (const auto& one : sentinels_) options.sentinels.push_back({"127.0.0.1", one->port()});
    return options;
  }

 private:
  TemporaryDirectory directory_;
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

// It takes writes for some seconds more, and nobody will ever see them. The other Sentinel has not
// heard of it.
TEST(HashTable, LeavesAPrimaryThatWasReplacedWhileItLives) {
  RedisServer old, next;
  const FewSentinels sentinels{&old, &old};
  Reader reader(sentinels.options()), writer(options_for(next.port()));
  ASSERT_TRUE(reader.until_whole());
  ASSERT_TRUE(writer.until_whole());
  EXPECT_EQ(write_and_wait(writer.io, writer.table, "l/next", "1"), "");
  Control control(sentinels.port(0));
  control({"SENTINEL", "REMOVE", "mymaster"});
  control({"SENTINEL", "MONITOR", "mymaster", "127.0.0.1", std::to_string(next.port()), "1"});
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts.contains("l/next"); }));
}

// The one that is asked first has not heard yet who the primary is.
TEST(HashTable, PassesOverASentinelThatNamesAReplica) {
  RedisServer primary;
  const auto replica = replica_of(primary);
  const FewSentinels sentinels{replica.get(), &primary};
  Reader reader(sentinels.options());
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"), "");
}

TEST(HashTable, FindsTheNodeOfAClusterWhereTheOneOfTheUrlIsGone) {
  ClusterGroup group;
  const std::size_t owner = ClusterGroup::owner_of(hash_slot(kHash));
  group.add_replica_of(owner);
  auto options = group.options();
  options.port = group.server(owner).port();
  Reader reader(options);
  ASSERT_TRUE(reader.until_whole());
  group.server(owner).kill();
  EXPECT_TRUE(reader.until(
      [&] { return write_and_wait(reader.io, reader.table, "l/a", "1").empty(); }));
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts.contains("l/a"); }));
}

class MovingHashTable : public ::testing::Test {
 protected:
  void begin() { group.begin_move(kSlot, kFrom, kTo); }
  void move(const std::string& key) { group.move_key(key, kFrom, kTo); }

  const std::uint16_t kSlot = hash_slot(kHash);
  const std::size_t kFrom = ClusterGroup::owner_of(kSlot), kTo = (kFrom + 1) % 3;
  ClusterGroup group;
};

// What has gone is asked at the next node and what has not at its own: nothing reads as empty.
TEST_F(MovingHashTable, IsReadAndWrittenOnTheWay) {
  Reader first(group.options());
  ASSERT_TRUE(first.until_whole());
  EXPECT_EQ(write_and_wait(first.io, first.table, "l/a", "1"), "");
  begin();
  EXPECT_EQ(write_and_wait(first.io, first.table, "l/b", "2"), "");
  move(std::string(kHash) + ":changes");
  EXPECT_EQ(write_and_wait(first.io, first.table, "l/c", "3"),
            "its slot is on its way to another node of the cluster; write it again");
  Reader second(group.options());
  ASSERT_TRUE(second.until_whole()) << second.listener.trouble;
  EXPECT_EQ(second.listener.texts, (Texts{{"l/a", "1"}, {"l/b", "2"}}));
  move(kHash);
  EXPECT_EQ(write_and_wait(first.io, first.table, "l/c", "3"), "");
  Reader third(group.options());
  ASSERT_TRUE(third.until_whole()) << third.listener.trouble;
  group.end_move(kSlot, kTo);
  EXPECT_EQ(write_and_wait(first.io, first.table, "l/d", "4"), "");
  const Texts now{{"l/a", "1"}, {"l/b", "2"}, {"l/c", "3"}, {"l/d", "4"}};
  for (Reader* reader : {&first, &second, &third}) {
    EXPECT_TRUE(reader->until([&] { return reader->listener.texts == now; }));
    EXPECT_EQ(reader->listener.trouble, "");
  }
}

// The step that comes next is another node's, which knows nothing of the first one's cursor.
TEST_F(MovingHashTable, IsReadAnewWhereItGoesInTheMiddle) {
  Control control = group.control(kFrom);
  for (int i = 0; i < 5'000; ++i) control({"HSET", kHash, "l/" + std::to_string(i), "{}"});
  begin();
  Reader reader(group.options());
  ASSERT_TRUE(reader.until([&] { return reader.listener.entries > 0; }));
  ASSERT_EQ(reader.listener.wholes, 0);
  move(kHash);
  ASSERT_TRUE(reader.until_whole()) << reader.listener.trouble;
  EXPECT_EQ(reader.listener.texts.size(), 5'000u);
}

// In a node's name nobody else can say whether its replicas have it.
TEST_F(MovingHashTable, SaysThatNobodyKnowsOfReplicas) {
  auto options = group.options();
  options.wait_replicas = 1;
  Reader reader(options);
  ASSERT_TRUE(reader.until_whole());
  EXPECT_TRUE(write_and_wait(reader.io, reader.table, "l/a", "1").starts_with("only 0 of 1"));
  begin();
  group.move_keys(kSlot, kFrom, kTo);
  EXPECT_TRUE(write_and_wait(reader.io, reader.table, "l/a", "2").starts_with("nobody knows"));
}

TEST(HashTable, FindsTheNodeOfACluster) {
  ClusterGroup group;
  for (std::size_t i = 0; i < 2; ++i) {
    Reader reader(group.options());
    ASSERT_TRUE(reader.until_whole());
    EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/" + std::to_string(i), "1"), "");
    EXPECT_TRUE(reader.until([&] { return reader.listener.texts.size() == i + 1; }));
  }
}

}  // namespace
}  // namespace einlass::redis::testing
