#include "bench/limiters/bench_redis.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/limiters/loads.h"
#include "conformance/redis_server.h"

namespace einlass::bench {
namespace {

using conformance::RedisServer;
using conformance::RedisSide;
using conformance::Reply;

// Short rounds, of which some fall between the machine's other work.
constexpr int kRounds = 300;
constexpr int kCallsOfARound = 100;
constexpr std::int64_t kStart = 1'800'000'000'000'000;

// The server's time for each call of `command` since the last RESETSTAT.
double server_micros(RedisServer& server, const std::string& command) {
  const Reply info = server.call({"INFO", "commandstats"});
  const std::string text(info->str, info->len);
  const std::string field = "usec_per_call=";
  const std::size_t line = text.find("cmdstat_" + command + ":");
  return std::atof(text.c_str() + text.find(field, line) + field.size());
}

using Next = std::function<std::vector<std::string>()>;

// Of the rounds the one that only a twentieth undercuts: Redis counts whole microseconds.
double measured(RedisServer& server, const std::string& command, const Next& next) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<std::string>> commands;
    for (int i = 0; i < kCallsOfARound; ++i) commands.push_back(next());
    server.call({"CONFIG", "RESETSTAT"});
    server.pipeline(commands);
    rounds.push_back(server_micros(server, command));
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 20, rounds.end());
  return rounds[kRounds / 20];
}

double evalsha(RedisServer& server, const Next& next) { return measured(server, "evalsha", next); }

struct Yardstick {
  double incr = 0;
  double empty = 0;
};

Yardstick yardstick(RedisServer& server) {
  const Reply loaded = server.call({"SCRIPT", "LOAD", "return 1"});
  const std::string sha(loaded->str, loaded->len);
  return {measured(server, "incr",
                   [] {
                     return std::vector<std::string>{"INCR", "x"};
                   }),
          evalsha(server, [&] {
            return std::vector<std::string>{"EVALSHA", sha, "0"};
          })};
}

void measure(RedisServer& server, const Load& load, const Yardstick& yard) {
  RedisSide side(server, load.name, load.rules);
  std::uint64_t number = 0;
  std::int64_t invented = kStart;
  // Who asks ahead faster than the limit allows would soon be denied.
  const Next ask = [&] {
    std::optional<std::int64_t> now;
    if (load.asked.horizon > 0) now = invented += load.step;
    return side.acquire_command(load.asked, ++number, now);
  };
  side.remember(false);
  const double plain = evalsha(server, ask);
  side.remember(true);
  const double remembered = evalsha(server, ask);
  std::printf("  %-28s %8.2f %8.2f %7.1fx %7.1fx", load.name, plain, remembered, plain / yard.incr,
              plain / yard.empty);
  if (load.target > 0) std::printf(" %8.0f", load.target);
  if (load.asked.max > 1) std::printf("   (%.2f a permit)", plain / double(load.asked.max));
  std::printf("\n");
  std::fflush(stdout);
}

// Of so many buckets, asked at random.
double of_many(std::size_t buckets) {
  RedisServer server;
  RedisSide side(server, "0", loads()[0].rules);
  side.remember(false);
  std::uint64_t number = 0;
  const auto ask = [&](std::size_t bucket) {
    side.rename(std::to_string(bucket));
    return side.acquire_command({}, ++number, kStart);  // None is as good as fresh again.
  };
  std::vector<std::vector<std::string>> commands;
  for (std::size_t i = 0; i < buckets; ++i) {
    commands.push_back(ask(i));
    if (commands.size() < 1'000 && i + 1 < buckets) continue;
    server.pipeline(commands);
    commands.clear();
  }
  std::minstd_rand random;
  return evalsha(server, [&] { return ask(random() % buckets); });
}

long long memory_usage(RedisServer& server, const std::string& key) {
  return server.call({"MEMORY", "USAGE", key, "SAMPLES", "0"})->integer;
}

void measure_size(RedisServer& server, const Load& load) {
  server.call({"FLUSHALL"});
  RedisSide side(server, "size", load.rules);
  std::int64_t now = kStart;
  side.acquire(load.asked, 1, now);
  const long long one = memory_usage(server, side.key(0));
  for (std::uint64_t i = 2; i <= 100; ++i) side.acquire(load.asked, i, now += load.step);
  std::printf("  %-28s %6lld %8lld\n", load.name, one, memory_usage(server, side.key(0)));
}

}  // namespace

void measure_on_redis(std::string_view only) {
  RedisServer server;
  const Yardstick yard = yardstick(server);
  std::printf("\nRedis: server microseconds a call, on the server's clock\n");
  std::printf("  %-28s %8.2f\n  %-28s %8.2f\n", "INCR", yard.incr, "empty script", yard.empty);
  std::printf("  %-28s %8s %8s %8s %8s %8s\n", "", "plain", "memo", "/INCR", "/empty", "wanted");
  for (const Load& load : loads(only)) measure(server, load, yard);
  const Yardstick after = yardstick(server);
  std::printf("  %-28s %8.2f\n  %-28s %8.2f\n", "INCR again", after.incr, "empty script again",
              after.empty);
  if (!only.empty()) return;
  std::printf("\nRedis, of so many buckets one at random: server microseconds a call\n");
  for (const std::size_t buckets : {1u, 1'000u, 1'000'000u}) {
    std::printf("  %9zu token buckets %8.2f\n", buckets, of_many(buckets));
  }
  std::printf("\nRedis: bytes of a bucket after 1 and after 100 permits (MEMORY USAGE)\n");
  for (const Load& load : sizes()) measure_size(server, load);
}

}  // namespace einlass::bench
