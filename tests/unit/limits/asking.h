// Buckets and short ways to ask them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "limits/permits/acquire.h"

namespace einlass::limits {

struct Asked {
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t horizon = 0;
  std::vector<Permits> costs{};  // Of each permit, in all buckets; empty: each bucket's own.
};

struct Told {
  std::int64_t granted = 0;
  std::vector<std::int64_t> due;
  std::optional<std::int64_t> retry;
  std::size_t reason = 0;
  std::vector<Returned> ids;  // With the instants for which they were granted.
};

class Asking {
 public:
  explicit Asking(std::vector<Parameters> parameters, std::vector<std::int64_t> costs = {},
                  std::string_view key = "")
      : parameters_(std::move(parameters)), costs_(std::move(costs)), due_(kMostPermitsOfAnAsk) {
    costs_.resize(parameters_.size(), 1);
    for (const Parameters& p : parameters_) states_.push_back(fresh(p, key));
  }

  Told ask(std::int64_t now, Asked asked = {}) {
    IdPrefix prefix{};
    ++asks_;
    for (std::size_t i = 0; i < 8; ++i) prefix[i] = static_cast<std::uint8_t>(asks_ >> (8 * i));
    Demand demand{{asked.min}, {asked.max}, {asked.horizon}, prefix};
    if (!asked.costs.empty()) {
      demand.costs = asked.costs;
      demand.costly = 0xff;
      for (std::int64_t& cost : costs_) cost = asked.costs.front().value;
    }
    const Answer answer = acquire(charges(), demand, {now}, due_);
    Told told{answer.granted.value, {}, {}, answer.reason, {}};
    if (answer.retry) told.retry = answer.retry->us;
    for (std::int64_t i = 0; i < told.granted; ++i) {
      told.due.push_back(due_[static_cast<std::size_t>(i)].us);
      told.ids.push_back(
          {permit_id(prefix, static_cast<std::uint16_t>(i)), {now + told.due.back()}});
    }
    return told;
  }

  // True if one permit is granted at `now`, due at once.
  bool admits(std::int64_t now) { return ask(now).granted == 1; }

  std::int64_t give_back(const std::vector<Returned>& ids, std::int64_t now) {
    return release(charges(), ids, {now});
  }
  void end(const std::vector<Returned>& attempts, std::int64_t now) {
    std::vector<PermitId> ids;
    for (const Returned& attempt : attempts) ids.push_back(attempt.id);
    ended(charges(), ids, {now});
  }
  std::int64_t remaining(std::int64_t now, std::size_t bucket = 0) const {
    return peek(parameters_[bucket], states_[bucket], {now}).value;
  }
  void change(std::size_t bucket, Parameters parameters) { parameters_[bucket] = parameters; }
  void cost(std::size_t bucket, std::int64_t cost) { costs_[bucket] = cost; }
  bool is_fresh(std::int64_t now, std::size_t bucket = 0) const {
    return limits::is_fresh(parameters_[bucket], states_[bucket], {now});
  }

 private:
  std::vector<Charge> charges() {
    std::vector<Charge> result;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      result.push_back({&parameters_[i], &states_[i], {costs_[i]}});
    }
    return result;
  }

  std::vector<Parameters> parameters_;
  std::vector<State> states_;
  std::vector<std::int64_t> costs_;
  std::vector<Duration> due_;
  std::uint64_t asks_ = 0;
};

inline Parameters log(std::int64_t limit, std::int64_t window_us) {
  return SlidingLogParameters{{limit}, {window_us}};
}
inline Parameters bucket(std::int64_t permits, std::int64_t micros, std::int64_t burst) {
  return TokenBucketParameters{reduced({permits, micros}), {burst}};
}
inline Parameters fixed(std::int64_t limit, std::int64_t window_us, bool by_key = false) {
  return FixedWindowParameters{{limit}, {window_us}, by_key};
}
inline Parameters counter(std::int64_t limit, std::int64_t window_us) {
  return CounterParameters{{limit}, {window_us}};
}
inline Parameters sliced(std::int64_t limit, std::int64_t window_us, int slices) {
  return SlidingWindowParameters{{limit}, {window_us}, slices, false};
}
inline Parameters newest(std::int64_t limit, std::int64_t window_us, int slices) {
  return SlidingWindowParameters{{limit}, {window_us}, slices, true};
}
inline Parameters meter(std::int64_t permits, std::int64_t micros, std::int64_t capacity) {
  return LeakyBucketParameters{reduced({permits, micros}), {capacity}, false};
}
inline Parameters queue(std::int64_t permits, std::int64_t micros, std::int64_t capacity) {
  return LeakyBucketParameters{reduced({permits, micros}), {capacity}, true};
}
inline Parameters pay_now(std::int64_t permits, std::int64_t micros, std::int64_t burst,
                          std::int64_t timeout_us) {
  return SmoothParameters{reduced({permits, micros}), {burst}, {timeout_us}, false};
}
inline Parameters pay_next(std::int64_t permits, std::int64_t micros, std::int64_t burst,
                           std::int64_t timeout_us) {
  return SmoothParameters{reduced({permits, micros}), {burst}, {timeout_us}, true};
}
inline Parameters warm_up(std::int64_t permits, std::int64_t micros, std::int64_t timeout_us,
                          std::int64_t warm_up_us) {
  return WarmUpParameters{reduced({permits, micros}), {timeout_us}, {warm_up_us}};
}
inline Parameters held(std::int64_t limit, std::int64_t lease_us) {
  return ConcurrencyParameters{{limit}, {lease_us}};
}

inline constexpr std::int64_t kSecond = 1'000'000;
inline constexpr std::int64_t kNow = 1'800'000'000'000'000;  // Some day in 2027.

using Dues = std::vector<std::int64_t>;

}  // namespace einlass::limits
