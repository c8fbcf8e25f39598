#include "limits/permits/parameter_refusals.h"

#include "limits/permits/refusal.h"
#include "limits/rates/warm_up.h"

namespace einlass::limits {
namespace {

std::string in_words(Rate rate) {
  return "a rate of " + number(rate.permits) + " per " + number(rate.micros) + "us";
}

Refusal refuse_rate(Rate rate, std::int64_t most_micros) {
  if (rate.permits < 0) return "rate is negative; it must be 0 (nothing passes) or more";
  if (rate.micros <= 0) return "rate is over no time; it must be so many permits in some time";
  if (rate.permits >= kExactBelow || rate.micros > most_micros) {
    return "rate has numbers too large to be exact; they must be below " + number(kExactBelow);
  }
  return std::nullopt;
}

}  // namespace

Refusal refuse_cost(std::int64_t cost, std::string_view what, std::int64_t bound) {
  if (cost < 1) return "cost is " + number(cost) + "; it must be at least 1";
  if (cost > bound) {
    return "cost " + number(cost) + " is more than the " + std::string(what) + " of " +
           number(bound) + ", so no record could ever pass; lower the cost or raise the " +
           std::string(what);
  }
  return std::nullopt;
}

Refusal refuse_bucket(Rate rate, std::string_view name, Permits size, std::int64_t most_units,
                      std::int64_t cost) {
  if (Refusal refusal = refuse_rate(rate, kExactBelow - 1)) return refusal;
  if (size.value < 1) {
    return std::string(name) + " is " + number(size.value) + "; it must be at least 1";
  }
  const std::int64_t most = most_units / rate.micros;
  if (size.value > most) {
    return std::string(name) + " " + number(size.value) + " cannot be counted exactly at " +
           in_words(rate) + "; the most is " + number(most);
  }
  return refuse_cost(cost, name, size.value);
}

Refusal refuse_timeout(Duration timeout) {
  if (timeout < Duration{}) return "timeout must not be negative";
  if (timeout > kLongestWindow) return "timeout is too long; the most is 36500d";
  return std::nullopt;
}

Refusal refuse_warm_up(const WarmUpParameters& p, std::int64_t cost) {
  if (Refusal refusal = refuse_rate(p.rate, kMostWarmUpUnits)) return refusal;
  if (Refusal refusal = refuse_timeout(p.timeout)) return refusal;
  if (p.warm_up <= Duration{}) return "warm_up must be longer than 0";
  const auto refuse_duration = [&](std::string_view name, Duration d,
                                   std::int64_t units) -> Refusal {
    const std::int64_t most = p.rate.permits > 0 ? (units - 1) / p.rate.permits : kLongestWindow.us;
    if (d.us <= most) return std::nullopt;
    return std::string(name) + " " + number(d.us) + "us cannot be counted exactly at " +
           in_words(p.rate) + "; the most is " + number(most) + "us";
  };
  if (Refusal refusal = refuse_duration("warm_up", p.warm_up, kWarmUpBelow)) return refusal;
  if (Refusal refusal = refuse_duration("timeout", p.timeout, kMostWarmUpUnits)) return refusal;
  if (cost < 1) return refuse_cost(cost, "rate", cost);
  const Permits most = most_cost(p);
  if (cost <= most.value) return std::nullopt;
  return "cost " + number(cost) + " cannot be counted exactly at " + in_words(p.rate) +
         "; the most is " + number(most.value);
}

}  // namespace einlass::limits
