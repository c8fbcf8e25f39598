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
#include <utility>
#include <vector>

#include "bench/limiters/loads.h"
#include "conformance/redis_server.h"
#include "lua/scripts.h"

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

// Asks of two gates for a token bucket that 1,000 flows share. Each names the next `named` of its
// gate's flows, and is granted so many permits.
class FlowsOfAFleet {
 public:
  FlowsOfAFleet(RedisServer& server, int named, int permits) : named_(named), permits_(permits) {
    constexpr std::string_view kAlgorithms[] = {"token_bucket"};
    const std::string text = lua::script(lua::Entry::acquire_shared, kAlgorithms);
    const Reply loaded = server.call({"SCRIPT", "LOAD", text});
    sha_.assign(loaded->str, loaded->len);
    server.call({"DEL", "flows", "flowsshared"});
  }

  std::vector<std::string> next() {
    const bool second = ++asks_ % 2 == 0;
    now_ += permits_ * 1'000;  // As much as one ask takes comes free at 1,000 a second.
    std::vector<std::string> words{
        "EVALSHA", sha_, "2",      "flows", "flowsshared", "token_bucket",
        "1",       "1",  "1000",   "1",     "0",           second ? "gate---2" : "gate---1",
        "1",       "5",  "100000", "0",     "1000"};
    const int rest = kFlows / 2 - named_;
    for (const int number : {0, rest, 0, rest}) words.push_back(std::to_string(number));
    for (int i = 0; i < named_; ++i) {
      const int flow = (second ? kFlows / 2 : 0) + at_[second]++ % (kFlows / 2);
      std::string id = "flow0000";
      for (std::size_t digit = 7, left = flow; digit > 3; --digit, left /= 10) {
        id[digit] = static_cast<char>('0' + left % 10);
      }
      for (const char* word : {id.c_str(), "0", "1", "9", ""}) words.emplace_back(word);
    }
    std::string prefix(14, 'x');
    for (std::size_t i = 0; i < 8; ++i) prefix[i] = static_cast<char>(asks_ >> (8 * i));
    for (const std::string& word :
         {std::string("1"), std::to_string(permits_), std::string("200000"), prefix, std::string(),
          std::to_string(now_), std::string("2000")}) {
      words.push_back(word);
    }
    return words;
  }

 private:
  static constexpr int kFlows = 1'000;
  int named_, permits_;
  std::string sha_;
  std::uint64_t asks_ = 0;
  std::int64_t now_ = kStart;
  int at_[2] = {0, 0};
};

void measure_flows(RedisServer& server) {
  std::printf("\nRedis, 1,000 flows that share a token bucket: server microseconds a call\n");
  for (const auto& [named, permits] :
       {std::pair(8, 1), std::pair(8, 4), std::pair(32, 16), std::pair(64, 32)}) {
    FlowsOfAFleet fleet(server, named, permits);
    for (int i = 0; i < 4'000; ++i) server.call(fleet.next());  // All are known by then.
    const double micros = evalsha(server, [&] { return fleet.next(); });
    std::printf("  %2d of them named, %2d permits %8.2f   (%.2f a permit)\n", named, permits,
                micros, micros / permits);
  }
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
  measure_flows(server);
  std::printf("\nRedis, of so many buckets one at random: server microseconds a call\n");
  for (const std::size_t buckets : {1u, 1'000u, 1'000'000u}) {
    std::printf("  %9zu token buckets %8.2f\n", buckets, of_many(buckets));
  }
  std::printf("\nRedis: bytes of a bucket after 1 and after 100 permits (MEMORY USAGE)\n");
  for (const Load& load : sizes()) measure_size(server, load);
}

}  // namespace einlass::bench
