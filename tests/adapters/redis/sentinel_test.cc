// The primary that Sentinels name, and what becomes of limits when it changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_group.h"

namespace einlass::redis::testing {
namespace {

using namespace std::chrono_literals;

void add_line(GateSide& side, const limits::Limit& limit, std::uint32_t line = 0) {
  const Bucket bucket{&limit, ""};
  side.store->add_line({line}, {&bucket, 1});
}

TEST(RedisSentinels, TheStoreFollowsThePrimary) {
  SentinelGroup group;
  auto options = group.options();
  options.sentinels.insert(options.sentinels.begin(), {"127.0.0.1", 1});  // Nobody.
  GateSide side(options);
  const auto limit = sliding_log("callbacks", 10);
  add_line(side, limit);
  ASSERT_TRUE(side.until_up());
  ASSERT_EQ(side.answer(0, 4)->due.size(), 4u);
  ASSERT_TRUE(eventually(
      [&] { return Control(group.replica().port())({"DBSIZE"}) == "2"; }));  // And the memo.
  side.events.clear();

  group.primary().kill();
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreDown>() == 1; }));
  EXPECT_TRUE(side.notice("redis_lost"));
  ASSERT_TRUE(group.failed_over());
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }, 20s));
  const auto* answer = side.answer(0, 10);
  ASSERT_TRUE(answer) << "the new primary does not know the script";
  EXPECT_EQ(answer->due.size(), 6u) << "but what was granted";
  EXPECT_TRUE(side.says("Redis at 127.0.0.1:" + std::to_string(group.replica().port())));
}

