// Weighted fair queueing, against what a fluid would give.
#include "core/fairness/fair_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace einlass::core {
namespace {

// Members that come and go, and how far each is from its part of what was taken: over the stretch
// for which it has had something ready now, however that is cut.
class Fluid {
 public:
  explicit Fluid(std::vector<std::uint32_t> weights)
      : weights_(std::move(weights)), members_(weights_.size()), pairs_(weights_.size()) {
    for (auto& row : pairs_) row.resize(weights_.size());
  }

  void toggle(std::uint32_t i) {
    if (members_[i].ready) {
      queue_.leave(i);
      while (queue_.take_forgotten()) {
      }
      members_[i].ready = false;
      return;
    }
    queue_.join(i, weights_[i]);
    members_[i] = {true, {}};
    for (std::size_t other = 0; other < weights_.size(); ++other) {
      pairs_[i][other] = pairs_[other][i] = {};
    }
  }

  void take() {
    if (queue_.empty()) return;
    const std::uint32_t taker = queue_.next();
    ASSERT_TRUE(members_[taker].ready);
    double all = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) all += members_[i].ready ? weights_[i] : 0;
    EXPECT_EQ(static_cast<double>(queue_.weights()), all);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (!members_[i].ready) continue;
      members_[i].behind.add(weights_[i] / all - (i == taker ? 1 : 0));
      most_behind = std::max(most_behind, members_[i].behind.most_rise());
      if (i != taker) compare(taker, i);
    }
    queue_.charge(taker, 1);
  }

  double most_behind = 0;  // In permits.
  double most_apart_of_all =
      0;  // In permits by weight, of what the two weights allow for one each.

 private:
  // A value that goes up and down, and the most that it has risen or fallen over any stretch.
  struct Course {
    double now = 0, least = 0, most = 0;
    void add(double step) {
      now += step;
      least = std::min(least, now);
      most = std::max(most, now);
    }
    double most_rise() const { return now - least; }
    double most_move() const { return std::max(now - least, most - now); }
  };
  struct Member {
    bool ready = false;
    Course behind;
  };

  void compare(std::size_t taker, std::size_t other) {
    const std::size_t a = std::min(taker, other), b = std::max(taker, other);
    pairs_[a][b].add(taker == a ? 1.0 / weights_[a] : -1.0 / weights_[b]);
    const double one_each = 1.0 / weights_[a] + 1.0 / weights_[b];
    most_apart_of_all = std::max(most_apart_of_all, pairs_[a][b].most_move() / one_each);
  }

  FairQueue queue_;
  std::vector<std::uint32_t> weights_;
  std::vector<Member> members_;
  std::vector<std::vector<Course>> pairs_;
};

std::uint32_t drawn(std::mt19937& random, std::size_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

std::vector<std::uint32_t> drawn_weights(std::mt19937& random) {
  std::vector<std::uint32_t> weights(2 + drawn(random, 12));
  for (auto& weight : weights) {
    weight = 1 + drawn(random, drawn(random, 3) == 0 ? kMostWeight : 5);
  }
  return weights;
}

// Less than two permits behind (three where others come and go), and two members less than two
// permits apart, by their weights.
void check_bounds(unsigned seed, bool come_and_go) {
  std::mt19937 random(seed);
  const std::vector<std::uint32_t> weights = drawn_weights(random);
  Fluid fluid(weights);
  for (std::uint32_t i = 0; i < weights.size(); ++i) fluid.toggle(i);
  for (int i = 0; i < 5000; ++i) {
    if (come_and_go && drawn(random, 8) == 0) fluid.toggle(drawn(random, weights.size()));
    fluid.take();
  }
  EXPECT_LT(fluid.most_behind, come_and_go ? 3 : 2) << "seed " << seed;
  EXPECT_LT(fluid.most_apart_of_all, 2) << "seed " << seed;
}

TEST(FairQueue, over_any_stretch_nobody_is_two_behind) {
  for (unsigned seed = 1; seed <= 60; ++seed) check_bounds(seed, false);
}

TEST(FairQueue, nor_where_they_come_and_go) {
  for (unsigned seed = 1; seed <= 60; ++seed) check_bounds(seed, true);
}

TEST(FairQueue, who_always_has_just_one_thing_gets_no_more_than_its_part) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 1);
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t next = queue.next();
    queue.charge(next, 1);
    if (next != 1) continue;
    ++taken;
    queue.leave(1);
    queue.join(1, 1);
  }
  EXPECT_EQ(taken, 500);
}

