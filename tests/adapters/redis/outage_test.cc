// A server that dies, stops, comes back, or was never there.
#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_server.h"
#include "lua/scripts.h"

namespace einlass::redis::testing {
namespace {

using namespace std::chrono_literals;

// A frozen server is soon missed.
StoreOptions impatient(std::uint16_t port) {
  auto options = options_for(port);
  options.timeout = Duration::millis(100);
  return options;
}

// Their leases outlast the test.
limits::Limit three_places() {
  return {"places", limits::ConcurrencyParameters{{3}, Duration::seconds(3'600)}};
}

bool loses_its_connection(GateSide& side, Control& control) {
  control({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  return side.until([&] { return !side.store->status().up; });
}

struct Outage : ::testing::Test {
  limits::Limit limit = sliding_log("callbacks", 10);

  void add_lines(GateSide& side, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bucket bucket{&limit, std::to_string(i)};
      side.store->add_line({i}, {&bucket, 1});
    }
  }
};

TEST_F(Outage, AnAskBeforeTheFirstConnectionFailsAndTheStoreComesUp) {
  RedisServer server;
  GateSide side(options_for(server.port()));
  add_lines(side, 1);
  side.ask(0, 1);
  side.ask(0, 1);
  ASSERT_EQ(side.events.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<core::StoreDown>(side.events[0]));
  EXPECT_TRUE(std::holds_alternative<core::PermitsFailed>(side.events[1]));
  EXPECT_TRUE(std::holds_alternative<core::PermitsFailed>(side.events[2]));
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }));
  EXPECT_TRUE(side.answer(0, 1));
}

// Three places, taken; in an outage their attempts end, or it
// shows that nobody uses them.
struct PlacesInAnOutage : Outage, ::testing::WithParamInterface<bool> {
  RedisServer server;
  Control control{server.port()};
  GateSide side{options_for(server.port())};
  std::vector<core::Permit> taken;

  void SetUp() override {
    limit = three_places();
    add_lines(side, 1);
    ASSERT_TRUE(side.until_up());
    const auto* answer = side.answer(0, 3);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->due.size(), 3u);
    for (std::uint16_t i = 0; i < 3; ++i) {
      taken.push_back({answer->ask, i, answer->limiter_now + answer->due[i]});
    }
  }

  void end_all() {
    const bool used = GetParam();
    for (const core::Permit& permit : taken) {
      if (used) {
        side.store->ended({{0}, permit});
      } else {
        side.store->release({{0}, permit, {}});
      }
    }
    side.store->flush();
  }

  // Whether all places come back.
  bool all_are_free() {
    return side.until([&] {
      const auto* answer = side.store->status().up ? side.answer(0, 3, 3) : nullptr;
      return answer && answer->due.size() == 3;
    });
  }
};

TEST_P(PlacesInAnOutage, AreFreedWhenTheStoreIsUpAgain) {
  control({"CLIENT", "KILL", "TYPE", "normal"});
  ASSERT_TRUE(side.until([&] { return !side.store->status().up; }));
  end_all();
  EXPECT_TRUE(all_are_free());
}

TEST_P(PlacesInAnOutage, AreFreedWhereTheCallWasLost) {
  ASSERT_EQ(control({"CLIENT", "PAUSE", "600000", "WRITE"}), "OK");
  end_all();
  side.io.poll();
  Control other(server.port());
  other({"CLIENT", "KILL", "TYPE", "normal"});
  ASSERT_TRUE(side.until([&] { return !side.store->status().up; }));
  Control last(server.port());
  ASSERT_EQ(last({"CLIENT", "UNPAUSE"}), "OK");
  EXPECT_TRUE(all_are_free());
}

TEST_P(PlacesInAnOutage, AreFreedWhereTheCallWasRefused) {
  ASSERT_EQ(control({"CONFIG", "SET", "min-replicas-to-write", "1"}), "OK");
  end_all();
  ASSERT_TRUE(side.until([&] { return !side.store->status().up; }));
  ASSERT_EQ(control({"CONFIG", "SET", "min-replicas-to-write", "0"}), "OK");
  EXPECT_TRUE(all_are_free());
}

INSTANTIATE_TEST_SUITE_P(Used, PlacesInAnOutage, ::testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Unused, PlacesInAnOutage, ::testing::Values(false));

// Its answer comes when somebody else has answered it: nobody would end those attempts.
TEST_F(Outage, ThePlacesOfAnAskThatWasGivenUpAreFree) {
  limit = three_places();
  RedisServer server;
  GateSide side(impatient(server.port()));
  add_lines(side, 1);
  ASSERT_TRUE(side.until_up());
  const auto* answer = side.answer(0, 1);  // So that the server knows the script.
  ASSERT_TRUE(answer);
  side.store->ended({{0}, {answer->ask, 0, answer->limiter_now}});
  Control control(server.port());
  server.freeze();
  const core::AskId asked = side.ask(0, 3);
  side.store->flush();
  ASSERT_TRUE(side.until([&] { return side.count<core::PermitsFailed>() > 0; }));
  side.store->give_up({{0}, asked, {1}, {3}, {}, {1}, true});
  server.thaw();
  ASSERT_TRUE(eventually([&] { return control({"ZCARD", "test:{test}:places:0"}) == "3"; }));
  EXPECT_TRUE(side.until([&] {
    const auto* free = side.store->status().up ? side.answer(0, 3, 3) : nullptr;
    return free && free->due.size() == 3;
  }));
}

// The server is well, and each grant counts for nothing.
TEST_F(Outage, ThePlacesOfAGrantThatNoReplicaConfirmsAreFreeOnceItIsGivenUp) {
  limit = three_places();
  RedisServer server;
  auto options = options_for(server.port());
  options.timeout = Duration::seconds(1);
  options.wait_replicas = 1;
  Control control(server.port());
  const std::vector<std::string_view> algorithm{"concurrency"};
  control({"SCRIPT", "LOAD", lua::script(lua::Entry::acquire, algorithm)});
  GateSide side(options);
  add_lines(side, 1);
  ASSERT_TRUE(side.until([&] { return side.store->status().nodes_up == 1; }));
  const core::AskId asked = side.ask(0, 2);
  side.store->flush();
  ASSERT_TRUE(side.until([&] { return side.count<core::PermitsFailed>() == 1; }));
  ASSERT_EQ(control({"ZCARD", "test:{test}:places:0"}), "2");
  side.store->give_up({{0}, asked, {1}, {2}, {}, {1}, true});
  side.store->flush();
  GateSide other(options_for(server.port()));
  other.last_ask = 100;
  add_lines(other, 1);
  ASSERT_TRUE(other.until_up());
  EXPECT_TRUE(other.until([&] {
    side.io.poll();
    const auto* free = other.answer(0, 3, 3);
    return free && free->due.size() == 3;
  }));
  const auto said_up = [&] { return std::ranges::count(side.notices, "redis_up", &Notice::what); };
  EXPECT_FALSE(side.until([&] { return said_up() > 1; }, 300ms)) << "places come back, no more";
}

// It was granted nothing, and what really ended meanwhile is not to wait behind it.
TEST_F(Outage, OfAnAskThatNeverLeftNothingIsGivenBack) {
  limit = three_places();
  RedisServer server;
  GateSide side(options_for(server.port()));
  add_lines(side, 1);
  ASSERT_TRUE(side.until_up());
  const auto* answer = side.answer(0, 1);
  ASSERT_TRUE(answer);
  const core::Permit used{answer->ask, 0, answer->limiter_now};
  Control control(server.port());
  ASSERT_TRUE(loses_its_connection(side, control));
  const std::size_t failed = side.count<core::PermitsFailed>();
  const core::AskId asked = side.ask(0, 2);
  ASSERT_EQ(side.count<core::PermitsFailed>(), failed + 1);
  side.store->give_up({{0}, asked, {1}, {2}, {}, {1}, true});
  side.store->ended({{0}, used});
  ASSERT_TRUE(side.until_up());
  std::string stats;
  EXPECT_TRUE(side.until([&] {
    stats = control({"INFO", "commandstats"});
    return stats.find("cmdstat_zrem:") != std::string::npos;
  }));
  EXPECT_NE(stats.find("cmdstat_zscore:calls=1,"), std::string::npos) << stats;
}

// What the other limits of the line would have had back stays spent.
TEST_F(Outage, OnlyThePlacesOfWhatNobodyUsesAreKept) {
  const limits::Limit places{
      "places", limits::ConcurrencyParameters{{3}, Duration::seconds(3'600)}, {1}};
  RedisServer server;
  GateSide side(options_for(server.port()));
  const Bucket buckets[] = {{&limit, ""}, {&places, ""}};
  side.store->add_line({0}, buckets);
  ASSERT_TRUE(side.until_up());
  const auto* answer = side.answer(0, 3);
  ASSERT_TRUE(answer);
  const core::Permit unused{answer->ask, 0, answer->limiter_now};
  Control control(server.port());
  ASSERT_TRUE(loses_its_connection(side, control));
  side.store->release({{0}, unused, {}});
  ASSERT_TRUE(side.until_up());
  EXPECT_TRUE(side.until([&] { return control({"ZCARD", "test:{test}:places:"}) == "2"; }));
  EXPECT_EQ(control({"ZCARD", "test:{test}:callbacks:"}), "3");
}

TEST_F(Outage, AKilledServerFailsEveryOpenAskAndIsFoundAgain) {
  RedisServer server;
  GateSide side(options_for(server.port()));
  add_lines(side, 50);
  ASSERT_TRUE(side.until_up());
  server.freeze();
  for (std::uint32_t i = 0; i < 50; ++i) side.ask(i, 1);
  side.store->flush();
  side.io.poll();
  server.kill();
  ASSERT_TRUE(side.until([&] { return side.events.size() >= 51; }));
  EXPECT_TRUE(std::holds_alternative<core::StoreDown>(side.events[0]));
  EXPECT_EQ(side.count<core::PermitsFailed>(), 50u);
  EXPECT_TRUE(side.notice("redis_lost"));
  EXPECT_EQ(side.store->status().errors, 50u);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));

  ASSERT_TRUE(server.start());
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }));
  EXPECT_EQ(side.count<core::StoreDown>(), 1u);
  ASSERT_TRUE(side.answer(0, 4)) << "the new server does not know the script";
  EXPECT_EQ(side.find<core::PermitsAnswered>()->due.size(), 4u);
}

