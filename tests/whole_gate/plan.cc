#include "whole_gate/plan.h"

#include "whole_gate/receiver.h"

namespace einlass::whole {
namespace {

constexpr Micros kSecond = 1'000'000;

// Whoever stands in for Redis keeps this gate to its part of the limit, if to that.
std::string draw_outage(Kernel& kernel, Plan& plan) {
  if (!kernel.one_in(5)) return {};
  plan.is_stood_in_for = true;
  return kernel.one_in(2) ? ", on_outage: pass" : ", on_outage: local_share";
}

Promise draw_limit(Kernel& kernel, Plan& plan) {
  const std::uint64_t limit = 5 + kernel.dice(60);
  const std::string number = std::to_string(limit);
  const std::string even = kernel.one_in(3) ? ", even: 0%" : "";
  plan.per_second = static_cast<double>(limit);
  const bool by_key = kernel.one_in(3);
  const std::string store =
      (by_key ? ", key: record_key" : "") + draw_outage(kernel, plan) + ", store: redis}";
  switch (kernel.dice(4)) {
    case 0:
      plan.limit = "{algorithm: token_bucket, rate: " + number + "/s, burst: 7" + store;
      return {7, 0, static_cast<double>(limit), by_key};
    case 1:
      plan.limit = "{algorithm: gcra, rate: " + number + "/s, burst: 3" + store;
      return {3, 0, static_cast<double>(limit), by_key};
    case 2:
      plan.limit = "{algorithm: fixed_window, limit: " + number + ", window: 1s" + store;
      return {limit, kSecond, 0, by_key, true};
    default:
      plan.limit = "{algorithm: sliding_log, limit: " + number + ", window: 1s" + even + store;
      return {limit, kSecond, 0, by_key};
  }
}

// Flows share what has no key, and is booked ahead in any order but the partition's; beside it
// there is no limit that is not.
bool draw_shares(Kernel& kernel, const Plan& plan) {
  if (plan.ordered == Ordered::by_partition) return false;
  if (plan.promise.by_key || plan.promise.by_the_clock) return false;
  return kernel.one_in(2);
}

std::string urls(const Plan& plan) {
  if (plan.servers == 1) return "url: \"http://" + Receiver::host(1) + "/in\"\n";
  std::string text = "urls:\n";
  for (int i = 1; i <= plan.servers; ++i) {
    text += "        - \"http://" + Receiver::host(i) + "/in\"\n";
  }
  return text + "      balance: " + (plan.by_key ? "key" : "round_robin") + "\n";
}

}  // namespace

Plan draw_plan(Kernel& kernel) {
  Plan plan;
  plan.redis = static_cast<RedisKind>(kernel.dice(3));
  plan.http2 = kernel.one_in(2);
  plan.ordered = static_cast<Ordered>(kernel.dice(3));
  plan.promise = draw_limit(kernel, plan);
  plan.shares = draw_shares(kernel, plan);
  if (plan.shares) plan.limit.insert(plan.limit.size() - 1, ", share: keys");
  plan.partitions = static_cast<int>(1 + kernel.dice(5));
  plan.records = static_cast<std::int64_t>(20 + kernel.dice(300));
  plan.bad_until = kernel.between(0, 30 * kSecond);
  plan.weather.most_delay = kernel.between(200, kernel.one_in(3) ? 60'000 : 3'000);
  if (kernel.one_in(2)) plan.weather.longest_piece = 1 + kernel.dice(kernel.one_in(2) ? 3 : 200);
  if (kernel.one_in(3)) plan.weather.most_gap = kernel.between(0, 300);
  plan.in_flight = 1 + kernel.dice(30);
  if (kernel.one_in(4)) plan.together = 2 + kernel.dice(12);
  if (kernel.one_in(3) && !plan.shares) plan.attempts = plan.together + kernel.dice(20);
  if (kernel.one_in(3)) plan.servers = 2;
  plan.by_key = plan.together == 1 && kernel.one_in(2);
  plan.redis_forgets = kernel.one_in(6);
  if (plan.redis_forgets || plan.is_stood_in_for) plan.promise = {};
  return plan;
}

std::uint64_t most_in_flight(const Plan& plan, int edition) {
  return plan.in_flight + static_cast<std::uint64_t>(edition % 4);
}

std::string configuration(const Plan& plan, const std::string& redis, int edition) {
  static const char* const kOrders[] = {"none", "partition", "key"};
  const bool counts = plan.attempts > 0;
  const auto number = [](auto value) { return std::to_string(value); };
  std::string text = "instances: 1\nredis: " + redis + "\nlimits:\n  shared: " + plan.limit + "\n";
  if (counts) {
    text += "  attempts: {algorithm: concurrency, limit: " + number(plan.attempts) +
            ", lease: 8s, store: redis}\n";
  }
  if (plan.shares) {
    text += "shares:\n  keys: {by: record_key, weight: {default: 1, k0: 3, \"k*\": 2}}\n";
  }
  text += "targets:\n  t:\n    http:\n      " + urls(plan) +
          "      timeout: " + number(kShortestTimeout / 1'000 + edition % 3 * 200) +
          "ms\n      http2: " + (plan.http2 ? "always" : "never") + "\n      max_in_flight: " +
          number(most_in_flight(plan, edition)) + "\n";
  if (plan.together > 1) {
    text += "      batch: {records: " + number(plan.together) + ", format: length_prefixed}\n";
  }
  text +=
      "    breaker: {max_wait: 5s}\nroutes:\n  - name: r\n    topics: [results]\n    target: t\n";
  return text + "    limits: [shared" + (counts ? ", attempts" : "") + "]\n" +
         (plan.shares ? "    share: keys\n" : "") +
         "    order: " + kOrders[static_cast<int>(plan.ordered)] +
         "\n    retry: {initial: " + number(100 + edition % 2 * 50) + "ms, max: 2s}\n";
}

Record draw_record(Kernel& kernel) {
  const auto bytes = [&kernel](std::size_t size) {
    std::string text(size, '\0');
    kernel.random_bytes(text.data(), size);
    return text;
  };
  Record record;
  if (!kernel.one_in(8)) record.value = bytes(kernel.dice(kernel.one_in(10) ? 60'000 : 300));
  if (!kernel.one_in(8)) record.key = "k" + std::to_string(kernel.dice(6));
  if (kernel.one_in(12)) record.key = bytes(1 + kernel.dice(20));
  return record;
}

}  // namespace einlass::whole
