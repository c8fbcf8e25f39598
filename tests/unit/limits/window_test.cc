// What the limits promise, checked from outside: the instants of the permits that were used are
// written down, and every window between any two of them is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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

  // The instants of the permits used, in some thousand random asks of which some are given back
  // sooner or later. Now and then the limit is configured anew, as another one of `reloads`.
  std::vector<std::int64_t> used(Asking& limit, std::int64_t step, std::int64_t most,
                                 const std::vector<Parameters>& reloads = {}) {
    std::vector<Held> held;
    std::int64_t now = kNow;
    for (int i = 0; i < 2'000; ++i) {
      now += pick(0, 3) == 0 ? 0 : pick(0, step);
      if (pick(0, 60) == 0) now += pick(0, 20 * step);
      if (pick(0, 15) == 0) now -= pick(0, step);
      if (!reloads.empty() && pick(0, 30) == 0) {
        limit.change(0, reloads[static_cast<std::size_t>(
                            pick(0, static_cast<std::int64_t>(reloads.size()) - 1))]);
      }
      const Told told = limit.ask(now, {1, pick(1, most), pick(0, 2) == 0 ? pick(0, 6 * step) : 0});
      for (std::size_t p = 0; p < told.due.size(); ++p) {
        held.push_back({told.ids[p], now + told.due[p]});
      }
      if (told.granted > 0 && pick(0, 5) == 0) give_some_back(limit, held, now);
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

// No more than `permits` in (t - window, t].
void expect_window(const std::vector<std::int64_t>& at, std::int64_t permits, std::int64_t window) {
  ASSERT_GT(at.size(), 50U);
  const auto fit = static_cast<std::size_t>(permits);
  for (std::size_t i = fit; i < at.size(); ++i) ASSERT_GE(at[i] - at[i - fit], window);
}

// In [at[j], at[i]] are i - j + 1 permits: at most `allowance` (in 1/micros permits) and what the
// rate brings in at[i] - at[j]. The j that leaves the least room is where this excess is lowest.
void expect_rate(const std::vector<std::int64_t>& at, std::int64_t cost, Rate rate,
                 std::int64_t allowance) {
  ASSERT_GT(at.size(), 50U);
  std::int64_t lowest = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto taken = static_cast<std::int64_t>(i) * cost * rate.micros;
    const std::int64_t excess = taken - (at[i] - at[0]) * rate.permits;
    lowest = std::min(lowest, excess);
    ASSERT_LE(excess - lowest + cost * rate.micros, allowance) << "permit " << i;
  }
}

TEST_P(Window, TheLogNeverHasMoreThanTheLimit) {
  for (int run = 0; run < 8; ++run) {
    const std::int64_t limit = pick(1, 12);
    const std::int64_t cost = pick(1, std::min<std::int64_t>(limit, 3));
    const std::int64_t window = pick(1, 900);
    Asking asking({log(limit, window)}, {cost});
    expect_window(used(asking, window / 2 + 1, 6), limit / cost, window);
  }
}

TEST_P(Window, TheBucketNeverHasMoreThanBurstAndRate) {
  for (int run = 0; run < 8; ++run) {
    const std::int64_t burst = pick(1, 12);
    const std::int64_t cost = pick(1, std::min<std::int64_t>(burst, 3));
    const Rate rate = reduced({pick(1, 9), pick(1, 2'000'000)});
    Asking asking({TokenBucketParameters{rate, {burst}}}, {cost});
    const std::int64_t step = 2 * rate.micros / rate.permits + 1;
    expect_rate(used(asking, step, 6), cost, rate, burst * rate.micros);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Window, testing::Range(1, 31));

// Those that came later, each in all of its forms.
class Promise : public Window {
 protected:
  // Some limit, cost and length of a window.
  void draw() {
    limit_ = pick(1, 12);
    cost_ = pick(1, std::min<std::int64_t>(limit_, 3));
    window_ = pick(1, 900);
    rate_ = reduced({pick(1, 9), pick(1, 2) == 1 ? pick(1, 20) : pick(1, 2'000'000)});
    step_ = 2 * rate_.micros / rate_.permits + 1;
  }

  std::int64_t limit_ = 0;
  std::int64_t cost_ = 0;
  std::int64_t window_ = 0;
  Rate rate_;
  std::int64_t step_ = 0;
};

TEST_P(Promise, ASlidingWindowNeverHasMoreThanTheLimit) {
  for (const bool log_newest : {false, true}) {
    draw();
    const int slices = static_cast<int>(pick(1, 12));
    Asking asking({SlidingWindowParameters{{limit_}, {window_}, slices, log_newest}}, {cost_});
    expect_window(used(asking, window_ / 2 + 1, 6), limit_ / cost_, window_);
  }
}

TEST_P(Promise, ASlidingWindowConfiguredAnewForgetsNothing) {
  for (const bool log_newest : {false, true}) {
    draw();
    std::vector<Parameters> reloads;
    for (int i = 0; i < 3; ++i) {
      reloads.push_back(SlidingWindowParameters{{pick(cost_, limit_)},
                                                {window_ + i * pick(0, 99)},
                                                static_cast<int>(pick(1, 12)),
                                                log_newest});
    }
    Asking asking({reloads[0]}, {cost_});
    expect_window(used(asking, window_ / 2 + 1, 6, reloads), limit_ / cost_, window_);
  }
}

TEST_P(Promise, AFixedWindowHasAtMostTheLimit) {
  for (const bool by_key : {false, true}) {
    draw();
    const FixedWindowParameters parameters{{limit_}, {window_}, by_key};
    Asking asking({parameters}, {cost_}, "some key");
    const std::int64_t phase = phase_of(parameters, "some key").us;
    std::map<std::int64_t, std::int64_t> in_window;
    for (const std::int64_t at : used(asking, window_ / 2 + 1, 6)) {
      ASSERT_LE(in_window[(at - phase) / window_] += cost_, limit_);
    }
    ASSERT_GT(in_window.size(), 50U);
  }
}

TEST_P(Promise, ACounterHasAtMostTheLimitInAWindowAndTwiceThatAcross) {
  draw();
  Asking asking({counter(limit_, window_)}, {cost_});
  expect_window(used(asking, window_ / 2 + 1, 6), 2 * (limit_ / cost_), window_);
}

TEST_P(Promise, ACounterConfiguredAnewHasAtMostTwiceTheLimit) {
  draw();
  const std::vector<Parameters> reloads = {counter(limit_, window_),
                                           counter(pick(cost_, limit_), window_ + pick(0, 999))};
  Asking asking({reloads[0]}, {cost_});
  expect_window(used(asking, window_ / 2 + 1, 6, reloads), 2 * (limit_ / cost_), window_);
}

TEST_P(Promise, AMeterNeverHasMoreThanCapacityAndRate) {
  draw();
  Asking asking({LeakyBucketParameters{rate_, {limit_}, false}}, {cost_});
  expect_rate(used(asking, step_, 6), cost_, rate_, limit_ * rate_.micros);
}

TEST_P(Promise, ABucketConfiguredAnewNeverHasMoreThanTheLargestBurstAndRate) {
  draw();
  const std::vector<Parameters> reloads = {TokenBucketParameters{rate_, {limit_}},
                                           TokenBucketParameters{rate_, {pick(cost_, limit_)}}};
  Asking asking({reloads[0]}, {cost_});
  expect_rate(used(asking, step_, 6, reloads), cost_, rate_, limit_ * rate_.micros);
}

// Each turn is rounded up to a whole microsecond, so two may be as much closer than they are apart.
TEST_P(Promise, TheTurnsOfAQueueAreApart) {
  draw();
  const std::vector<Parameters> reloads = {LeakyBucketParameters{rate_, {limit_}, true},
                                           LeakyBucketParameters{rate_, {2 * limit_}, true}};
  Asking asking({reloads[0]}, {cost_});
  expect_rate(used(asking, step_, 6, reloads), cost_, rate_,
              cost_ * rate_.micros + rate_.permits - 1);
}

TEST_P(Promise, SmoothNeverHasMoreThanBurstAndRateAndWhatTheNextOnePays) {
  for (const bool next : {false, true}) {
    draw();
    Asking asking({SmoothParameters{rate_, {limit_}, {pick(0, 9) * step_}, next}}, {cost_});
    const std::int64_t burst = limit_ + (next ? cost_ : 0);
    expect_rate(used(asking, step_, 6), cost_, rate_, burst * rate_.micros);
  }
}

TEST_P(Promise, AWarmUpNeverHasMoreThanOnePermitAndRate) {
  draw();
  const Duration warm_up{pick(1, 40) * step_};
  Asking asking({WarmUpParameters{rate_, {pick(0, 30) * step_}, warm_up}}, {cost_});
  expect_rate(used(asking, step_, 6), cost_, rate_, cost_ * rate_.micros + rate_.permits - 1);
}

TEST_P(Promise, ConcurrencyNeverHasMoreThanTheLimitUnderWay) {
  for (int run = 0; run < 3; ++run) {
    draw();
    Asking asking({held(limit_, window_)}, {cost_});
    std::vector<Held> under_way;
    std::int64_t now = kNow;
    std::size_t most = 0;
    for (int i = 0; i < 3'000; ++i, now += pick(0, window_ / 6)) {
      std::erase_if(under_way, [&](const Held& permit) { return permit.at <= now - window_; });
      for (std::int64_t n = pick(0, 2); n > 0 && !under_way.empty(); --n) {
        const auto ends =
            under_way.begin() + pick(0, static_cast<std::int64_t>(under_way.size()) - 1);
        asking.end({ends->id}, now);
        under_way.erase(ends);
      }
      const Told told = asking.ask(now, {1, pick(1, 4), pick(0, 100)});
      for (const Returned& permit : told.ids) under_way.push_back({permit, now});
      ASSERT_LE(under_way.size(), static_cast<std::size_t>(limit_ / cost_));
      most = std::max(most, under_way.size());
    }
    EXPECT_EQ(most, static_cast<std::size_t>(limit_ / cost_));  // No place was lost either.
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Promise, testing::Range(1, 41));

}  // namespace
}  // namespace einlass::limits