TEST_F(Outage, TheSameAskIsToldThePermitsOfTheAnswerThatCameTooLate) {
  RedisServer server;
  GateSide side(impatient(server.port()));
  add_lines(side, 2);
  ASSERT_TRUE(side.until_up());
  ASSERT_EQ(side.answer(0, 2)->due.size(), 2u);
  side.events.clear();
  server.freeze();
  const core::AskId first = side.ask(0, 5);
  side.ask(1, 3);
  side.store->flush();
  ASSERT_TRUE(side.until([&] { return side.count<core::PermitsFailed>() == 2; }));
  EXPECT_TRUE(std::holds_alternative<core::StoreDown>(side.events[0]));
  EXPECT_EQ(side.count<core::StoreDown>(), 1u);
  EXPECT_TRUE(side.notice("redis_timeout"));
  EXPECT_EQ(side.store->status().timeouts, 2u);
  EXPECT_FALSE(side.store->status().up);
  // The gate may forget the line in between; its number may even mean another one.
  side.store->forget_line({1});

  server.thaw();
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }));
  EXPECT_EQ(side.count<core::PermitsAnswered>(), 0u);
  const auto* answer = side.answer_again(0, first, 5);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->ask, first);
  EXPECT_EQ(answer->due.size(), 5u);
  EXPECT_LT(answer->due.front(), Duration{}) << "they came due when the server granted them";
  EXPECT_EQ(side.answer(0, 9)->due.size(), 3u) << "and were paid once";
  EXPECT_EQ(side.notice("redis_lost"), nullptr) << "it was the same connection all along";
}

