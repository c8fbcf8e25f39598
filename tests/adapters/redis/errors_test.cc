// Each error that a real server can answer with, and what it leads to: see error_reply.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_group.h"

namespace einlass::redis::testing {
namespace {

using namespace std::chrono_literals;

class RedisErrors : public ::testing::Test {
 protected:
  void start(std::vector<std::string> arguments = {}, Duration timeout = Duration::millis(500)) {
    server_ = std::make_unique<RedisServer>(std::move(arguments));
    auto options = options_for(server_->port());
    options.timeout = timeout;
    side_.emplace(options);
    ASSERT_TRUE(side_->until_up());
    add(0, "");
  }
  void add(std::uint32_t line, const std::string& key) {
    const Bucket bucket{&limit_, key};
    side_->store->add_line({line}, {&bucket, 1});
  }
  template <class... Words>
  std::string control(Words... words) {
    return Control(server_->port())({std::string(words)...});
  }
  std::ptrdiff_t said(std::string_view what) {
    return std::count_if(side_->notices.begin(), side_->notices.end(),
                         [&](const Notice& notice) { return notice.what == what; });
  }
  void fill() {
    ASSERT_EQ(control("SET", "big", std::string(4 << 20, 'x')), "OK");
    ASSERT_EQ(control("CONFIG", "SET", "maxmemory", "3mb"), "OK");
  }
  void expect_down(std::string_view words) {
    EXPECT_FALSE(side_->answer(0, 1));
    EXPECT_EQ(side_->count<core::StoreDown>(), 1u);
    EXPECT_EQ(side_->count<core::PermitsFailed>(), 1u);
    EXPECT_TRUE(side_->says(words)) << side_->notices.back().detail;
    EXPECT_FALSE(side_->store->status().up);
    EXPECT_NE(side_->store->status().trouble.find(words), std::string::npos);
  }
  // Up again by itself, and the next ask is answered.
  void expect_recovery() {
    ASSERT_TRUE(side_->until([&] { return side_->count<core::StoreUp>() == 1; }));
    EXPECT_TRUE(side_->answer(0, 1));
    EXPECT_EQ(side_->notices.back().what, "redis_up");
  }

  std::unique_ptr<RedisServer> server_;
  limits::Limit limit_ = sliding_log("callbacks", 1'000);
  std::optional<GateSide> side_;
};

// A key that holds something else is one line's trouble: the others go on.
TEST_F(RedisErrors, AKeyOfAnotherTypeFailsOnlyItsLine) {
  start();
  add(1, "a-customer");
  ASSERT_EQ(control("SET", "test:{test}:callbacks:a-customer", "mine"), "OK");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(side_->answer(1, 1));
    ASSERT_EQ(side_->events.size(), 1u) << "the store stays up";
    EXPECT_GE(side_->find<core::PermitsFailed>()->wait, Duration::seconds(1));
    EXPECT_TRUE(side_->answer(0, 1)) << "another line";
  }
  EXPECT_TRUE(side_->store->status().up);
  EXPECT_EQ(side_->store->status().errors, 3u);
  ASSERT_TRUE(side_->notice("redis_limit"));
  EXPECT_TRUE(side_->says("Limit callbacks: its key holds something else (WRONGTYPE)"));
  EXPECT_TRUE(side_->says("give the limit another name")) << "gates with two files want two forms";
  EXPECT_FALSE(side_->says("a-customer")) << "what stands in a record is told to nobody";
  EXPECT_EQ(said("redis_limit"), 1) << "said once";

