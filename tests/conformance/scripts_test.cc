// What the scripts do to Redis besides answering: keys, members, expiry, and how much work a call
// is.
#include "lua/scripts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/both_stores.h"
#include "conformance/redis_server.h"

namespace einlass::conformance {
namespace {

constexpr std::int64_t kStart = 1'800'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

Rule log(std::int64_t limit, std::int64_t window, std::int64_t cost = 1) {
  return {limits::SlidingLogParameters{{limit}, {window}}, {cost}};
}
Rule bucket(std::int64_t permits, std::int64_t micros, std::int64_t burst, std::int64_t cost = 1) {
  return {limits::TokenBucketParameters{limits::reduced({permits, micros}), {burst}}, {cost}};
}

class Scripts : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new RedisServer; }
  static void TearDownTestSuite() { delete server_; }
  void SetUp() override { server_->call({"FLUSHALL"}); }

  std::int64_t integer(std::initializer_list<std::string> command) {
    const Reply reply = server_->call(command);
    EXPECT_EQ(reply->type, REDIS_REPLY_INTEGER) << (reply->str ? reply->str : "");
    return reply->integer;
  }
  std::string dump(const std::string& key) {
    const Reply reply = server_->call({"DUMP", key});
    return reply->type == REDIS_REPLY_STRING ? std::string(reply->str, reply->len) : "";
  }

  static RedisServer* server_;
};

RedisServer* Scripts::server_ = nullptr;

TEST_F(Scripts, UseTheServersClock) {
  RedisSide limit(*server_, "clock", {log(2, kSecond), bucket(1, kSecond, 2)});
  const auto since_1970 = [] {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const std::int64_t before = since_1970();
  EXPECT_EQ(limit.acquire({1, 3, 0}, 1, std::nullopt).granted, 2);
  EXPECT_GE(limit.last_now(), before);
  EXPECT_LE(limit.last_now(), since_1970());
  EXPECT_EQ(limit.peek(std::nullopt), (std::vector<std::int64_t>{0, 0}));
}

TEST_F(Scripts, ADenialWritesNothing) {
  RedisSide limit(*server_, "denial", {log(3, kSecond), bucket(1, kSecond, 1)});
  EXPECT_EQ(limit.acquire({2, 2, 0}, 1, kStart).granted, 0);
  EXPECT_EQ(integer({"DBSIZE"}), 0);  // Nor is it remembered.
  EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart).granted, 1);
  const std::string before = dump(limit.key(0)) + dump(limit.key(1));
  EXPECT_EQ(limit.acquire({1, 1, 0}, 3, kStart + 2).granted, 0);
  limit.peek(kStart + 5);
  EXPECT_EQ(dump(limit.key(0)) + dump(limit.key(1)), before);
}

