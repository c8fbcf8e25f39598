// Asks and releases against a server that is well, or refuses.
#include "adapters/redis/store/store.h"

#include <gtest/gtest.h>

#include "adapters/redis/redis_group.h"
#include "adapters/redis/store_fixture.h"
#include "lua/scripts.h"

namespace einlass::redis::testing {
namespace {

TEST_F(RedisStore, GrantsUpToTheLimitAndThenDenies) {
  const auto limit = sliding_log("callbacks", 5, Duration::seconds(60));
  add(0, limit);
  const auto* answer = side_.answer(0, 3);
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::vector(answer->due.begin(), answer->due.end()), std::vector<Duration>(3));
  EXPECT_FALSE(answer->retry);
  EXPECT_EQ(answer->ask, core::AskId{1});
  EXPECT_GT(answer->limiter_now.us, 1'700'000'000'000'000);

  answer = side_.answer(0, 3);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 2u);
  ASSERT_TRUE(answer->retry);

  answer = side_.answer(0, 1);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->due.empty());
  ASSERT_TRUE(answer->retry);
  EXPECT_GT(answer->retry->us, 55'000'000);
  EXPECT_LE(answer->retry->us, 60'000'000);
  EXPECT_EQ(control("ZCARD", "test:{test}:callbacks:"), "5");
  const auto status = side_.store->status();
  EXPECT_EQ(status.granted, 2u);
  EXPECT_EQ(status.denied, 1u);
  EXPECT_EQ(status.errors + status.timeouts, 0u);
  EXPECT_EQ(side_.calls.size(), 3u);
}

TEST_F(RedisStore, AnAskThatCanNeverBeGrantedHasNoRetry) {
  const auto limit = sliding_log("none", 0);
  add(0, limit);
  const auto* answer = side_.answer(0, 1);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->due.empty());
  EXPECT_FALSE(answer->retry);
}