TEST_F(Outage, TheSameAskIsToldThePermitsOfAnAnswerThatWasLost) {
  RedisServer server;
  GateSide side(options_for(server.port()));
  add_lines(side, 1);
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(0, 1));
  side.events.clear();
  const core::AskId asked = side.ask(0, 5);
  side.store->flush();
  side.io.poll();
  Control control(server.port());
  ASSERT_TRUE(eventually([&] { return control({"ZCARD", "test:{test}:callbacks:0"}) == "6"; }));
  ASSERT_NE(control({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}), "0");
  // The answer may have come before the end of the connection: then asking again changes nothing.
  side.until([&] { return side.count<core::PermitsFailed>() > 0; }, 200ms);
  ASSERT_TRUE(side.until_up());
  const auto* answer = side.answer_again(0, asked, 5);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->due.size(), 5u);
  EXPECT_EQ(control({"ZCARD", "test:{test}:callbacks:0"}), "6");
}

TEST_F(Outage, AConnectionThatStaysSilentIsGivenUp) {
  RedisServer server;
  auto options = options_for(server.port());
  options.timeout = Duration::millis(50);
  GateSide side(options);
  add_lines(side, 1);
  ASSERT_TRUE(side.until_up());
  server.freeze();
  side.ask(0, 1);
  side.store->flush();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(side.until([&] { return side.notice("redis_lost"); }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1'900));
  EXPECT_EQ(side.events.size(), 2u) << "down once, failed once";
  server.thaw();
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }));
  EXPECT_TRUE(side.answer(0, 1));
}

