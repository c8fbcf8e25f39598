#include "limits/refusal.h"

#include <string_view>

namespace einlass::limits {
namespace {

using Refusal = std::optional<std::string>;

std::string number(std::int64_t n) { return std::to_string(n); }

// `what` (limit or burst) bounds what one record may cost.
Refusal refuse_cost(std::int64_t cost, std::string_view what, std::int64_t bound) {
  if (cost < 1) return "cost is " + number(cost) + "; it must be at least 1";
  if (cost > bound) {
    return "cost " + number(cost) + " is more than the " + std::string(what) + " of " +
           number(bound) + ", so no record could ever pass; lower the cost or raise the " +
           std::string(what);
  }
  return std::nullopt;
}

Refusal refuse(const SlidingLogParameters& p, std::int64_t cost) {
  const std::int64_t limit = p.limit.value;
  if (limit < 1) return "limit is " + number(limit) + "; it must be at least 1";
  if (limit > kMostLogEntries) {
    return "limit " + number(limit) + " is too many entries for a sliding log; the most is " +
           number(kMostLogEntries) + ", a token_bucket has no such bound";
  }
  if (p.window <= Duration{}) return "window must be longer than 0";
  if (p.window > kLongestWindow) return "window is too long; the most is 36500d";
  if (cost > kMostLogCost && cost <= limit) {
    return "cost " + number(cost) +
           " is too much for a sliding log, which keeps an entry for each unit; the most is " +
           number(kMostLogCost) + ", a token_bucket has no such bound";
  }
  return refuse_cost(cost, "limit", limit);
}

Refusal refuse(const TokenBucketParameters& p, std::int64_t cost) {
  const std::int64_t burst = p.burst.value;
  if (p.rate.permits < 0) return "rate is negative; it must be 0 (nothing passes) or more";
  if (p.rate.micros <= 0) return "rate is over no time; it must be so many permits in some time";
  if (burst < 1) return "burst is " + number(burst) + "; it must be at least 1";
  if (p.rate.permits >= kExactBelow || p.rate.micros >= kExactBelow) {
    return "rate has numbers too large to be exact; they must be below " + number(kExactBelow);
  }
  const std::int64_t most = (kExactBelow - 1) / p.rate.micros;
  if (burst > most) {
    return "burst " + number(burst) + " cannot be counted exactly at a rate of " +
           number(p.rate.permits) + " per " + number(p.rate.micros) + "us; the most is " +
           number(most);
  }
  return refuse_cost(cost, "burst", burst);
}

}  // namespace

Refusal refusal(const Parameters& parameters, Permits cost) {
  return std::visit([cost](const auto& p) { return refuse(p, cost.value); }, parameters);
}

}  // namespace einlass::limits
