#include "whole_gate/plan.h"

namespace einlass::whole {
namespace {

constexpr Micros kSecond = 1'000'000;

Promise draw_limit(Kernel& kernel, Plan& plan) {
  const std::uint64_t limit = 5 + kernel.dice(60);
  const std::string number = std::to_string(limit);
  const std::string even = kernel.one_in(3) ? ", even: 0%" : "";
  plan.per_second = static_cast<double>(limit);
  const std::string store =
      kernel.one_in(3) ? ", key: record_key, store: redis}" : ", store: redis}";
  const bool by_key = store.starts_with(", key");
  switch (kernel.dice(4)) {
    case 0:
      plan.limit = "{algorithm: token_bucket, rate: " + number + "/s, burst: 7" + store;
      return {7, 0, static_cast<double>(limit), by_key};
    case 1:
      plan.limit = "{algorithm: gcra, rate: " + number + "/s, burst: 3" + store;
      return {3, 0, static_cast<double>(limit), by_key};
    case 2:
      plan.limit = "{algorithm: fixed_window, limit: " + number + ", window: 1s" + store;
      return {2 * limit, kSecond, 0, by_key};  // At the edge of two windows.
    default:
      plan.limit = "{algorithm: sliding_log, limit: " + number + ", window: 1s" + even + store;
      return {limit, kSecond, 0, by_key};
  }
}

}  // namespace

Plan draw_plan(Kernel& kernel) {
  Plan plan;
  plan.redis = static_cast<RedisKind>(kernel.dice(3));
  plan.http2 = kernel.one_in(2);
  plan.ordered = static_cast<Ordered>(kernel.dice(3));
  plan.promise = draw_limit(kernel, plan);
  plan.partitions = static_cast<int>(1 + kernel.dice(5));
  plan.records = static_cast<std::int64_t>(20 + kernel.dice(300));
  plan.bad_until = kernel.between(0, 30 * kSecond);
  plan.weather.most_delay = kernel.between(200, kernel.one_in(3) ? 60'000 : 3'000);
  if (kernel.one_in(2)) plan.weather.longest_piece = 1 + kernel.dice(kernel.one_in(2) ? 3 : 200);
  if (kernel.one_in(3)) plan.weather.most_gap = kernel.between(0, 300);
  plan.in_flight = 1 + kernel.dice(30);
  if (kernel.one_in(4)) plan.together = 2 + kernel.dice(12);
  if (kernel.one_in(3)) plan.attempts = plan.together + kernel.dice(20);
  return plan;
}

std::string configuration(const Plan& plan, const std::string& redis) {
  static const char* const kOrders[] = {"none", "partition", "key"};
  const bool counts = plan.attempts > 0;
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  std::string text = "redis: " + redis + "\nlimits:\n  shared: " + plan.limit + "\n";
  if (counts) {
    text += "  attempts: {algorithm: concurrency, limit: " + number(plan.attempts) +
            ", lease: 8s, store: redis}\n";
  }
  text += "targets:\n  t:\n    http:\n      url: \"http://10.0.1.1/in\"\n      timeout: 3s\n" +
          std::string("      http2: ") + (plan.http2 ? "always" : "never") +
          "\n      max_in_flight: " + number(plan.in_flight) + "\n";
  if (plan.together > 1) {
    text += "      batch: {records: " + number(plan.together) + ", format: length_prefixed}\n";
  }
  return text +
         "    breaker: {max_wait: 5s}\nroutes:\n  - name: r\n    topics: [results]\n    target: "
         "t\n" +
         "    limits: [shared" + (counts ? ", attempts" : "") +
         "]\n    order: " + kOrders[static_cast<int>(plan.ordered)] +
         "\n    retry: {initial: 100ms, max: 2s}\n";
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
