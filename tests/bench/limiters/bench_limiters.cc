// What a decision costs: in process by the clock, on Redis by the server's own account (INFO
// commandstats, time inside EVALSHA), beside INCR and an empty script on the same server in the
// same run. Each figure is the best of many short rounds, so that a noisy machine does not matter.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "conformance/both_stores.h"
#include "conformance/redis_server.h"

namespace einlass::conformance {
namespace {

constexpr std::int64_t kStart = 1'800'000'000'000'000;
constexpr int kRounds = 100;
constexpr int kCallsOfARound = 200;
constexpr std::int64_t kPermitsOfARound = 10'000;  // In process.

Rule log(std::int64_t limit, std::int64_t window) {
  return {limits::SlidingLogParameters{{limit}, {window}}, {1}};
}
Rule bucket(std::int64_t micros, std::int64_t burst) {
  return {limits::TokenBucketParameters{{1, micros}, {burst}}, {1}};
}

// An ask every `step` microseconds.
struct Load {
  const char* name;
  std::vector<Rule> rules;
  Asked asked;
  std::int64_t step;
};

std::vector<Load> loads() {
  return {
      {"token_bucket, granted", {bucket(10, 100)}, {}, 20},
      {"token_bucket, denied", {bucket(10'000'000, 1)}, {}, 20},
      {"token_bucket, 100 ahead", {bucket(1'000, 100)}, {100, 100, 500'000}, 100'000},
      {"sliding_log 100/s, granted", {log(100, 1'000'000)}, {}, 12'000},
      {"sliding_log 10000, granted", {log(10'000, 100'000'000)}, {}, 12'000},
      {"sliding_log, denied", {log(100, 10'000'000)}, {}, 20},
      {"sliding_log, 100 at once", {log(1'000, 1'000'000)}, {100, 100, 0}, 200'000},
      {"sliding_log, 100 ahead", {log(1'000, 1'000'000)}, {100, 100, 500'000}, 100'000},
      {"log and bucket", {log(100, 1'000'000), bucket(10'000, 100)}, {}, 12'000},
      {"three buckets", {bucket(10, 100), bucket(10, 100), bucket(10, 100)}, {}, 20},
  };
}

// The server's time for each call of `command` since the last RESETSTAT.
double server_micros(RedisServer& server, const std::string& command) {
  const Reply info = server.call({"INFO", "commandstats"});
  const std::string text(info->str, info->len);
  const std::string field = "usec_per_call=";
  const std::size_t line = text.find("cmdstat_" + command + ":");
  return std::atof(text.c_str() + text.find(field, line) + field.size());
}

double best(RedisServer& server, const std::string& command,
            const std::function<std::vector<std::string>()>& next) {
  double result = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<std::string>> commands;
    for (int i = 0; i < kCallsOfARound; ++i) commands.push_back(next());
    server.call({"CONFIG", "RESETSTAT"});
    server.pipeline(commands);
    result = std::min(result, server_micros(server, command));
  }
  return result;
}

void on_redis() {
  RedisServer server;
  std::printf("Redis: server microseconds per call\n");
  std::printf("  %-30s %8.2f\n", "INCR", best(server, "incr", [] {
                return std::vector<std::string>{"INCR", "x"};
              }));
  const Reply sha = server.call({"SCRIPT", "LOAD", "return 1"});
  const std::string empty(sha->str, sha->len);
  std::printf("  %-30s %8.2f\n", "empty script", best(server, "evalsha", [&] {
                return std::vector<std::string>{"EVALSHA", empty, "0"};
              }));
  for (const Load& load : loads()) {
    RedisSide side(server, load.name, load.rules);
    std::int64_t now = kStart;
    std::uint64_t number = 0;
    const double micros = best(server, "evalsha", [&] {
      return side.acquire_command(load.asked, ++number, now += load.step);
    });
    std::printf("  %-30s %8.2f", load.name, micros);
    if (load.asked.max > 1) std::printf("  (%.2f a permit)", micros / double(load.asked.max));
    std::printf("\n");
  }
}

double nanos_in_process(const Load& load) {
  std::vector<limits::State> states;
  std::vector<limits::Charge> charges;
  for (const Rule& rule : load.rules) states.push_back(limits::fresh(rule.parameters, ""));
  for (std::size_t i = 0; i < states.size(); ++i) {
    charges.push_back({&load.rules[i].parameters, &states[i], load.rules[i].cost});
  }
  std::vector<Duration> due(static_cast<std::size_t>(load.asked.max));
  const limits::Demand demand{{load.asked.min}, {load.asked.max}, {load.asked.horizon}, prefix(1)};
  std::int64_t now = kStart;
  const std::int64_t decisions = kPermitsOfARound / load.asked.max;
  double result = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < decisions; ++i) {
      limits::acquire(charges, demand, {now += load.step}, due);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    result = std::min(result, took.count() / double(decisions));
  }
  return result;
}

}  // namespace
}  // namespace einlass::conformance

int main() {
  using namespace einlass::conformance;
  std::printf("In process: nanoseconds per call\n");
  for (const Load& load : loads()) {
    std::printf("  %-30s %8.1f\n", load.name, nanos_in_process(load));
  }
  on_redis();
}
