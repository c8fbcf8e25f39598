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
  // Nobody, at the index that the gate's run chooses to begin with.
  options.sentinels.insert(options.sentinels.begin() + 1, {"127.0.0.1", 1});
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

// One that answers, but has not yet heard who the primary is. The gate's run begins with the
// second.
TEST(RedisSentinels, TheNextIsAskedWhereOneNamesNoPrimary) {
  RedisServer primary;
  const auto replica = replica_of(primary);
  constexpr std::uint16_t kNobody = 1;
  TemporaryDirectory directory;
  std::vector<std::unique_ptr<RedisServer>> sentinels;
  auto options = options_for(kNobody);
  for (const std::uint16_t named : {primary.port(), kNobody, replica->port()}) {
    const std::string file = directory.file("conf-" + std::to_string(named));
    std::ofstream(file) << "sentinel monitor mymaster 127.0.0.1 " << named << " 3\n";
    sentinels.push_back(std::make_unique<RedisServer>(std::vector<std::string>(), file));
    options.sentinels.push_back({"127.0.0.1", sentinels.back()->port()});
  }
  GateSide side(options);
  EXPECT_TRUE(side.until_up());
  EXPECT_TRUE(side.notice("redis_not_primary"));
}

TEST(RedisSentinels, APrimaryThatWasReplacedWhileItLivesIsLeft) {
  SentinelGroup group;
  GateSide side(group.options());
  const auto limit = sliding_log("callbacks", 10);
  add_line(side, limit);
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(0, 1));
  ASSERT_EQ(Control(group.sentinel(0).port())({"SENTINEL", "FAILOVER", "mymaster"}), "OK");
  ASSERT_TRUE(group.failed_over());
  // The old one still takes itself for the primary.
  EXPECT_TRUE(side.until([&] {
    side.answer(0, 1);
    return Control(group.replica().port())({"ZCARD", "test:{test}:callbacks:"}) != "1";
  }));
  EXPECT_TRUE(side.store->status().up);
  EXPECT_TRUE(side.notice("redis_failover"));
}

// Cut off from its replicas, and from the Sentinels, which have another by now; but not from the
// gate.
TEST(RedisSentinels, APrimaryThatOnlyRefusesIsLeftForItsSuccessor) {
  RedisServer old_primary, new_primary;
  TemporaryDirectory directory;
  std::ofstream(directory.file("conf"))
      << "sentinel monitor mymaster 127.0.0.1 " << old_primary.port() << " 2\n";
  RedisServer sentinel({}, directory.file("conf"));
  auto options = options_for(1);
  options.sentinels = {{"127.0.0.1", sentinel.port()}};
  GateSide side(options);
  const auto limit = sliding_log("callbacks", 10);
  add_line(side, limit);
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(0, 1));

  ASSERT_EQ(Control(old_primary.port())({"CONFIG", "SET", "min-replicas-to-write", "1"}), "OK");
  Control heard(sentinel.port());
  ASSERT_EQ(heard({"SENTINEL", "REMOVE", "mymaster"}), "OK");
  ASSERT_EQ(heard({"SENTINEL", "MONITOR", "mymaster", "127.0.0.1",
                   std::to_string(new_primary.port()), "2"}),
            "OK");
  EXPECT_TRUE(side.until([&] {
    const auto* answer = side.store->status().up ? side.answer(0, 1) : nullptr;
    return answer && answer->due.size() == 1;
  }));
  EXPECT_TRUE(side.says("NOREPLICAS"));
  EXPECT_EQ(Control(new_primary.port())({"ZCARD", "test:{test}:callbacks:"}), "1");
}

