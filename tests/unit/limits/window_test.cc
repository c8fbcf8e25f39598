// What the limits promise, checked from outside: the instants of the permits that were used are
// written down, and every window between any two of them is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

struct Held {
  Returned id;
  std::int64_t at;
};

class Window : public testing::TestWithParam<int> {
 protected:
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }

  // The instants of the permits used, of `cost` units each, in some thousand random asks of which
  // some are given back sooner or later.
  std::vector<std::int64_t> used(Asking& limit, std::int64_t step, std::int64_t most) {
    std::vector<Held> held;
    std::int64_t now = kNow;
    for (int i = 0; i < 2'000; ++i) {
      now += pick(0, 3) == 0 ? 0 : pick(0, step);
      if (pick(0, 60) == 0) now += pick(0, 20 * step);
      if (pick(0, 15) == 0) now -= pick(0, step);
      const Told told = limit.ask(now, {1, pick(1, most), pick(0, 2) == 0 ? pick(0, 6 * step) : 0});
      for (std::size_t p = 0; p < told.due.size(); ++p) {
        held.push_back({told.ids[p], now + told.due[p]});
      }
      if (pick(0, 11) == 0) give_some_back(limit, held, now);
    }
    std::vector<std::int64_t> instants;
    for (const Held& permit : held) instants.push_back(permit.at);
    std::sort(instants.begin(), instants.end());
    return instants;
  }

  // Mostly young ones, each once.
  void give_some_back(Asking& limit, std::vector<Held>& held, std::int64_t now) {
    for (std::int64_t n = pick(1, 2); n > 0 && !held.empty(); --n) {
      const auto newest = static_cast<std::int64_t>(held.size()) - 1;
      const auto i = held.begin() + std::max<std::int64_t>(0, newest - pick(0, 12));
      if (now - i->at > kGiveBackWithin.us / 2) continue;
      limit.give_back({i->id}, now);
      held.erase(i);
    }
  }

  std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(Window, TheLogNeverHasMoreThanTheLimit) {
  for (int run = 0; run < 8; ++run) {
    const std::int64_t limit = pick(1, 12);
    const std::int64_t cost = pick(1, std::min<std::int64_t>(limit, 3));
    const std::int64_t window = pick(1, 900);
    Asking asking({log(limit, window)}, {cost});
    const std::vector<std::int64_t> at = used(asking, window / 2 + 1, 6);
    ASSERT_GT(at.size(), 100U);
    const auto fit = static_cast<std::size_t>(limit / cost);
    for (std::size_t i = fit; i < at.size(); ++i) ASSERT_GE(at[i] - at[i - fit], window);
  }
}

TEST_P(Window, TheBucketNeverHasMoreThanBurstAndRate) {
  for (int run = 0; run < 8; ++run) {
    const std::int64_t burst = pick(1, 12);
    const std::int64_t cost = pick(1, std::min<std::int64_t>(burst, 3));
    const Rate rate = reduced({pick(1, 9), pick(1, 2'000'000)});
    Asking asking({TokenBucketParameters{rate, {burst}}}, {cost});
    const std::vector<std::int64_t> at = used(asking, 2 * rate.micros / rate.permits + 1, 6);
    ASSERT_GT(at.size(), 100U);
    // In [at[j], at[i]] are i - j + 1 permits: at most burst + rate * (at[i] - at[j]). The j that
    // leaves the least room is the one where this excess is the lowest.
    std::int64_t lowest = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto taken = static_cast<std::int64_t>(i) * cost * rate.micros;
      const std::int64_t excess = taken - (at[i] - at[0]) * rate.permits;
      lowest = std::min(lowest, excess);
      ASSERT_LE(excess - lowest + cost * rate.micros, burst * rate.micros) << "permit " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Window, testing::Range(1, 31));

}  // namespace
}  // namespace einlass::limits