  ASSERT_EQ(control("DEL", "test:{test}:callbacks:a-customer"), "1");
  EXPECT_TRUE(side_->answer(1, 1));
  EXPECT_TRUE(side_->says("Limit callbacks: answered again"));
}

TEST_F(RedisErrors, ATroubleOfALineThatComesBackIsToldAgain) {
  start();
  add(1, "a-customer");
  ASSERT_EQ(control("SET", "test:{test}:callbacks:a-customer", "mine"), "OK");
  EXPECT_FALSE(side_->answer(1, 1));
  EXPECT_EQ(said("redis_limit"), 1);
  side_->store->forget_line({1});
  add(1, "a-customer");
  EXPECT_FALSE(side_->answer(1, 1));
  EXPECT_EQ(said("redis_limit"), 2);
}

TEST(RedisErrorTexts, NobodyIsToldToSetWhatIsSet) {
  StoreOptions options;
  for (const std::string error : {"MOVED 1 10.0.0.1:6379", "ASK 1 10.0.0.1:6379"}) {
    options.cluster = false;
    EXPECT_TRUE(explain(error, "here", options).detail.ends_with("set redis.cluster: true"));
    options.cluster = true;
    EXPECT_TRUE(
        explain(error, "here", options).detail.ends_with("look at redis-cli --cluster check"));
  }
}

// What lies at the bottom is this line's key; but where nobody is answered, the limiter is away.
TEST_F(RedisErrors, AStoreThatAnswersWithErrorsAloneIsNotUp) {
  start();
  add(1, "a-customer");
  ASSERT_EQ(control("SET", "test:{test}:callbacks:a-customer", "mine"), "OK");
  EXPECT_FALSE(side_->answer(1, 1));
  EXPECT_TRUE(side_->store->status().up) << "one error is none";
  ASSERT_TRUE(side_->until([&] {
    side_->answer(1, 1);
    return !side_->store->status().up;
  }));
  EXPECT_NE(side_->store->status().trouble.find("callbacks: its key holds something else"),
            std::string::npos);
  EXPECT_EQ(side_->count<core::StoreDown>(), 0u) << "it is asked on";
  EXPECT_TRUE(side_->answer(0, 1)) << "another line";
  EXPECT_TRUE(side_->store->status().up);
  EXPECT_EQ(side_->store->status().trouble, "");
}

// Who is denied has an answer each time. That nothing is granted to anybody must still show.
TEST_F(RedisErrors, ADenialDoesNotHideThatNoReplicaConfirmsAGrant) {
  server_ = std::make_unique<RedisServer>();
  auto options = options_for(server_->port());
  options.timeout = Duration::seconds(1);
  options.wait_replicas = 1;
  side_.emplace(options);
  ASSERT_TRUE(side_->until_up());
  limit_ = sliding_log("callbacks", 1);
  add(0, "");
  add(1, "");
  const core::AskId asked = side_->ask(0, 1);
  side_->store->flush();
  ASSERT_TRUE(side_->until([&] { return side_->count<core::PermitsFailed>() == 1; }));
  ASSERT_TRUE(side_->until_up());  // With the script two WAITs went out, and the second was late.
  EXPECT_TRUE(side_->until(
      [&] {
        side_->events.clear();
        side_->store->ask({{0}, asked, {1}, {1}, {}, {1}, true});
        side_->ask(1, 1);
        side_->store->flush();
        side_->until([&] { return side_->count<core::PermitsFailed>() > 0; });
        const auto* denied = side_->find<core::PermitsAnswered>();
        EXPECT_TRUE(denied && denied->due.empty());
        return !side_->store->status().up;
      },
      8s));
  EXPECT_NE(side_->store->status().trouble.find("redis.wait_replicas"), std::string::npos);
}

// Nor is a replica that was late once a reason to call it an outage while a key is in trouble.
TEST_F(RedisErrors, OneLateConfirmationMakesNoOutageOfALineInTrouble) {
  server_ =
      std::make_unique<RedisServer>(std::vector<std::string>{"--repl-diskless-sync-delay", "0"});
  const auto replica = replica_of(*server_);
  auto options = options_for(server_->port());
  options.wait_replicas = 1;
  side_.emplace(options);
  limit_ = sliding_log("callbacks", 1);
  add(0, "");
  add(1, "a-customer");
  add(2, "another");
  ASSERT_TRUE(side_->until_up());
  ASSERT_TRUE(side_->until([&] { return side_->answer(0, 1) != nullptr; }));
  replica->freeze();
  ASSERT_FALSE(side_->answer(2, 1)) << "its record is not asked for again: the partition went";
  EXPECT_TRUE(side_->says("Only 0 of 1 replicas of"));
  replica->thaw();
  ASSERT_EQ(control("SET", "test:{test}:callbacks:a-customer", "mine"), "OK");
  EXPECT_FALSE(side_->until(
      [&] {
        EXPECT_FALSE(side_->answer(1, 1));
        const auto* denied = side_->answer(0, 1);
        EXPECT_TRUE(denied && denied->due.empty());
        return !side_->store->status().up;
      },
      4s))
      << side_->store->status().trouble;
}

TEST_F(RedisErrors, ABusyServerIsWaitedFor) {
  start({"--lua-time-limit", "50"});
  ASSERT_TRUE(side_->answer(0, 1));
  std::thread busy([&] { control("EVAL", "while true do end", "0"); });
  ASSERT_TRUE(eventually([&] { return control("PING").starts_with("(error) BUSY"); }));
  expect_down("BUSY");
  EXPECT_FALSE(side_->until([&] { return side_->store->status().up; }, 500ms))
      << "a PING tells that it is still busy";
  EXPECT_EQ(control("SCRIPT", "KILL"), "OK");
  busy.join();
  expect_recovery();
}

TEST_F(RedisErrors, AFullServerIsWaitedFor) {
  start({"--maxmemory-policy", "noeviction"});
  ASSERT_TRUE(side_->answer(0, 1));
  fill();
  expect_down("OOM");
  ASSERT_EQ(control("CONFIG", "SET", "maxmemory", "0"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, ARepeatedErrorIsToldOnceAndWaitsLonger) {
  start();
  fill();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(side_->until_up());
    EXPECT_FALSE(side_->answer(0, 1));
  }
  EXPECT_EQ(said("redis_error"), 1);
  const auto again = std::ranges::count(side_->steps, "redis_error", &Notice::what);
  EXPECT_EQ(again, 3) << "but each time to whoever looks closely";
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50 + 100 + 200));
}

// What only reads is answered all the same, which proves nothing about what writes.
TEST_F(RedisErrors, ADenialDoesNotShortenTheWaitForAFullServer) {
  limit_ = {"places", limits::ConcurrencyParameters{{2}, Duration::seconds(3'600)}, {1}};
  start();
  add(1, "a-customer");
  const auto* taken = side_->answer(1, 2);
  ASSERT_TRUE(taken);
  const core::Permit held{taken->ask, 0, taken->limiter_now};
  fill();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(side_->until_up());
    const auto* denied = side_->answer(1, 1);
    ASSERT_TRUE(denied);
    EXPECT_TRUE(denied->due.empty());
    if (i == 4) side_->store->ended({{1}, held});  // Deletes, which needs no memory.
    EXPECT_FALSE(side_->answer(0, 1));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, (100ms + 200ms + 400ms + 800ms) / 2);
  EXPECT_EQ(said("redis_error"), 1);
  EXPECT_EQ(said("redis_up"), 1) << "at the start alone";
  EXPECT_EQ(control("ZCARD", "test:{test}:places:a-customer"), "1");
  ASSERT_EQ(control("CONFIG", "SET", "maxmemory", "0"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, AServerThatLoadsIsWaitedFor) {
  start({"--rdbcompression", "no"});
  // Slow enough to be met while it loads: it looks at its clients every 2 MB, which are 20 of these
  // keys with a pause of a millisecond each.
  ASSERT_EQ(control("DEBUG", "POPULATE", "1500", "key", "100000"), "OK");
  ASSERT_EQ(control("CONFIG", "SET", "key-load-delay", "1000"), "OK");
  std::thread reload([&] { control("DEBUG", "RELOAD"); });
  ASSERT_TRUE(eventually([&] { return control("PING").starts_with("(error) LOADING"); }));
  expect_down("LOADING");
  EXPECT_FALSE(side_->until([&] { return side_->store->status().up; }, 200ms))
      << "a PING tells that it still loads";
  control("CONFIG", "SET", "key-load-delay", "0");
  reload.join();
  expect_recovery();
}

TEST_F(RedisErrors, AReplicaIsLeftForWhateverStandsThereNext) {
  start();
  ASSERT_TRUE(side_->answer(0, 1));
  ASSERT_EQ(control("REPLICAOF", "127.0.0.1", "1"), "OK");
  expect_down("READONLY");
  EXPECT_TRUE(side_->says("point redis.url at the primary"));
  ASSERT_EQ(control("REPLICAOF", "NO", "ONE"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, AReplicaWithoutItsPrimaryIsLeft) {
  start({"--replica-serve-stale-data", "no"});
  ASSERT_TRUE(side_->answer(0, 1));
  ASSERT_EQ(control("REPLICAOF", "127.0.0.1", "1"), "OK");
  expect_down("MASTERDOWN");
  ASSERT_EQ(control("REPLICAOF", "NO", "ONE"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, TooFewReplicasAreWaitedFor) {
  start();
  ASSERT_TRUE(side_->answer(0, 1));
  ASSERT_EQ(control("CONFIG", "SET", "min-replicas-to-write", "1"), "OK");
  expect_down("NOREPLICAS");
  ASSERT_EQ(control("CONFIG", "SET", "min-replicas-to-write", "0"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, AServerThatCannotSaveIsWaitedFor) {
  start();
  ASSERT_TRUE(side_->answer(0, 1));
  // Its folder is gone, so it cannot save, and then refuses writes.
  ASSERT_EQ(control("CONFIG", "SET", "save", "3600 1"), "OK");
  server_->lose_directory();
  control("BGSAVE");
  ASSERT_TRUE(eventually([&] { return control("SET", "x", "y").starts_with("(error) MISCONF"); }));
  expect_down("MISCONF");
  ASSERT_EQ(control("CONFIG", "SET", "stop-writes-on-bgsave-error", "no"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, AUserThatMayNotAnyMoreIsTold) {
  start();
  ASSERT_TRUE(side_->answer(0, 1));
  ASSERT_EQ(control("ACL", "SETUSER", "default", "-evalsha", "-eval"), "OK");
  expect_down("NOPERM");
  ASSERT_EQ(control("ACL", "SETUSER", "default", "+@all"), "OK");
  expect_recovery();
}

TEST_F(RedisErrors, ANodeOfAClusterWantsToBeNamedSo) {
  start({"--cluster-enabled", "yes"});
  EXPECT_FALSE(side_->answer(0, 1));
  EXPECT_TRUE(side_->says("no node of the Redis cluster serves its slot (CLUSTERDOWN)"));
  EXPECT_TRUE(side_->store->status().up);
}

TEST(RedisErrorReplies, RedirectionsAreRead) {
  const auto moved = redirection("MOVED 3999 10.0.0.1:6381");
  ASSERT_TRUE(moved);
  EXPECT_FALSE(moved->once);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->to, (Address{"10.0.0.1", 6381}));
  const auto ask = redirection("ASK 16383 fe80::1:7:6381");
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->once);
  EXPECT_EQ(ask->to, (Address{"fe80::1:7", 6381}));
  EXPECT_EQ(redirection("MOVED 1 :6381")->to, (Address{"", 6381})) << "who answers has no name";
  EXPECT_EQ(redirection("MOVED 1 ?:6381")->to, (Address{"", 6381}));
  for (const char* bad : {"MOVED", "MOVED ", "MOVED x h:1", "MOVED 16384 h:1", "MOVED 1 h", "ASK 1",
                          "MOVED 1 h:0", "MOVED 1 h:65536", "MOVED -1 h:1", "OK", ""}) {
    EXPECT_FALSE(redirection(bad)) << bad;
  }
}

}  // namespace
}  // namespace einlass::redis::testing