// While even the PING is late, only the silence of the connection is watched; the calls after that
// have deadlines of their own again.
TEST_F(Outage, DeadlinesHoldAfterAnOutage) {
  RedisServer server;
  GateSide side(impatient(server.port()));
  add_lines(side, 1);
  ASSERT_TRUE(side.until_up());
  for (int round = 0; round < 2; ++round) {
    side.events.clear();
    server.freeze();
    side.ask(0, 1);
    side.store->flush();
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(side.until([&] { return side.count<core::PermitsFailed>() == 1; }));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(900));
    EXPECT_FALSE(side.until([&] { return side.store->status().up; }, 2 * 100ms));
    server.thaw();
    ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }));
  }
}

TEST_F(Outage, MoreThanTheServerTakesFailsAtOnce) {
  RedisServer server;
  auto options = options_for(server.port());
  options.timeout = Duration::seconds(8);
  GateSide side(options);
  add_lines(side, 1);
  ASSERT_TRUE(side.until_up());
  ASSERT_TRUE(side.answer(0, 1));
  side.events.clear();
  server.freeze();
  for (int i = 0; i < 100'000; ++i) side.ask(0, 1);
  side.store->flush();
  EXPECT_TRUE(std::holds_alternative<core::StoreDown>(side.events[0]));
  const std::size_t failed = side.count<core::PermitsFailed>();
  EXPECT_GT(failed, 10'000u);
  EXPECT_TRUE(side.says("is too far behind: no more calls may be open;"));
  server.thaw();
  ASSERT_TRUE(side.until([&] { return side.count<core::StoreUp>() == 1; }));
  EXPECT_EQ(side.count<core::PermitsAnswered>() + failed, 100'000u);
  EXPECT_TRUE(side.answer(0, 1));
}

TEST_F(Outage, ANameThatDoesNotResolveIsToldAndTriedAgain) {
  auto options = options_for(1);
  options.host = "no-such-host.invalid";
  GateSide side(options);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
  EXPECT_TRUE(side.says("cannot resolve"));
  EXPECT_TRUE(side.says("no-such-host.invalid:1"));
  EXPECT_EQ(side.count<core::StoreDown>(), 1u);
}

TEST_F(Outage, DestroyedWhileItConnects) {
  RedisServer server;
  { GateSide side(options_for(server.port())); }
  GateSide side(options_for(server.port()));
  side.io.run_one_for(std::chrono::milliseconds(100));
  side.store.reset();
  EXPECT_FALSE(side.until([&] { return !side.events.empty(); }, std::chrono::milliseconds(50)));
}

}  // namespace
}  // namespace einlass::redis::testing
