// Whether it is told that a server throws keys away.
#include "adapters/redis/nodes/eviction.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_server.h"

namespace einlass::redis::testing {
namespace {

// None: nothing was said in time.
std::optional<std::string> trouble_of(const StoreOptions& options) {
  boost::asio::io_context io(1);
  std::optional<std::string> told;
  const Eviction eviction(io, options, [&](const std::string& trouble) { told = trouble; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!told && std::chrono::steady_clock::now() < end) io.run_one_until(end);
  return told;
}

TEST(RedisEviction, APolicyThatRemovesKeysIsNamed) {
  RedisServer server({"--maxmemory", "64mb", "--maxmemory-policy", "volatile-lru"});
  const auto trouble = trouble_of(options_for(server.port()));
  ASSERT_TRUE(trouble);
  EXPECT_NE(trouble->find("has maxmemory-policy volatile-lru: "), std::string::npos) << *trouble;
}

TEST(RedisEviction, NothingIsSaidWhereEveryKeyStays) {
  RedisServer keeps({"--maxmemory", "64mb", "--maxmemory-policy", "noeviction"});
  EXPECT_EQ(trouble_of(options_for(keeps.port())), "");
  RedisServer endless({"--maxmemory", "0", "--maxmemory-policy", "allkeys-lru"});
  EXPECT_EQ(trouble_of(options_for(endless.port())), "");
}

TEST(RedisEviction, ALoginThatMayNotAskHearsOfNothing) {
  RedisServer server({"--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"});
  ASSERT_EQ(Control(server.port())({"ACL", "SETUSER", "default", "-info"}), "OK");
  EXPECT_EQ(trouble_of(options_for(server.port())), "");
}

TEST(RedisEviction, WhatInfoSaysIsReadLineByLine) {
  EXPECT_EQ(read_eviction("# Memory\r\nmaxmemory:5\r\nmaxmemory_policy:allkeys-lfu\r\n"),
            "allkeys-lfu");
  EXPECT_EQ(read_eviction("maxmemory:5\nmaxmemory_policy:noeviction"), "");
  EXPECT_EQ(read_eviction("maxmemory_policy:allkeys-lru\r\n"), "");
  EXPECT_EQ(read_eviction("maxmemory_human:1K\r\nmaxmemory:5\r\nmaxmemory_policy:"), "");
  EXPECT_EQ(read_eviction(""), "");
}

}  // namespace
}  // namespace einlass::redis::testing
