#include "whole_gate/plan.h"

#include <algorithm>

namespace einlass::whole {
namespace {

// What a record takes of the limit at most, which is what the smallest limit has at once; and what
// one takes that does not say it.
constexpr std::uint64_t kMostCost = 4, kUnknownCost = 2;

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
  plan.has_keys = by_key;
  plan.costs = kernel.one_in(3);
  const std::string store = (by_key ? ", key: record_key" : "") +
                            (plan.costs ? ", cost: header:" + std::string(kUnits) +
                                              ", default_cost: " + std::to_string(kUnknownCost)
                                        : "") +
                            draw_outage(kernel, plan) + ", store: redis}";
  const std::uint64_t algorithm = kernel.dice(4);
  plan.is_bucket = algorithm < 2;
  switch (algorithm) {
    case 0:
      plan.limit = "{algorithm: token_bucket, rate: " + number + "/s, burst: 7" + store;
      return {7, 0, static_cast<double>(limit), by_key};
    case 1:
      plan.limit = "{algorithm: gcra, rate: " + number + "/s, burst: 4" + store;
      return {kMostCost, 0, static_cast<double>(limit), by_key};
    case 2:
      plan.limit = "{algorithm: fixed_window, limit: " + number + ", window: 1s" + store;
      return {limit, kSecond, 0, by_key, true};
    default:
      plan.limit = "{algorithm: sliding_log, limit: " + number + ", window: 1s" + even + store;
      return {limit, kSecond, 0, by_key};
  }
}

// Flows share what has no key and one cost, and is booked ahead in any order but the partition's;
// beside it there is no limit that is not.
bool draw_shares(Kernel& kernel, const Plan& plan) {
  if (plan.ordered == Ordered::by_partition) return false;
  if (plan.promise.by_key || plan.promise.by_the_clock || plan.costs) return false;
  return kernel.one_in(2);
}

// Some say what is no number, some nothing.
void draw_cost(Kernel& kernel, Record& record) {
  record.cost = kUnknownCost;
  if (kernel.one_in(8)) return;
  if (kernel.one_in(8)) {
    record.units = kernel.one_in(2) ? "0" : "many";
    return;
  }
  record.cost = 1 + kernel.dice(kMostCost);
  record.units = std::to_string(record.cost);
}

// Another topic with partitions of the same numbers, whose route shares the limits with the first.
void draw_second_route(Kernel& kernel, Plan& plan) {
  plan.second_target = kernel.one_in(2);
  for (std::uint64_t i = 0, end = 1 + kernel.dice(3); i < end; ++i) {
    plan.origins.push_back(
        {"others", static_cast<int>(i), 1, plan.second_target ? kSecondPath : kFirstPath});
  }
}

void draw_routes(Kernel& kernel, Plan& plan) {
  const auto partitions = static_cast<int>(1 + kernel.dice(5));
  for (int i = 0; i < partitions; ++i) plan.origins.push_back({"results", i, 0, kFirstPath});
  if (kernel.one_in(3)) draw_second_route(kernel, plan);
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
  draw_routes(kernel, plan);
  plan.records = static_cast<std::int64_t>(20 + kernel.dice(300));
  if (kernel.one_in(2)) plan.keys = 1 + kernel.dice(3);
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
  if (!plan.redis_forgets && kernel.one_in(plan.has_keys ? 2 : 4))
    plan.table = draw_table(kernel, plan);
  return plan;
}

Micros needed_for_all(const Plan& plan) {
  const auto permits = static_cast<double>(plan.records) * (plan.costs ? kMostCost : 1);
  double per_second = plan.per_second;
  for (const TableEntry& entry : plan.table) per_second = std::min(per_second, slowest(entry));
  return static_cast<Micros>(2 * kSecond * permits / per_second);
}

Record draw_record(Kernel& kernel, const Plan& plan) {
  const auto bytes = [&kernel](std::size_t size) {
    std::string text(size, '\0');
    kernel.random_bytes(text.data(), size);
    return text;
  };
  Record record;
  if (!kernel.one_in(8)) record.value = bytes(kernel.dice(kernel.one_in(10) ? 60'000 : 300));
  if (!kernel.one_in(8)) record.key = "k" + std::to_string(kernel.dice(plan.keys));
  if (kernel.one_in(12)) record.key = bytes(1 + kernel.dice(20));
  if (plan.costs) draw_cost(kernel, record);
  return record;
}

}  // namespace einlass::whole
