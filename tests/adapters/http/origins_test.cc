// A target with several servers.
#include "adapters/http/target/origins.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "adapters/http/origins_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

void add_other(TargetWorld& world, std::uint16_t port) {
  world.options.others.push_back({"127.0.0.1", port, "/other"});
}

// A port where nobody listens.
std::uint16_t closed_port() {
  std::uint16_t port = 0;
  ::close(listen_on_free_port(port));
  return port;
}

std::string at(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

TEST(SeveralUrls, take_turns) {
  Counting a, b, c;
  TargetWorld world(a.server.port());
  add_other(world, b.server.port());
  add_other(world, c.server.port());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(deliver(world, "k").outcome, Outcome::accepted);
  world.destroy_target();
  EXPECT_EQ(a.requests, 3);
  EXPECT_EQ(b.requests, 3);
  EXPECT_EQ(c.requests, 3);
}

TEST(SeveralUrls, one_that_fails_rests_and_comes_back) {
  Counting a, b;
  b.works = false;
  TargetWorld world(a.server.port());
  add_other(world, b.server.port());
  std::map<Outcome, int> outcomes;
  for (int i = 0; i < 8; ++i) ++outcomes[deliver(world, "k").outcome];
  EXPECT_EQ(outcomes[Outcome::retry], 1) << "only the first met the one that fails";
  EXPECT_EQ(b.requests, 1);
  EXPECT_EQ(world.trouble(), at(b.server.port()) + ": status 503");
  EXPECT_EQ(world.notices.at(0).detail,
            "attempts at billing (" + at(b.server.port()) + ") fail: status 503");
  b.works = true;
  world.run_until([&] { return deliver(world, "k"), b.requests > 1; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(deliver(world, "k").outcome, Outcome::accepted);
  EXPECT_EQ(world.trouble(), "");
  EXPECT_GE(b.requests, 3) << "it has its turns again";
}

TEST(SeveralUrls, one_that_is_not_there_is_the_same) {
  Counting a;
  TargetWorld world(closed_port());
  add_other(world, a.server.port());
  std::map<Outcome, int> outcomes;
  for (int i = 0; i < 8; ++i) ++outcomes[deliver(world, "k").outcome];
  EXPECT_EQ(outcomes[Outcome::retry], 1);
  EXPECT_EQ(outcomes[Outcome::accepted], 7);
}

TEST(SeveralUrls, all_that_fail_are_tried_on) {
  TargetWorld world(closed_port());
  add_other(world, closed_port());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(deliver(world, "k").outcome, Outcome::retry);
  EXPECT_EQ(world.events.size(), 6u);
}

TEST(SeveralUrls, a_refused_record_is_not_the_servers_fault) {
  Counting a;
  ScriptedServer strict(always("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n"));
  TargetWorld world(a.server.port());
  add_other(world, strict.port());
  int refused = 0;
  for (int i = 0; i < 8; ++i) refused += deliver(world, "k").outcome == Outcome::refused ? 1 : 0;
  EXPECT_EQ(refused, 4);
  world.destroy_target();
}

TEST(SeveralUrls, what_one_asks_for_does_not_hold_the_others) {
  Counting a;
  ScriptedServer busy(always("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"));
  TargetWorld world(a.server.port());
  add_other(world, busy.port());
  int retried = 0;
  for (int i = 0; i < 8; ++i) {
    const auto ended = deliver(world, "k");
    if (ended.outcome != Outcome::retry) continue;
    ++retried;
    EXPECT_FALSE(ended.hold_target) << "the other takes records";
  }
  EXPECT_EQ(retried, 1);
  TargetWorld alone(busy.port());
  EXPECT_TRUE(deliver(alone, "k").hold_target);
  world.destroy_target();
  alone.destroy_target();
}

// Two servers, and no time that passes by itself.
struct TwoServers final : OriginOwner {
  explicit TwoServers(Balance balance = Balance::round_robin)
      : origins{io, options(balance), nullptr, {}, *this, {}} {}

  static TargetOptions options(Balance balance) {
    TargetOptions options;
    options.balance = balance;
    options.host = "127.0.0.1";
    options.port = 1;
    options.path = "/";
    options.others.push_back({"127.0.0.1", 2, "/"});
    options.breaker.failures = 3;
    return options;
  }
  void ended(Origin&, const Exchange&, const Answer&) override {}
  bool second_is_chosen(SteadyTime now) {
    const Origin* one = origins.choose({}, now);
    const Origin* other = origins.choose({}, now);
    return one == &second || other == &second;
  }

  boost::asio::io_context io;
  Origins origins;
  SteadyTime start = std::chrono::steady_clock::now();
  Origin& first = *origins.choose({}, start);
  Origin& second = *origins.choose({}, start);
  Answer failed{.status = 503, .retry_after = {}, .trouble = {}};
  Answer busy{.status = 429, .retry_after = Duration::seconds(60), .trouble = {}};
  Answer refused{.status = 400, .retry_after = {}, .trouble = {}};
};

// What was under way when a server died may hang for as long as an attempt may take.
TEST(SeveralUrls, one_that_has_rested_gets_one_request_whatever_else_is_under_way_there) {
  using std::chrono::seconds;
  TwoServers world;
  world.second.send({}, {}, world.start);
  world.origins.fails(world.second, world.failed, world.start);
  EXPECT_EQ(world.second.in_flight(), 1u);
  EXPECT_FALSE(world.second_is_chosen(world.start));
  const SteadyTime later = world.start + seconds(1);
  EXPECT_TRUE(world.second_is_chosen(later));
  const Exchange tried{.record = {7, 1}, .attempt = {1}, .began = later};
  world.origins.begins(world.second, tried.record);
  EXPECT_FALSE(world.second_is_chosen(later)) << "one at a time";
  world.origins.judged(world.second, tried, core::Outcome::retry, world.failed, later);
  world.origins.fails(world.second, world.failed, later);
  EXPECT_FALSE(world.second_is_chosen(later));
  EXPECT_TRUE(world.second_is_chosen(later + seconds(2)));
}

TEST(SeveralUrls, one_that_rests_may_ask_for_more) {
  using std::chrono::seconds;
  TwoServers world;
  world.origins.fails(world.second, world.failed, world.start);
  world.origins.fails(world.second, world.busy, world.start);
  world.origins.works(world.second);  // What was under way already says nothing of that.
  EXPECT_FALSE(world.second_is_chosen(world.start + seconds(59)));
  EXPECT_FALSE(world.origins.others_work(world.first, world.start + seconds(59)));
  EXPECT_TRUE(world.second_is_chosen(world.start + seconds(60)));
  EXPECT_TRUE(world.origins.others_work(world.first, world.start + seconds(60)));
}

TEST(SeveralUrls, one_that_asks_for_time_has_it_while_the_other_fails) {
  using std::chrono::seconds;
  for (const Balance balance : {Balance::round_robin, Balance::by_key}) {
    TwoServers world(balance);
    world.origins.fails(world.first, world.busy, world.start);
    const SteadyTime later = world.start + seconds(59);
    world.origins.fails(world.second, world.failed, later);
    for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
      Request request{};
      request.key = key;
      EXPECT_EQ(world.origins.choose(request, later), &world.second);
    }
    EXPECT_EQ(world.origins.choose({}, world.start + seconds(60)), &world.first);
  }
}

TEST(SeveralUrls, all_that_ask_for_time_hold_the_target_until_the_first_may_be_asked) {
  using std::chrono::seconds;
  TwoServers world;
  const auto hold_after = [&](Origin& origin, std::int64_t asked, SteadyTime now) {
    world.busy.retry_after = Duration::seconds(asked);
    world.origins.fails(origin, world.busy, now);
    return world.origins.hold_after(origin, Duration::seconds(asked), now);
  };
  EXPECT_EQ(hold_after(world.first, 60, world.start), std::nullopt);
  EXPECT_EQ(hold_after(world.second, 90, world.start + seconds(50)), Duration::seconds(10));
  EXPECT_EQ(hold_after(world.first, 300, world.start + seconds(60)), Duration::seconds(80));
  TwoServers other;
  other.origins.fails(other.first, other.failed, other.start);
  other.origins.fails(other.second, other.busy, other.start);
  EXPECT_EQ(other.origins.hold_after(other.second, Duration::seconds(60), other.start),
            Duration::seconds(1))
      << "the first only rests";
  EXPECT_EQ(other.origins.hold_after(other.second, Duration::seconds(60),
                                     other.start + std::chrono::milliseconds(400)),
            Duration::millis(600));
}

TEST(SeveralUrls, one_that_refuses_a_record_rests_no_more) {
  TwoServers world;
  world.origins.fails(world.second, world.failed, world.start);
  EXPECT_FALSE(world.second_is_chosen(world.start));
  EXPECT_FALSE(world.origins.others_work(world.first, world.start));
  world.origins.fails(world.second, world.refused, world.start);
  EXPECT_TRUE(world.second_is_chosen(world.start));
  EXPECT_TRUE(world.origins.others_work(world.first, world.start));
}

// A 500 may be the record's fault as well: only where one hears nothing else is it the server's.
TEST(SeveralUrls, one_that_fails_some_records_takes_the_others) {
  using std::chrono::milliseconds;
  TwoServers world;
  const Answer broken{.status = 500, .retry_after = {}, .trouble = {}};
  const auto fail = [&](SteadyTime now) {
    const Exchange exchange{.record = {7, 1}, .attempt = {1}, .began = now};
    world.origins.judged(world.second, exchange, core::Outcome::retry, broken, now);
    world.origins.fails(world.second, broken, now);
  };
  for (int i = 0; i < 100; ++i) fail(world.start);
  EXPECT_TRUE(world.second_is_chosen(world.start));
  fail(world.start + milliseconds(999));
  EXPECT_TRUE(world.second_is_chosen(world.start + milliseconds(999)));
  fail(world.start + milliseconds(1000));
  EXPECT_FALSE(world.second_is_chosen(world.start + milliseconds(1000)));
}

TEST(SeveralUrls, the_same_key_goes_to_the_same_one_while_it_works) {
  Counting a, b, c;
  TargetWorld world(a.server.port());
  world.options.balance = Balance::by_key;
  add_other(world, b.server.port());
  add_other(world, c.server.port());
  std::map<std::string, Counting*> where;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "key-" + std::to_string(i % 30);
    const std::map<Counting*, int> before = {{&a, a.requests}, {&b, b.requests}, {&c, c.requests}};
    EXPECT_EQ(deliver(world, key).outcome, Outcome::accepted);
    for (const auto& [one, count] : before) {
      if (one->requests == count) continue;
      EXPECT_EQ(where.emplace(key, one).first->second, one) << key;
    }
  }
  for (Counting* one : {&a, &b, &c}) EXPECT_GT(one->requests, 4) << "keys are spread";
  b.works = false;
  for (int round = 0; round < 2; ++round) {
    for (auto& [key, one] : where) {
      const int before = one->requests;
      const auto ended = deliver(world, key);
      if (one == &b) continue;
      EXPECT_EQ(ended.outcome, Outcome::accepted);
      EXPECT_EQ(one->requests, before + 1) << key << " stays where it was";
    }
  }
  world.destroy_target();
}

TEST(SeveralUrls, each_has_its_host_and_its_path) {
  std::string seen;
  Counting a;
  ScriptedServer other([&](Peer& peer) {
    seen = peer.read_request();
    peer.write(kNoContent);
    peer.wait_for_end();
  });
  TargetWorld world(a.server.port());
  add_other(world, other.port());
  deliver(world, "k");
  deliver(world, "k");
  world.destroy_target();
  EXPECT_TRUE(seen.starts_with("POST /other HTTP/1.1\r\nHost: " + at(other.port()) + "\r\n"))
      << seen;
}

struct CountingOwner : OriginOwner {
  void ended(Origin&, const Exchange&, const Answer&) override { ++count; }
  std::size_t count = 0;
};

TEST(Origin, keeps_a_connection_whose_last_answer_took_more_than_a_minute) {
  using std::chrono::seconds;
  Counting a;
  CountingOwner owner;
  TargetWorld world(a.server.port());
  world.options.timeout = Duration::seconds(3600);
  Suspects suspects;
  const Notify notify;
  Origin origin(world.io, world.options, nullptr, {}, suspects, owner, notify);
  const auto now = std::chrono::steady_clock::now();
  origin.send({}, {}, now - seconds(61));
  world.run_until([&] { return owner.count == 1; });
  origin.look(now);
  EXPECT_EQ(origin.connections(), 1u) << "it was used a moment ago";
  EXPECT_GE(origin.last_used(), now) << "so is the host, where a record named it";
}

// Requests that come one after another would keep all others open as long as the server likes.
TEST(Origin, closes_what_a_minute_has_not_used_though_another_is_in_use) {
  using std::chrono::seconds;
  Counting a;
  CountingOwner owner;
  TargetWorld world(a.server.port());
  Suspects suspects;
  const Notify notify;
  Origin origin(world.io, world.options, nullptr, {}, suspects, owner, notify);
  const auto start = std::chrono::steady_clock::now();
  const auto send = [&](std::size_t requests, SteadyTime now) {
    const std::size_t before = owner.count;
    for (std::size_t i = 0; i < requests; ++i) origin.send({}, {}, now);
    world.run_until([&] { return owner.count == before + requests; });
  };
  send(3, start);
  send(1, start + seconds(40));
  origin.look(start + seconds(59));
  EXPECT_EQ(origin.connections(), 3u);
  origin.look(start + seconds(70));  // The exchanges themselves have taken a moment.
  EXPECT_EQ(origin.connections(), 1u);
  send(1, start + seconds(71));
  EXPECT_EQ(a.server.connections(), 3) << "the one in use is used again";
  origin.look(start + seconds(200));
  EXPECT_EQ(origin.connections(), 0u);
}

}  // namespace
}  // namespace einlass::http::testing
