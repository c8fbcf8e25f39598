// What Redis remembers of an ask, for the time that it is sent again.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "conformance/both_stores.h"
#include "conformance/redis_server.h"

namespace einlass::conformance {
namespace {

constexpr std::int64_t kStart = 1'800'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

Rule log(std::int64_t limit, std::int64_t window) {
  return {limits::SlidingLogParameters{{limit}, {window}}, {1}};
}
Rule bucket(std::int64_t permits, std::int64_t micros, std::int64_t burst) {
  return {limits::TokenBucketParameters{limits::reduced({permits, micros}), {burst}}, {1}};
}

class Memo : public testing::Test {
 protected:
  std::int64_t integer(std::initializer_list<std::string> command) {
    const Reply reply = server_.call(command);
    EXPECT_EQ(reply->type, REDIS_REPLY_INTEGER) << (reply->str ? reply->str : "");
    return reply->integer;
  }

  RedisServer server_;
};

TEST_F(Memo, AnAskSentAgainPaysOnce) {
  RedisSide limit(server_, "again", {log(9, 60 * kSecond), bucket(1, kSecond, 2)});
  const Asked again{2, 4, 5 * kSecond, true};
  EXPECT_EQ(limit.acquire(again, 1, kStart).due,
            (std::vector<std::int64_t>{0, 0, kSecond, 2 * kSecond}));
  const Result same{4, -2, -1, {0, 0}, {-kSecond, -kSecond, 0, kSecond}};
  EXPECT_EQ(limit.acquire(again, 1, kStart + kSecond), same);
  EXPECT_EQ(limit.acquire(again, 1, kStart + 10 * kSecond).due.front(), -10 * kSecond);
  EXPECT_EQ(limit.acquire(again, 1, kStart + 10 * kSecond + 1).due.front(), 0);  // Forgotten.
}

// The clock was set back: nobody could use what was granted by the one before for as long.
TEST_F(Memo, WhatIsFarAheadIsNotToldAgain) {
  RedisSide limit(server_, "ahead", {bucket(1, kSecond, 2)});
  const Asked again{1, 1, 0, true};
  EXPECT_EQ(limit.acquire(again, 1, kStart).granted, 1);
  const auto told = limit.acquire(again, 1, kStart - 60 * kSecond);
  EXPECT_EQ(told.due, (std::vector<std::int64_t>{60 * kSecond}));
  EXPECT_NE(limit.acquire(again, 1, kStart - 60 * kSecond - 1).due,
            (std::vector<std::int64_t>{60 * kSecond + 1}));
}

// It was never told of the places that it has, so nobody else would give them back.
TEST_F(Memo, AnAskSentAgainTooLateIsNotInItsOwnWay) {
  const Rule places{limits::ConcurrencyParameters{{6}, {3'600 * kSecond}}, {2}};
  RedisSide limit(server_, "late", {places, log(9, 60 * kSecond)});
  EXPECT_EQ(limit.acquire({1, 1, 0}, 1, kStart).granted, 1);
  EXPECT_EQ(limit.acquire({2, 2, 0}, 2, kStart).granted, 2);
  const std::int64_t late = kStart + 10 * kSecond + 1;
  EXPECT_EQ(limit.acquire({1, 2, 0, true}, 2, late).granted, 2);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 6) << "the other ask's place is its own";
  EXPECT_EQ(limit.acquire({1, 1, 0}, 3, late).granted, 0);
  // Denied, it has none.
  EXPECT_EQ(limit.acquire({8, 9, 0, true}, 2, late + 10 * kSecond + 1).granted, 0);
  EXPECT_EQ(limit.peek(late + 20 * kSecond).front(), 4);
}

TEST_F(Memo, WhatIsRememberedExpires) {
  RedisSide limit(server_, "memo", {log(9, kSecond)}, 2'000);
  limit.acquire({1, 1, 0}, 1, kStart);
  EXPECT_GT(integer({"PTTL", limit.memo_key()}), 11'000);
  EXPECT_LE(integer({"PTTL", limit.memo_key()}), 12'000);
}

// Who cannot tell whether it was sent before says so.
TEST_F(Memo, ANewAskMaySayThatItWasSentBefore) {
  RedisSide limit(server_, "perhaps", {log(5, kSecond)});
  EXPECT_EQ(limit.acquire({1, 1, 0, true}, 1, kStart).granted, 1);
  EXPECT_EQ(limit.acquire({1, 1, 0, true}, 1, kStart).granted, 1);
  EXPECT_EQ(limit.peek(kStart).front(), 4);
}

}  // namespace
}  // namespace einlass::conformance
