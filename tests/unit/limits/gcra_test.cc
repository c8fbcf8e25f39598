#include "limits/rates/gcra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "limits/permits/refusal.h"
#include "unit/limits/asking.h"

namespace einlass::limits {
namespace {

Parameters gcra(std::int64_t permits, std::int64_t micros, std::int64_t burst) {
  return GcraParameters{reduced({permits, micros}), {burst}};
}

TEST(Gcra, ABurstThenOneEachInterval) {
  Asking limit({gcra(20, kSecond, 3)});
  EXPECT_EQ(limit.remaining(kNow), 3);
  EXPECT_EQ(limit.ask(kNow, {1, 5}).due, (Dues{0, 0, 0}));
  EXPECT_EQ(limit.ask(kNow + 10).retry, 49'990);
  EXPECT_FALSE(limit.admits(kNow + 49'999));
  EXPECT_TRUE(limit.admits(kNow + 50'000));
  EXPECT_EQ(limit.ask(kNow + 60'000, {1, 4, 200'000}).due,
            (Dues{40'000, 90'000, 140'000, 190'000}));
  EXPECT_EQ(limit.remaining(kNow + 60 * kSecond), 3);
}

TEST(Gcra, RoundingDoesNotAddUp) {
  Asking limit({gcra(3, kSecond, 2)});
  std::int64_t last = 0;
  for (int i = 0; i < 300; ++i) {
    const Told told = limit.ask(kNow + i, {10, 10, 1'000 * kSecond});
    EXPECT_FALSE(told.retry) << "more than the burst, all or nothing";
    last = i + limit.ask(kNow + i, {1, 10, 1'000 * kSecond}).due.back();
  }
  EXPECT_EQ(last, 2'998 * kSecond / 3 + 1);  // The first two at once, rounded up once.
}

// As token_bucket.h: not 285,715, for nothing is saved up beyond the burst between two
// microseconds.
TEST(Gcra, NeverHoldsMoreThanItsBurst) {
  Asking limit({gcra(7, kSecond, 1)});
  EXPECT_EQ(limit.ask(kNow, {1, 3, kSecond}).due, (Dues{0, 142'858, 285'716}));
}

// Where nothing comes back and nobody else makes permits late, the two cannot be told apart.
TEST(Gcra, SaysWhatATokenBucketSays) {
  std::mt19937_64 random(11);
  const auto pick = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (int walk = 0; walk < 200; ++walk) {
    const std::int64_t permits = pick(1, 20), micros = pick(1, 900), burst = pick(1, 12);
    const std::vector<std::int64_t> costs{pick(1, std::min<std::int64_t>(3, burst))};
    Asking one({gcra(permits, micros, burst)}, costs);
    Asking other({bucket(permits, micros, burst)}, costs);
    std::int64_t now = kNow;
    for (int step = 0; step < 200; ++step) {
      now += pick(0, 3) == 0 ? 0 : pick(0, 2 * micros);
      const std::int64_t min = pick(1, 3);
      const Asked asked{min, pick(min, 9), pick(0, 1) * pick(0, 3'000)};
      const Told told = one.ask(now, asked), expected = other.ask(now, asked);
      ASSERT_EQ(told.due, expected.due) << "walk " << walk << " step " << step;
      ASSERT_EQ(told.retry, expected.retry) << "walk " << walk << " step " << step;
      ASSERT_EQ(one.remaining(now), other.remaining(now)) << "walk " << walk << " step " << step;
    }
  }
}

// Where the interval has changed meanwhile, the time says nothing of what was granted since.
TEST(Gcra, TakesNothingBackUnderTwoRates) {
  Asking limit({gcra(10, kSecond, 80)});
  const Told fifty = limit.ask(kNow, {50, 50});
  EXPECT_EQ(limit.ask(kNow + 4'900'000, {30, 30}).granted, 30);
  limit.change(0, gcra(5, kSecond, 80));
  EXPECT_EQ(limit.ask(kNow + 6'000'000, {80, 80}).granted, 0);
  EXPECT_EQ(limit.give_back(fifty.ids, kNow + 6'000'000), 0);
  // 10 s after all that was spent then would have been back, nothing of it can come any more.
  const std::int64_t later = kNow + 18 * kSecond;
  const Told three = limit.ask(later - kSecond, {3, 3});
  EXPECT_EQ(limit.give_back(three.ids, later - kSecond), 0);
  EXPECT_FALSE(limit.is_fresh(later - 1));
  const Told four = limit.ask(later, {4, 4});
  EXPECT_EQ(limit.give_back(four.ids, later), 4);
}

// Nor where all that was granted before is back by the first ask under the new rate: by that rate
// the fifty of before cost as much as the fifty that were granted since.
TEST(Gcra, TakesNothingBackOfAnotherRateThoughAllIsBack) {
  Asking limit({gcra(1'000, kSecond, 100)});
  const Told before = limit.ask(kNow, {50, 50});
  EXPECT_TRUE(limit.is_fresh(kNow + 50'000));
  limit.change(0, gcra(10, kSecond, 100));
  EXPECT_FALSE(limit.is_fresh(kNow + 50'000));
  EXPECT_TRUE(limit.is_fresh(kNow + 50'000 + 10 * kSecond));
  EXPECT_EQ(limit.ask(kNow + 60'000, {50, 50}).granted, 50);
  EXPECT_EQ(limit.give_back(before.ids, kNow + 100'000), 0);
  EXPECT_EQ(limit.remaining(kNow + 100'000), 50);
}

TEST(Gcra, TakesBackWhatIsAllSinceItsFirst) {
  Asking limit({gcra(10, kSecond, 5)});
  const Told three = limit.ask(kNow, {3, 3});
  EXPECT_EQ(limit.give_back(three.ids, kNow + 10), 3);
  EXPECT_EQ(limit.remaining(kNow + 10), 5);
  EXPECT_EQ(limit.give_back(three.ids, kNow + 10), 0);  // Not twice.

  const Told before = limit.ask(kNow + kSecond, {2, 2});
  const Told last = limit.ask(kNow + kSecond, {2, 2});
  EXPECT_EQ(limit.give_back(before.ids, kNow + kSecond), 0);  // Others built on these.
  EXPECT_EQ(limit.give_back(last.ids, kNow + kSecond), 0);  // And these on those, for all it knows.
  EXPECT_EQ(limit.remaining(kNow + kSecond), 1);
}

TEST(Gcra, OfPermitsAheadTheLastComeBack) {
  Asking limit({gcra(10, kSecond, 1)});
  const Told told = limit.ask(kNow, {1, 4, kSecond});
  ASSERT_EQ(told.due, (Dues{0, 100'000, 200'000, 300'000}));
  EXPECT_EQ(limit.give_back({told.ids[1]}, kNow), 0);  // Those behind have their instants.
  EXPECT_EQ(limit.give_back({told.ids[0], told.ids[2], told.ids[3]}, kNow), 2);
  EXPECT_EQ(limit.give_back({told.ids[2]}, kNow), 0);  // Not twice.
  EXPECT_EQ(limit.ask(kNow, {1, 1, kSecond}).due, (Dues{200'000}));
}

TEST(Gcra, AnotherRateKeepsHowManyAreSpent) {
  Asking limit({gcra(10, kSecond, 10)});
  EXPECT_EQ(limit.ask(kNow, {8, 8}).granted, 8);
  limit.change(0, gcra(1, kSecond, 10));
  EXPECT_EQ(limit.remaining(kNow), 2);
  limit.change(0, gcra(7, 3'000'000, 10));
  EXPECT_EQ(limit.remaining(kNow), 2);
  EXPECT_EQ(limit.ask(kNow, {3, 3}).retry, 428'572);  // One in 428,571 3/7 us.
}

// Otherwise what is spent would go on by the old rate until something is granted.
TEST(Gcra, ADenialUnderAnotherRateIsWritten) {
  Asking limit({gcra(1, kSecond, 10)});
  EXPECT_EQ(limit.ask(kNow, {10, 10}).granted, 10);
  limit.change(0, gcra(100, kSecond, 10));
  EXPECT_EQ(limit.ask(kNow + 1'000).retry, 9'990);  // 9.999 are spent.
  EXPECT_EQ(limit.ask(kNow + 10'000).retry, 990);
  EXPECT_TRUE(limit.admits(kNow + 10'990));
}

TEST(Gcra, AnotherBurstKeepsHowManyAreSpent) {
  Asking limit({gcra(10, kSecond, 4)});
  EXPECT_EQ(limit.ask(kNow, {4, 4}).granted, 4);
  limit.change(0, gcra(10, kSecond, 6));
  EXPECT_EQ(limit.remaining(kNow), 2);
  limit.change(0, gcra(10, kSecond, 1));
  EXPECT_EQ(limit.ask(kNow).retry, 400'000);
}

TEST(Gcra, ARateOfNothingGrantsNothingAndForgetsNothing) {
  Asking limit({gcra(10, kSecond, 4)});
  const Told told = limit.ask(kNow, {4, 4});
  limit.change(0, gcra(0, 1, 4));
  EXPECT_EQ(limit.remaining(kNow), 0);
  EXPECT_FALSE(limit.ask(kNow).retry);
  EXPECT_EQ(limit.give_back(told.ids, kNow), 0);
  limit.change(0, gcra(10, kSecond, 4));
  EXPECT_EQ(limit.ask(kNow).retry, 100'000);
}

// After the clock was set back the time lies further ahead, and nothing passes that would not have.
TEST(Gcra, AnEarlierClockGrantsNoMore) {
  Asking limit({gcra(10, kSecond, 3)});
  EXPECT_EQ(limit.ask(kNow, {3, 3}).granted, 3);
  EXPECT_EQ(limit.ask(kNow - kSecond).retry, kSecond + 100'000);
  EXPECT_FALSE(limit.is_fresh(kNow + 299'999));
  EXPECT_TRUE(limit.is_fresh(kNow + 300'000));
}

TEST(Gcra, IsRefusedWhereItCannotCount) {
  EXPECT_FALSE(refusal(gcra(10, kSecond, 5), {5}));
  EXPECT_TRUE(refusal(gcra(10, kSecond, 5), {6}));
  EXPECT_TRUE(refusal(gcra(10, kSecond, 0), {1}));
  EXPECT_TRUE(refusal(GcraParameters{{1, std::int64_t{1} << 50}, {8}}, {1}));
}

TEST(Gcra, IsFullAgainAfterItsBurstsTime) {
  EXPECT_EQ(refill_time(gcra(10, kSecond, 5)).us, 500'001);
  EXPECT_TRUE(may_grant_nothing(gcra(0, 1, 5)));
}

// One that is asked for beside others, by several who do not all share these, so that permits are
// not granted in the order of their instants; and some come back.
class Beside {
 public:
  explicit Beside(std::uint64_t seed) : random_(seed) {}
  void step() {
    now_ += pick(0, 5) == 0 ? pick(0, 1'500) : pick(0, 60);
    if (pick(0, 2) == 0 && !out_.empty()) return give_back();
    const std::size_t other = static_cast<std::size_t>(pick(0, 2));
    std::vector<Charge> charges{{&limit_, &state_, {1}}};
    if (other < 2) charges.push_back({&others_[other], &states_[other], {1}});
    IdPrefix prefix{};
    prefix[0] = static_cast<std::uint8_t>(++asks_);
    std::vector<Duration> due(8);
    const Answer answer =
        acquire(charges, {{1}, {pick(1, 4)}, {pick(0, 1) * pick(0, 800)}, prefix}, {now_}, due);
    std::vector<Returned> granted;
    for (std::int64_t i = 0; i < answer.granted.value; ++i) {
      granted.push_back({permit_id(prefix, static_cast<std::uint16_t>(i)),
                         Instant{now_} + due[static_cast<std::size_t>(i)]});
    }
    if (!granted.empty()) out_.push_back(granted);
  }

  // The last ones of an ask, once.
  void give_back() {
    auto& ask =
        out_[static_cast<std::size_t>(std::max<std::int64_t>(0, std::ssize(out_) - pick(1, 4)))];
    const auto count = static_cast<std::size_t>(pick(1, std::ssize(ask)));
    const std::vector<Returned> back(ask.end() - static_cast<std::ptrdiff_t>(count), ask.end());
    const Charge charge{&limit_, &state_, {1}};
    returned_ += release({&charge, 1}, back, {now_});
    ask.resize(ask.size() - count);
    std::erase_if(out_, [](const auto& one) { return one.empty(); });
  }

  // More than burst + rate * W of those that were used, in some W.
  bool is_broken() const {
    std::vector<std::int64_t> used;
    for (const auto& ask : out_) {
      for (const Returned& permit : ask) used.push_back(permit.at.us);
    }
    std::ranges::sort(used);
    for (std::size_t from = 0; from < used.size(); ++from) {
      for (std::size_t to = from; to < used.size(); ++to) {
        const auto count = static_cast<std::int64_t>(to - from + 1);
        if ((count - kBurst) * kInterval > used[to] - used[from]) return true;
      }
    }
    return false;
  }

  std::int64_t returned() const { return returned_; }

 private:
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }

  static constexpr std::int64_t kBurst = 2, kInterval = 100;
  Parameters limit_ = gcra(1, kInterval, kBurst);
  std::vector<Parameters> others_{log(2, 700), queue(1, 250, 20)};
  State state_ = fresh(limit_, "");
  std::array<State, 2> states_{fresh(others_[0], ""), fresh(others_[1], "")};
  std::vector<std::vector<Returned>> out_;
  std::int64_t now_ = kNow, returned_ = 0;
  int asks_ = 0;
  std::mt19937_64 random_;
};

TEST(Gcra, BesideOthersThePromiseHolds) {
  std::int64_t returned = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Beside walk(seed);
    for (int i = 0; i < 200; ++i) walk.step();
    ASSERT_FALSE(walk.is_broken()) << "seed " << seed;
    returned += walk.returned();
  }
  EXPECT_GT(returned, 300);
}

}  // namespace
}  // namespace einlass::limits
