// Limits that are closed for longer than they ever need: whether their state is of a later time.
#include "adapters/redis/store_fixture.h"
#include "lua/scripts.h"

namespace einlass::redis::testing {
namespace {

// As the server has it whose clock was an hour ahead. What was granted before counts as long as it
// would have, by the clock of this process.
TEST_F(RedisStore, StateOfALaterTimeIsForgottenOnceTheLimitWasClosedForAsLongAsItNeeds) {
  const Duration window = Duration::millis(300);
  add(0, sliding_log("callbacks", 2, window));
  const auto now = side_.answer(0, 1)->limiter_now + Duration::seconds(3600);
  const std::vector<std::string_view> algorithm{"sliding_log"};
  const std::string key = "test:{test}:callbacks:";
  control(
      "EVAL", lua::script(lua::Entry::acquire, algorithm), "1", key, "sliding_log", "1", "2",
      std::to_string(window.us), "1", "2", "0", "12345678901234", "", std::to_string(now.us), "2000");
  control("PEXPIRE", key, "3600000");  // As it would live if its clock had been set back.
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_TRUE(side_.answer(0, 1)->due.empty());
  EXPECT_TRUE(side_.until([&] { return side_.notice("redis_limit_closed"); }));
  EXPECT_NE(side_.store->status().closed, "");
  EXPECT_EQ(control("EXISTS", key), "1");
  ASSERT_TRUE(side_.until([&] { return !side_.answer(0, 1)->due.empty(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::microseconds(window.us));
  EXPECT_TRUE(side_.notice("redis_limit_reopened"));
  EXPECT_EQ(side_.store->status().closed, "");
}

// Who waits is told of it, and need not come back by himself.
TEST_F(RedisStore, WhoWaitsForALimitThatIsOpenAgainIsTold) {
  add(0, sliding_log("callbacks", 1, Duration::micros(1)));
  const std::string key = "test:{test}:callbacks:";
  const auto later = side_.answer(0, 1)->limiter_now + Duration::seconds(7200);
  control("ZADD", key, std::to_string(later.us), "1234567890123456");
  control("PEXPIRE", key, "7200000");
  ASSERT_TRUE(side_.answer(0, 1)->due.empty());
  ASSERT_TRUE(side_.answer(0, 1)->due.empty());
  ASSERT_TRUE(side_.until([&] { return side_.count<core::LimitsChanged>() > 0; }));
  EXPECT_EQ(side_.find<core::LimitsChanged>()->line, core::LineId{0});
  EXPECT_EQ(control("EXISTS", key), "0");
}

TEST_F(RedisStore, ALimitThatOpensAgainSaysNothingOfAnother) {
  add(0, sliding_log("callbacks", 1, Duration::micros(1)));
  add(1, sliding_log("others", 1, Duration::seconds(60)));
  for (const std::string name : {"callbacks", "others"}) {
    const std::string key = "test:{test}:" + name + ":";
    const auto later = side_.answer(name == "others", 1)->limiter_now + Duration::seconds(7200);
    control("ZADD", key, std::to_string(later.us), "1234567890123456");
    control("PEXPIRE", key, "7200000");
  }
  ASSERT_TRUE(side_.answer(1, 1)->due.empty());
  ASSERT_TRUE(side_.until([&] { return !side_.answer(0, 1)->due.empty(); }));
  EXPECT_TRUE(side_.notice("redis_limit_reopened"));
  EXPECT_NE(side_.store->status().closed.find("others"), std::string::npos);
}

// It keeps its end, as a line that was there before the change knows and one that came later cannot.
TEST_F(RedisStore, AnOpenWindowIsNotForgottenForALimitThatHasAShorterOneNow) {
  limits::Limit limit = sliding_log("callbacks", 1);
  limit.parameters = limits::CounterParameters{Permits{1}, Duration::seconds(3600)};
  add(0, limit);
  ASSERT_EQ(side_.answer(0, 1)->due.size(), 1u);
  side_.store->forget_line({0});
  limit.parameters = limits::CounterParameters{Permits{1}, Duration::micros(1)};
  add(0, limit);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(side_.answer(0, 1)->due.empty());
  EXPECT_EQ(side_.count<core::LimitsChanged>(), 0u);
  EXPECT_FALSE(side_.notice("redis_limit_reopened"));
  EXPECT_FALSE(side_.notice("redis_limit_closed"));
  EXPECT_EQ(side_.store->status().closed, "");
  EXPECT_EQ(control("EXISTS", "test:{test}:callbacks:"), "1");
}

// It is kept for an hour, however fast it fills.
TEST_F(RedisStore, ABucketThatStartsEmptyIsNotForgottenBesideALimitThatIsClosed) {
  limits::Limit closed = sliding_log("callbacks", 1), shared = sliding_log("shared", 1);
  closed.parameters = limits::CounterParameters{Permits{1}, Duration::seconds(3600)};
  shared.parameters = limits::TokenBucketParameters{{1, 1}, Permits{1}, true};
  const Bucket both[] = {{&closed, ""}, {&shared, ""}};
  side_.store->add_line({0}, both);
  ASSERT_TRUE(side_.until([&] { return !side_.answer(0, 1)->due.empty(); }));
  side_.store->forget_line({0});
  closed.parameters = limits::CounterParameters{Permits{1}, Duration::micros(1)};
  side_.store->add_line({0}, both);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(side_.answer(0, 1)->due.empty());
  EXPECT_FALSE(side_.notice("redis_limit_reopened"));
  EXPECT_EQ(control("EXISTS", "test:{test}:shared:"), "1");
}

// As where the clock was set back in the middle of the call that wrote it.
TEST_F(RedisStore, ABucketOfALaterTimeIsForgottenHoweverShortItLives) {
  limits::Limit bucket = sliding_log("callbacks", 1);
  bucket.parameters = limits::TokenBucketParameters{{1, 1}, Permits{1}};
  add(0, bucket);
  const auto later = side_.answer(0, 1)->limiter_now + Duration::seconds(7200);
  control("EVAL",
          "return redis.call('SET', KEYS[1], struct.pack('>c1ddddd', 't', 0, ARGV[1], 0, 0, 1), "
          "'PX', 12000)",
          "1", "test:{test}:callbacks:", std::to_string(later.us));
  ASSERT_TRUE(side_.until([&] { return !side_.answer(0, 1)->due.empty(); }));
  EXPECT_TRUE(side_.notice("redis_limit_reopened"));
}

// Its state lies as far ahead as the larger burst allows, which a gate that has not been reloaded
// does not know.
TEST_F(RedisStore, WhatALargerBurstHasSpentIsNotTakenForALaterTime) {
  limits::Limit larger = sliding_log("callbacks", 1), smaller = larger;
  larger.parameters = limits::GcraParameters{{1, 10}, Permits{8'000'000}};
  larger.cost = Permits{7'000'000};  // 70 s.
  smaller.parameters = limits::GcraParameters{{1, 10}, Permits{1}};
  add(0, larger);
  add(1, smaller);
  ASSERT_EQ(side_.answer(0, 1)->due.size(), 1u);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(side_.answer(1, 1)->due.empty());
  EXPECT_FALSE(side_.notice("redis_limit_closed"));
  EXPECT_FALSE(side_.notice("redis_limit_reopened"));
  EXPECT_EQ(control("EXISTS", "test:{test}:callbacks:"), "1");
}

}  // namespace
}  // namespace einlass::redis::testing