TEST_F(RedisStore, TwoBucketsGrantTheLesserAndNameIt) {
  const auto wide = sliding_log("wide", 100);
  const auto narrow = token_bucket("narrow", {1, 1'000'000'000}, 4);
  const Bucket buckets[] = {{&wide, ""}, {&narrow, "acme"}};
  side_.store->add_line({7}, buckets);
  const auto* answer = side_.answer(7, 10);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 4u);
  EXPECT_EQ(answer->reason, core::LimitIndex{1});
  EXPECT_EQ(control("ZCARD", "test:{test}:wide:"), "4") << "pays in both what both can grant";
  EXPECT_EQ(control("EXISTS", "test:{test}:narrow:acme"), "1");
}

TEST_F(RedisStore, LinesShareABucketWithTheSameKey) {
  const auto limit = sliding_log("tenant", 3);
  add(0, limit, "acme");
  add(1, limit, "acme");
  add(2, limit, "other");
  EXPECT_EQ(side_.answer(0, 2)->due.size(), 2u);
  EXPECT_EQ(side_.answer(1, 2)->due.size(), 1u);
  EXPECT_EQ(side_.answer(2, 3)->due.size(), 3u);
}

TEST_F(RedisStore, AnAnswerSaysHowFarAheadTheLimitsGo) {
  const auto bucket = token_bucket("callbacks", {1, 1'000}, 2);
  const limits::Limit queue{"queue", limits::LeakyBucketParameters{{1, 1'000'000}, {4}, true}, {1}};
  const std::vector<Bucket> both = {{&bucket, ""}, {&queue, ""}};
  side_.store->add_line(core::LineId{0}, both);
  for (const std::int64_t seconds : {60, 60, 3}) {  // Granted, denied, and with less to go.
    side_.events.clear();
    const core::AskId id{++side_.last_ask};
    side_.store->ask({core::LineId{0}, id, {1}, {9}, Duration::seconds(seconds)});
    side_.store->flush();
    ASSERT_TRUE(side_.until([&] { return side_.find<core::PermitsAnswered>(); }));
    const std::int64_t most = std::min<std::int64_t>(seconds, 4);
    EXPECT_EQ(side_.find<core::PermitsAnswered>()->ahead, Duration::seconds(most));
  }
}

TEST_F(RedisStore, AThousandAsksInOneFlushAreAnsweredInOrder) {
  std::vector<limits::Limit> limits;
  for (int i = 0; i < 1'000; ++i) limits.push_back(sliding_log("l" + std::to_string(i), 1 + i % 5));
  for (std::uint32_t i = 0; i < 1'000; ++i) add(i, limits[i]);
  side_.events.clear();
  for (std::uint32_t i = 0; i < 1'000; ++i) side_.ask(i, 3);
  EXPECT_TRUE(side_.events.empty());
  side_.store->flush();
  ASSERT_TRUE(side_.until([&] { return side_.events.size() >= 1'000; }));
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const auto& answer = std::get<core::PermitsAnswered>(side_.events[i]);
    EXPECT_EQ(answer.line, core::LineId{i});
    EXPECT_EQ(answer.ask, core::AskId{i + 1});
    EXPECT_EQ(answer.due.size(), std::min(1 + i % 5, 3u)) << "each line keeps its own due times";
  }
}

TEST_F(RedisStore, AReleasedPermitCanBeGrantedAgainInTheSameTurn) {
  const auto limit = sliding_log("callbacks", 4);
  add(0, limit);
  const auto first = side_.answer(0, 4)->ask;
  release(0, first, 0);  // A script that is not known yet goes again later than what came after it.
  side_.store->flush();
  ASSERT_TRUE(side_.until([&] { return control("ZCARD", "test:{test}:callbacks:") == "3"; }));
  side_.events.clear();
  side_.ask(0, 4);
  release(0, first, 1);
  release(0, first, 3);
  side_.store->flush();
  ASSERT_TRUE(side_.until([&] { return side_.find<core::PermitsAnswered>(); }));
  EXPECT_EQ(side_.find<core::PermitsAnswered>()->due.size(), 3u);
}

TEST_F(RedisStore, ManyReleasesGoInSeveralCalls) {
  const auto limit = sliding_log("callbacks", 2'000);
  add(0, limit);
  const auto first = side_.answer(0, 1'500)->ask;
  for (std::uint16_t i = 0; i < 1'500; ++i) release(0, first, i);
  side_.store->flush();  // The first that comes with a script that is not known yet goes again.
  // What is left is the mark at the newest entry's instant.
  ASSERT_TRUE(side_.until([&] { return control("ZCARD", "test:{test}:callbacks:") == "1"; }));
  const auto* answer = side_.answer(0, 2'000);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 2'000u);
}

TEST_F(RedisStore, AnAskForMoreThanAnAnswerCarriesMayGoOnAtOnce) {
  const auto limit = sliding_log("callbacks", 6'000);
  add(0, limit);
  const auto* answer = side_.answer(0, 10'000);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 4'000u);
  EXPECT_EQ(answer->retry, Duration{});
  answer = side_.answer(0, 10'000);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 2'000u);
  EXPECT_GT(answer->retry.value_or(Duration{}).us, 0);
}

TEST_F(RedisStore, AForgottenLinesNumberCanNameAnother) {
  const auto one = sliding_log("one", 1), two = sliding_log("two", 2);
  add(0, one);
  EXPECT_EQ(side_.answer(0, 9)->due.size(), 1u);
  side_.store->forget_line({0});
  add(0, two);
  EXPECT_EQ(side_.answer(0, 9)->due.size(), 2u);
}

TEST_F(RedisStore, AScriptThatTheServerForgotIsSentAgain) {
  std::vector<limits::Limit> limits;
  for (int i = 0; i < 100; ++i) limits.push_back(sliding_log("l" + std::to_string(i), 5));
  for (std::uint32_t i = 0; i < 100; ++i) add(i, limits[i]);
  ASSERT_TRUE(side_.answer(0, 1));
  ASSERT_EQ(control("SCRIPT", "FLUSH"), "OK");
  ASSERT_EQ(control("CONFIG", "RESETSTAT"), "OK");
  side_.events.clear();
  for (std::uint32_t i = 0; i < 100; ++i) side_.ask(i, 1);
  side_.store->flush();
  ASSERT_TRUE(side_.until([&] { return side_.events.size() >= 100; }));
  EXPECT_EQ(side_.count<core::PermitsAnswered>(), 100u);
  EXPECT_NE(control("INFO", "commandstats").find("cmdstat_eval:calls=1,"), std::string::npos)
      << "the whole script travels once";
  EXPECT_EQ(side_.store->status().errors, 0u);
}

TEST_F(RedisStore, AReleaseThatFoundNoScriptIsSentAgain) {
  const auto limit = sliding_log("callbacks", 5);
  add(0, limit);
  const auto first = side_.answer(0, 5)->ask;
  ASSERT_EQ(control("SCRIPT", "FLUSH"), "OK");
  release(0, first, 0);
  release(0, first, 1);
  side_.store->flush();
  EXPECT_TRUE(side_.until([&] { return control("ZCARD", "test:{test}:callbacks:") == "3"; }));
  EXPECT_EQ(side_.answer(0, 5)->due.size(), 2u);
}

// As by a debugger or SIGSTOP. The permits may be as old as that, so they are asked for again, and
// then it is said how old.
TEST_F(RedisStore, AnAnswerThatAProcessFindsWhenItGoesOnIsNotTakenForNew) {
  add(0, sliding_log("callbacks", 5, Duration::seconds(60)));
  ASSERT_TRUE(side_.answer(0, 1));  // The server has the script.
  side_.events.clear();
  const core::AskId ask = side_.ask(0, 2);
  side_.store->flush();
  // The process stands still for longer than the options' time for a call: until its server has
  // waited for a replica that there is not.
  ASSERT_EQ(control("WAIT", "1", "700"), "0");
  ASSERT_TRUE(side_.until([&] { return !side_.events.empty(); }));
  ASSERT_FALSE(side_.count<core::PermitsAnswered>());
  const auto* again = side_.answer_again(0, ask, 2);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->due.size(), 2u);
  EXPECT_LE(again->due[0], Duration::millis(-600));
}

// Nor is one that had come before, where a replica's confirmation has waited for the process.
TEST(RedisReplica, AConfirmationThatAProcessFindsWhenItGoesOnIsNotTakenForNew) {
  RedisServer primary({"--repl-diskless-sync-delay", "0"});
  const auto replica = replica_of(primary);
  auto options = options_for(primary.port());
  options.wait_replicas = 1;
  const auto limit = sliding_log("callbacks", 50, Duration::seconds(60));
  GateSide side(options);
  const Bucket bucket{&limit, ""};
  side.store->add_line({0}, {&bucket, 1});
  ASSERT_TRUE(side.until_up());
  // The server has the script, and the replica follows.
  ASSERT_TRUE(side.until([&] { return side.answer(0, 1) != nullptr; }));
  side.events.clear();
  replica->freeze();
  const std::size_t calls = side.calls.size();
  const core::AskId ask = side.ask(0, 2);
  side.store->flush();
  ASSERT_TRUE(side.until([&] { return side.calls.size() > calls; }));  // Redis has granted them,
  ASSERT_TRUE(side.events.empty());                                    // which does not count yet.
  replica->thaw();
  // It stands still as above; the one replica that there is confirms meanwhile.
  Control control(primary.port());
  ASSERT_EQ(control({"WAIT", "2", "700"}), "1");
  ASSERT_TRUE(side.until([&] { return !side.events.empty(); }));
  ASSERT_FALSE(side.count<core::PermitsAnswered>());
  const std::uint64_t granted = side.store->status().granted;
  const auto* again = side.answer_again(0, ask, 2);
  ASSERT_TRUE(again);
  EXPECT_LE(again->due[0], Duration::millis(-600));
  EXPECT_EQ(side.store->status().granted, granted + 1);
}

// Redis waits as long as it may, and reads nothing meanwhile. The next call is not late for that.
// Where a write has not ended when it is made, it goes behind that all the same.
class NoReplica : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Written, NoReplica, ::testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Unwritten, NoReplica, ::testing::Values(false));

TEST_P(NoReplica, MakesNoCallLate) {
  RedisServer primary;
  auto options = options_for(primary.port());
  options.timeout = Duration::seconds(1);
  options.wait_replicas = 1;
  const auto limit = sliding_log("callbacks", 50, Duration::seconds(60));
  const std::vector<std::string_view> algorithm{"sliding_log"};
  Control control(primary.port());
  control({"SCRIPT", "LOAD", lua::script(lua::Entry::acquire, algorithm)});
  GateSide side(options);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Bucket bucket{&limit, std::to_string(i)};
    side.store->add_line({i}, {&bucket, 1});
  }
  ASSERT_TRUE(side.until_up());
  for (std::uint32_t i = 0; i < 2; ++i) {  // In a turn each.
    side.ask(i, 1);
    side.store->flush();
    if (GetParam()) side.io.poll();
  }
  ASSERT_TRUE(side.until([&] { return side.count<core::PermitsFailed>() == 2; }));
  EXPECT_TRUE(side.says("Only 0 of 1 replicas of"));
  EXPECT_EQ(side.store->status().granted, 0u) << "it counts once they have confirmed it";
  EXPECT_EQ(side.store->status().errors, 2u);
  EXPECT_EQ(side.store->status().timeouts, 0u);
  EXPECT_EQ(side.count<core::StoreDown>(), 0u);
}

TEST_F(RedisStore, NothingHappensAfterItIsDestroyed) {
  const auto limit = sliding_log("callbacks", 5);
  add(0, limit);
  side_.events.clear();
  side_.ask(0, 1);
  side_.store->flush();
  side_.store.reset();
  EXPECT_FALSE(side_.until([&] { return !side_.events.empty(); }, std::chrono::milliseconds(100)));
}

TEST_F(RedisStore, AnotherDatabaseIsAnotherWorld) {
  auto options = options_for(server_->port());
  options.database = 5;
  GateSide other(options);
  ASSERT_TRUE(other.until_up());
  const auto limit = sliding_log("callbacks", 1);
  const Bucket bucket{&limit, ""};
  other.store->add_line({0}, {&bucket, 1});
  add(0, limit);
  EXPECT_EQ(other.answer(0, 1)->due.size(), 1u);
  EXPECT_EQ(side_.answer(0, 1)->due.size(), 1u);

  options.database = 99;
  GateSide none(options);
  ASSERT_TRUE(none.until([&] { return none.notice("redis_refused"); }));
  EXPECT_TRUE(none.says("no such database"));
}

// In several calls, of which each must find that no turn lies behind its own.
TEST_F(RedisStore, ManyTurnsOfAQueueComeBack) {
  limits::Limit queue = sliding_log("callbacks", 1);
  queue.parameters = limits::LeakyBucketParameters{{1, 1'000'000}, Permits{1'000}, true};
  add(0, queue);
  const core::AskId ask{++side_.last_ask};
  side_.events.clear();
  side_.store->ask({{0}, ask, {1}, {600}, Duration::seconds(1'000)});
  side_.store->flush();
  ASSERT_TRUE(side_.until([&] { return side_.find<core::PermitsAnswered>(); }));
  const auto* answer = side_.find<core::PermitsAnswered>();
  ASSERT_EQ(answer->due.size(), 600u);
  const auto permit = [&](std::uint16_t i) {
    return core::Permit{ask, i, answer->limiter_now + answer->due[i]};
  };
  // A script that the server does not know yet goes again behind the calls after it.
  const auto lives_ms = [&] { return std::stol(control("PTTL", "test:{test}:callbacks:")); };
  const long before = lives_ms();
  side_.store->release({{0}, permit(599), {}});
  side_.store->flush();
  ASSERT_TRUE(side_.until([&] { return lives_ms() < before - 500; }));
  for (std::uint16_t i = 2; i < 599; ++i) side_.store->release({{0}, permit(i), {}});
  side_.store->flush();
  // Two are left of 600: the key lives until the third turn.
  EXPECT_TRUE(side_.until([&] { return lives_ms() < before - 590'000; }));
}

}  // namespace
}  // namespace einlass::redis::testing