TEST(FairQueue, what_costs_more_counts_for_more) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 3);
  std::vector<std::int64_t> taken(2);
  for (int i = 0; i < 4000; ++i) {
    const std::uint32_t next = queue.next();
    const std::int64_t cost = next == 0 ? 1 : 30;
    queue.charge(next, cost);
    taken[next] += cost;
  }
  EXPECT_NEAR(static_cast<double>(taken[1]) / static_cast<double>(taken[0]), 3.0, 0.05);
}

TEST(FairQueue, what_it_took_is_not_forgotten_when_it_leaves_and_comes_back) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 1);
  queue.charge(0, 10);
  queue.leave(0);
  queue.join(0, 1);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(queue.next(), 1u) << i;
    queue.charge(queue.next(), 1);
  }
}

TEST(FairQueue, who_comes_back_has_nothing_saved_up_and_is_forgotten_in_time) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 1);
  queue.leave(1);
  EXPECT_EQ(queue.take_forgotten(), 1u) << "it took nothing";
  for (int i = 0; i < 100; ++i) queue.charge(0, 1);
  queue.join(1, 1);
  int taken = 0;
  for (int i = 0; i < 10; ++i) {
    taken += queue.next() == 1;
    queue.charge(queue.next(), 1);
  }
  EXPECT_EQ(taken, 5);
  queue.leave(1);
  for (int i = 0; i < 3; ++i) queue.charge(0, 1);
  EXPECT_EQ(queue.take_forgotten(), 1u);
  EXPECT_EQ(queue.take_forgotten(), std::nullopt);
}

TEST(FairQueue, a_weight_may_change_while_it_waits) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 1);
  queue.join(1, 4);
  EXPECT_EQ(queue.weights(), 5u);
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    taken += queue.next() == 1;
    queue.charge(queue.next(), 1);
  }
  EXPECT_EQ(taken, 800);
}

// While somebody waits it counts that another has had more; when nobody does, nobody was kept
// waiting by that.
TEST(FairQueue, what_was_taken_counts_no_more_once_nobody_waits) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 1);
  queue.charge(0, 10);
  queue.leave(0);
  queue.leave(1);
  queue.join(1, 1);
  queue.join(0, 1);
  int taken = 0;
  for (int i = 0; i < 10; ++i) {
    taken += queue.next() == 1;
    queue.charge(queue.next(), 1);
  }
  EXPECT_EQ(taken, 5);
}

// 1 / 641 is no whole number of the parts that virtual time is counted in. What is left of each
// division would add up: the flow would get more than its part, the more the longer the queue runs.
TEST(FairQueue, as_many_turns_as_ones_weight_count_exactly_as_much_as_one_at_weight_1) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 641);
  queue.charge(0, 1);
  for (int i = 0; i < 641; ++i) queue.charge(1, 1);
  EXPECT_EQ(queue.done_with(1, 641).value, queue.done_with(0, 1).value);
}

// Half of all virtual times are taken for past ones, and the first of all is among them no more.
TEST(FairQueue, who_comes_late_has_its_part_however_much_was_taken_before) {
  FairQueue queue;
  queue.join(0, 1);
  queue.join(1, 1);
  queue.leave(1);
  queue.charge(0, 1);
  ASSERT_EQ(queue.take_forgotten(), 1u);
  for (int i = 0; i < 3; ++i) queue.charge(0, std::int64_t{1} << 30);
  for (const std::uint32_t late : {1u, 2u}) {
    queue.join(late, 1);
    int turns = 0;
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t next = queue.next();
      turns += next == late ? 1 : 0;
      queue.charge(next, 1);
    }
    EXPECT_NEAR(turns, 50, 1) << late;
    queue.leave(late);
  }
}

}  // namespace
}  // namespace einlass::core