TEST_F(Scripts, StateExpiresWhenItIsAsGoodAsFresh) {
  constexpr std::int64_t kSlack = 2'000;
  RedisSide slow(*server_, "slow", {log(9, 30 * kSecond + 1), bucket(1, 7 * kSecond, 9)}, kSlack);
  EXPECT_EQ(slow.acquire({3, 3, 0}, 1, kStart).granted, 3);
  EXPECT_LE(integer({"PTTL", slow.key(0)}), 30'001 + kSlack);  // Rounded up.
  EXPECT_GT(integer({"PTTL", slow.key(0)}), 29'000 + kSlack);
  EXPECT_LE(integer({"PTTL", slow.key(1)}), 21'000 + kSlack);
  EXPECT_GT(integer({"PTTL", slow.key(1)}), 20'000 + kSlack);
  // A bucket that is full sooner still remembers what may come back.
  RedisSide fast(*server_, "fast", {log(9, 1), bucket(5, 1, 9)}, kSlack);
  EXPECT_EQ(fast.acquire({1, 1, 0}, 1, kStart).granted, 1);
  EXPECT_GT(integer({"PTTL", fast.key(0)}), 0);
  EXPECT_GT(integer({"PTTL", fast.key(1)}), 9'000 + kSlack);
  // Bookings ahead live as long as they count.
  RedisSide ahead(*server_, "ahead", {log(1, kSecond)}, kSlack);
  EXPECT_EQ(ahead.acquire({1, 6, 5 * kSecond}, 1, kStart).granted, 6);
  EXPECT_GT(integer({"PTTL", ahead.key(0)}), 5'000 + kSlack);
}

TEST_F(Scripts, EveryKeyExpires) {
  RedisSide limit(*server_, "expiry", {log(2, kSecond), bucket(1, kSecond, 2)});
  limit.acquire({2, 2, 0}, 1, kStart);
  const std::vector<limits::Returned> ids = {{limits::permit_id(prefix(1), 0), {kStart}},
                                             {limits::permit_id(prefix(1), 1), {kStart}}};
  EXPECT_EQ(limit.release(ids, kStart), 2);  // Empties the log: only its mark is left.
  EXPECT_GT(integer({"PTTL", limit.key(0)}), 0);
  EXPECT_GT(integer({"PTTL", limit.key(1)}), 0);
}

TEST_F(Scripts, MembersAreTheIds) {
  RedisSide limit(*server_, "members", {log(9, kSecond)});
  limit.acquire({3, 3, 0}, 77, kStart);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 3);
  const std::string id = bytes(limits::permit_id(prefix(77), 2));
  EXPECT_EQ(id.size(), 16U);
  const Reply score = server_->call({"ZSCORE", limit.key(0), id});
  ASSERT_EQ(score->type, REDIS_REPLY_STRING);
  EXPECT_EQ(std::string(score->str), std::to_string(kStart));
}

TEST_F(Scripts, AnAskSentAgainPaysOnce) {
  RedisSide limit(*server_, "again", {log(9, 60 * kSecond), bucket(1, kSecond, 2)});
  const Asked again{2, 4, 5 * kSecond, true};
  EXPECT_EQ(limit.acquire(again, 1, kStart).due,
            (std::vector<std::int64_t>{0, 0, kSecond, 2 * kSecond}));
  const Result same{4, -2, -1, {0, 0}, {-kSecond, -kSecond, 0, kSecond}};
  EXPECT_EQ(limit.acquire(again, 1, kStart + kSecond), same);
  EXPECT_EQ(limit.acquire(again, 1, kStart + 10 * kSecond).due.front(), -10 * kSecond);
  EXPECT_EQ(limit.acquire(again, 1, kStart + 10 * kSecond + 1).due.front(), 0);  // Forgotten.
}

TEST_F(Scripts, WhatIsRememberedExpires) {
  RedisSide limit(*server_, "memo", {log(9, kSecond)}, 2'000);
  limit.acquire({1, 1, 0}, 1, kStart);
  EXPECT_GT(integer({"PTTL", limit.memo_key()}), 11'000);
  EXPECT_LE(integer({"PTTL", limit.memo_key()}), 12'000);
}

TEST_F(Scripts, AKeyOfSomethingElseIsAnErrorAndIsLeftAlone) {
  const std::vector<Rule> rules = {log(9, kSecond), bucket(1, kSecond, 2)};
  RedisSide limit(*server_, "foreign", rules);
  const std::vector<limits::Returned> ids = {{limits::permit_id(prefix(1), 0), {kStart}}};
  for (const std::size_t place : {0U, 1U}) {
    server_->call({"FLUSHALL"});
    server_->call({"SET", limit.key(place), "17"});
    const std::string before = dump(limit.key(place));
    const auto refused = [&](auto call) {
      try {
        call();
      } catch (const std::runtime_error& error) {
        return std::string(error.what()).starts_with("WRONGTYPE");
      }
      return false;
    };
    EXPECT_TRUE(refused([&] { limit.acquire({1, 1, 0}, 1, kStart); }));
    EXPECT_TRUE(refused([&] { limit.release(ids, kStart); }));
    EXPECT_TRUE(refused([&] { limit.peek(kStart); }));
    EXPECT_EQ(dump(limit.key(place)), before);
    EXPECT_EQ(integer({"DBSIZE"}), 1);
  }
}

TEST_F(Scripts, LargeBatchesAndCostsGoInPieces) {
  const std::vector<Rule> rules = {log(9'000, kSecond, 1), log(9'999'999, kSecond, 3)};
  RedisSide redis(*server_, "large", rules);
  EXPECT_EQ(redis.acquire({1, 5'000, 0}, 1, kStart).granted, 5'000);
  EXPECT_EQ(integer({"ZCARD", redis.key(1)}), 15'000);
  std::vector<limits::Returned> ids;
  for (std::uint16_t i = 0; i < 5'000; ++i) {
    ids.push_back({limits::permit_id(prefix(1), i), {kStart}});
  }
  EXPECT_EQ(redis.release(ids, kStart + 1), 5'000);
  EXPECT_EQ(redis.peek(kStart + 1), (std::vector<std::int64_t>{9'000, 9'999'999}));
  RedisSide costly(*server_, "costly", {log(1'900, kSecond, 900)});
  EXPECT_EQ(costly.acquire({1, 3, 0}, 1, kStart).granted, 2);
  EXPECT_EQ(costly.release(std::vector{ids[1]}, kStart), 1);
  EXPECT_EQ(costly.peek(kStart), (std::vector<std::int64_t>{1'000}));
}

TEST_F(Scripts, OldEntriesGoInBoundedPiecesAndDoNotCount) {
  RedisSide limit(*server_, "purge", {log(20'000, kSecond)});
  for (std::uint64_t i = 1; i <= 9; ++i) limit.acquire({2'000, 2'000, 0}, i, kStart);
  limit.acquire({1, 1, 0}, 10, kStart + 1);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 18'001);
  const Result later = limit.acquire({1, 1, 0}, 11, kStart + kSecond);
  EXPECT_EQ(later.remaining, (std::vector<std::int64_t>{19'998}));
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 18'001 + 1 - 201);
  EXPECT_EQ(limit.acquire({19'998, 19'998, 0}, 12, kStart + kSecond).granted, 19'998);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 20'000);
}

TEST_F(Scripts, ALogOfOldEntriesAloneGoesAtOnce) {
  RedisSide limit(*server_, "old", {log(2'000, kSecond)});
  limit.acquire({2'000, 2'000, 0}, 1, kStart);
  EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart + kSecond).granted, 1);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 1);
}

TEST_F(Scripts, AreShortAndTheSameForTheSameAlgorithms) {
  using lua::Entry;
  const std::vector<std::string_view> one = {"token_bucket"};
  const std::vector<std::string_view> both = {"token_bucket", "sliding_log"};
  const std::vector<std::string_view> again = {"sliding_log", "token_bucket", "sliding_log"};
  EXPECT_EQ(lua::script(Entry::acquire, both), lua::script(Entry::acquire, again));
  EXPECT_NE(lua::script(Entry::acquire, both), lua::script(Entry::release, both));
  EXPECT_EQ(lua::script(Entry::acquire, one).find("ZADD"), std::string::npos);
  EXPECT_LT(lua::script(Entry::acquire, one).size(), 8'000U);
}

}  // namespace
}  // namespace einlass::conformance
