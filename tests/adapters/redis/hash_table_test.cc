// The fleet's table in a real Redis.
#include "adapters/redis/table/hash_table.h"

#include <gtest/gtest.h>

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

TEST(HashTable, ReadsAllAgainWhereTheStreamHasForgotten) {
  RedisServer server;
  Reader reader(options_for(server.port()));
  ASSERT_TRUE(reader.until_whole());
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/a", "1"), "");
  ASSERT_TRUE(reader.until([&] { return reader.listener.texts.size() == 1; }));
  // More than it is told at a look, and then all but the last is forgotten.
  Control control(server.port());
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
