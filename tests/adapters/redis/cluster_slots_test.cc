// What a node of a cluster says of where slots are, and where a key is.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/nodes/cluster.h"
#include "adapters/redis/redis_group.h"

namespace einlass::redis::testing {
namespace {

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

// They are asked in turn, several times a second, for as long as one of them is not well.
TEST(RedisClusterSlots, NodesThatAreGoneAreToldOnce) {
  ClusterGroup cluster;
  GateSide side(cluster.options());
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes_up == 3; }));
  const auto said = [&](std::string_view what, std::string_view words) {
    return std::ranges::count_if(side.notices, [&](const Notice& notice) {
      return notice.what == what && notice.detail.find(words) != notice.detail.npos;
    });
  };
  const auto before = said("redis_cluster", "");
  cluster.server(2).kill();
  ASSERT_TRUE(side.until([&] { return said("redis_unreachable", "") == 1; }));
  EXPECT_FALSE(
      side.until([&] { return said("redis_cluster", "") > before; }, std::chrono::seconds(3)))
      << side.notices.back().detail;
  for (std::size_t i = 0; i < 2; ++i) cluster.server(i).kill();
  ASSERT_TRUE(side.until([&] { return said("redis_cluster", "") > before; }));
  const std::string url = "127.0.0.1:" + std::to_string(cluster.server(0).port());
  EXPECT_EQ(said("redis_cluster", "No node of the Redis cluster says who holds its slots"), 1);
  EXPECT_EQ(said("redis_cluster", "the last one, " + url), 1);
  EXPECT_FALSE(
      side.until([&] { return said("redis_cluster", "") > before + 1; }, std::chrono::seconds(2)));
}

}  // namespace
}  // namespace einlass::redis::testing