// Each time another one is the first to be asked, and the last.
TEST(RedisSentinels, ThatAllAreGoneIsToldOnce) {
  auto options = options_for(1);
  for (std::uint16_t nobody = 1; nobody <= 3; ++nobody) {
    options.sentinels.push_back({"127.0.0.1", nobody});
  }
  GateSide side(options);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
  EXPECT_FALSE(side.until([&] { return side.notices.size() > 1; }, 3s))
      << side.notices.back().detail;
  for (const auto& sentinel : options.sentinels) {
    EXPECT_TRUE(side.says("127.0.0.1:" + std::to_string(sentinel.port) + ": cannot connect"));
  }
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
  options.sentinel_login.password = "let-me-in";
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

// A failover whose new primary has missed what the old one granted last, and the instants at which
// all permits came due, on the limiter's clock.
struct LostWrites {
  SentinelGroup group;
  std::optional<GateSide> side;
  std::vector<std::int64_t> granted;
  core::AskId asked{};
  bool again = false;

  // Up to ten permits; the same ask is made again for as long as it gets no answer.
  void ask() {
    side->events.clear();
    if (!again) asked = core::AskId{++side->last_ask};
    side->store->ask({{0}, asked, {1}, {10}, {}, {1}, again});
    side->store->flush();
    again = true;
    side->until([&] {
      return side->count<core::PermitsAnswered>() + side->count<core::PermitsFailed>() > 0;
    });
    const auto* answer = side->find<core::PermitsAnswered>();
    if (!answer) return;
    again = false;
    for (const Duration due : answer->due) granted.push_back((answer->limiter_now + due).us);
  }
  void ask_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) ask();
  }

  void run(const limits::Limit& limit, int wait_replicas) {
    auto options = group.options();
    options.timeout = Duration::millis(400);
    options.wait_replicas = wait_replicas;
    side.emplace(options);
    add_line(*side, limit);
    ASSERT_TRUE(side->until_up());
    ask();
    ASSERT_EQ(granted.size(), 10u);
    Control replica(group.replica().port());
    ASSERT_TRUE(eventually([&] { return replica({"DBSIZE"}) == "2"; }))
        << "the bucket and the memo";

    // The replica may not follow any more, though the Sentinels see it all the same.
    Control primary(group.primary().port());
    ASSERT_EQ(primary({"ACL", "SETUSER", "default", "-psync", "-sync"}), "OK");
    primary({"CLIENT", "KILL", "TYPE", "replica"});
    ask_for(600ms);
    group.primary().kill();
    std::unique_ptr<RedisServer> next;  // To be waited for, where one must be.
    if (wait_replicas > 0) {
      ASSERT_TRUE(group.failed_over());
      next = replica_of(group.replica());
    }
    ASSERT_TRUE(side->until(
        [&] {
          ask();
          return side->store->status().up && !again;
        },
        30s));
    ask_for(500ms);
  }

  // The most that any window admitted beyond `fixed` and what the rate adds in it.
  std::int64_t most_beyond(std::int64_t fixed, Duration window, std::int64_t per_second = 0) {
    std::sort(granted.begin(), granted.end());
    std::int64_t most = 0;
    for (std::size_t first = 0; first < granted.size(); ++first) {
      for (std::size_t last = first; last < granted.size(); ++last) {
        const std::int64_t span = granted[last] - granted[first];
        if (span >= window.us) break;
        const auto inside = static_cast<std::int64_t>(last - first + 1);
        most = std::max(most, inside - fixed - per_second * span / 1'000'000);
      }
    }
    return most;
  }
};

constexpr std::int64_t kLimit = 50;
constexpr Duration kLong = Duration::seconds(60);

// At most one window's worth more: what the new primary did not hear of can be granted again.
TEST(RedisFailover, ThatLosesWritesAdmitsAtMostOneWindowsWorthMore) {
  LostWrites world;
  world.run(sliding_log("callbacks", kLimit, kLong), 0);
  const std::int64_t more = world.most_beyond(kLimit, kLong);
  std::printf("lost writes: %ld more than the %ld of the window\n", more, kLimit);
  EXPECT_EQ(more, 40) << "the first ten were known to the new primary";
}

TEST(RedisFailover, ThatLosesWritesAdmitsAtMostOneBurstMore) {
  LostWrites world;
  world.run(token_bucket("callbacks", {1, 1'000'000}, kLimit), 0);
  const std::int64_t more = world.most_beyond(kLimit, kLong, 1);
  std::printf("lost writes: %ld more than the burst of %ld and the rate\n", more, kLimit);
  EXPECT_GT(more, 30);
  EXPECT_LE(more, kLimit);
}

TEST(RedisFailover, AdmitsNoneMoreWhereAReplicaIsWaitedFor) {
  LostWrites world;
  world.run(sliding_log("callbacks", kLimit, kLong), 1);
  EXPECT_TRUE(world.side->says("Only 0 of 1 replicas of"));
  EXPECT_TRUE(world.side->says("redis.wait_replicas"));
  const std::int64_t more = world.most_beyond(kLimit, kLong);
  std::printf("lost writes, a replica waited for: %ld more than the %ld\n", more, kLimit);
  EXPECT_EQ(more, 0);
}

}  // namespace
}  // namespace einlass::redis::testing