TEST(RedisSentinels, AServerThatIsNoPrimaryIsNotAsked) {
  RedisServer primary;
  const auto replica = replica_of(primary);
  // A Sentinel that takes the replica for the primary, as one that has not yet heard would.
  TemporaryDirectory directory;
  std::ofstream(directory.file("conf"))
      << "sentinel monitor mymaster 127.0.0.1 " << replica->port() << " 1\n";
  RedisServer sentinel({}, directory.file("conf"));
  auto options = options_for(1);
  options.sentinels = {{"127.0.0.1", sentinel.port()}};
  GateSide side(options);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_not_primary"); }));
  EXPECT_TRUE(side.says("(slave)"));
  EXPECT_FALSE(side.store->status().up);
  Control(replica->port())({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(side.until_up());
}

TEST(RedisSentinels, TheyAreAskedAgainWhenThePrimaryBecameAReplica) {
  SentinelGroup group;
  GateSide side(group.options());
  const auto limit = sliding_log("callbacks", 10);
  add_line(side, limit);
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(0, 1));
  ASSERT_EQ(Control(group.sentinel(0).port())({"SENTINEL", "FAILOVER", "mymaster"}), "OK");
  ASSERT_TRUE(group.failed_over());
  // Whether it hears of it by the end of its connection or by READONLY.
  EXPECT_TRUE(side.until([&] {
    side.answer(0, 1);
    return Control(group.replica().port())({"ZCARD", "test:{test}:callbacks:"}) != "1";
  }));
  EXPECT_TRUE(side.store->status().up);
}

TEST(RedisSentinels, WhatIsWrongWithThemIsTold) {
  RedisServer primary;
  TemporaryDirectory directory;
  std::ofstream(directory.file("conf"))
      << "requirepass let-me-in\nsentinel monitor mymaster 127.0.0.1 " << primary.port() << " 1\n";
  RedisServer sentinel({}, directory.file("conf"));
  auto options = options_for(1);
  options.timeout = Duration::millis(200);
  options.sentinels = {{"127.0.0.1", sentinel.port()}};
  {
    GateSide side(options);
    ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
    EXPECT_TRUE(side.says("NOAUTH"));
    EXPECT_EQ(side.count<core::StoreDown>(), 1u);
  }
  options.sentinel_password = "let-me-in";
  {
    GateSide side(options);
    EXPECT_TRUE(side.until_up()) << "the primary itself wants no login";
  }
  options.sentinel_name = "other";
  {
    GateSide side(options);
    ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
    EXPECT_TRUE(side.says("No Sentinel names the Redis primary 'other'"));
    EXPECT_TRUE(side.says("redis.sentinel.name"));
    EXPECT_FALSE(side.says("let-me-in"));
  }
  sentinel.freeze();
  options.sentinel_name = "mymaster";
  GateSide side(options);
  EXPECT_TRUE(side.until([&] { return side.says("no answer within 200 ms"); }));
  sentinel.thaw();
  EXPECT_TRUE(side.until_up());
}

// ---- What a failover costs that lost writes ----

// A replica that hears nothing from a moment on, and is then promoted by hand: the gate is led to
// it by a Sentinel that is told so. All instants at which permits came due, before and after.
struct LostWrites {
  static constexpr std::int64_t kLimit = 50;
  static constexpr Duration kWindow = Duration::seconds(3);

  RedisServer primary{{"--repl-diskless-sync-delay", "0", "--repl-timeout", "600"}};
  std::unique_ptr<RedisServer> replica = replica_of(primary, {"--repl-timeout", "600"});
  TemporaryDirectory directory;
  std::unique_ptr<RedisServer> sentinel;
  std::optional<GateSide> side;
  std::vector<std::int64_t> granted;  // Due instants on the limiter's clock.

  void name(const RedisServer& server) {
    sentinel.reset();
    std::ofstream(directory.file("conf"))
        << "sentinel monitor mymaster 127.0.0.1 " << server.port() << " 1\n";
    sentinel = std::make_unique<RedisServer>(std::vector<std::string>{}, directory.file("conf"));
  }

  void begin(const limits::Limit& limit, int wait_replicas) {
    name(primary);
    auto options = options_for(1);
    options.timeout = Duration::millis(400);
    options.sentinels = {{"127.0.0.1", sentinel->port()}};
    options.wait_replicas = wait_replicas;
    side.emplace(options);
    add_line(*side, limit);
    ASSERT_TRUE(side->until_up());
  }

  // One ask for ten permits, made again under its id for as long as it gets no answer.
  struct Asking {
    core::AskId id{};
    bool open = false;
  } asking;
  void step() {
    const core::PermitsAnswered* answer = nullptr;
    side->events.clear();
    if (!asking.open) asking.id = core::AskId{++side->last_ask};
    side->store->ask({.line = {0},
                      .ask = asking.id,
                      .min = {1},
                      .max = {10},
                      .horizon = {},
                      .again = asking.open});
    side->store->flush();
    asking.open = true;
    side->until([&] {
      answer = side->find<core::PermitsAnswered>();
      return answer || side->count<core::PermitsFailed>() > 0;
    });
    if (!answer) return;
    asking.open = false;
    for (const Duration due : answer->due) granted.push_back((answer->limiter_now + due).us);
  }
  void ask_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) step();
  }

  void cut_replica() { replica->freeze(); }

  // The primary dies; the replica, which has not read what came since the cut, takes its place.
  void fail_over() {
    primary.kill();
    side->until([&] { return side->count<core::StoreDown>() > 0; });
    // The rest of what was written to its socket must not reach it when it wakes.
    replica->thaw();
    Control control(replica->port());
    ASSERT_EQ(control({"REPLICAOF", "NO", "ONE"}), "OK");
  }

  // Most in any window, by trying each.
  std::int64_t worst() {
    std::sort(granted.begin(), granted.end());
    std::int64_t most = 0;
    for (std::size_t last = 0; last < granted.size(); ++last) {
      std::int64_t inside = 0;
      for (std::size_t i = 0; i <= last; ++i) inside += granted[i] > granted[last] - kWindow.us;
      most = std::max(most, inside);
    }
    return most;
  }
};

}  // namespace
}  // namespace einlass::redis::testing
