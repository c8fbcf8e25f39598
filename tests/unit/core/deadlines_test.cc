#include "core/containers/deadlines.h"

#include <gtest/gtest.h>

#include <map>

#include "core/delivery/random.h"

namespace einlass::core {
namespace {

Alarm line(std::uint32_t index) { return {Alarm::Kind::line, index}; }

TEST(Deadlines, the_earliest_goes_off_first_and_only_when_it_is_due) {
  Deadlines deadlines;
  deadlines.set(line(1), Instant{30});
  deadlines.set(line(2), Instant{10});
  deadlines.set({Alarm::Kind::commit, 0}, Instant{20});
  EXPECT_EQ(deadlines.next(), Instant{10});
  EXPECT_EQ(deadlines.first()->index, 2u);
  EXPECT_FALSE(deadlines.pop_due(Instant{9}));
  EXPECT_EQ(deadlines.pop_due(Instant{30})->index, 2u);
  EXPECT_EQ(deadlines.first()->kind, Alarm::Kind::commit);
  EXPECT_EQ(deadlines.pop_due(Instant{30})->kind, Alarm::Kind::commit);
  EXPECT_EQ(deadlines.pop_due(Instant{30})->index, 1u);
  EXPECT_FALSE(deadlines.next());
  EXPECT_FALSE(deadlines.first());
}

TEST(Deadlines, alarms_of_one_instant_go_off_in_the_order_in_which_they_were_set) {
  Deadlines deadlines;
  for (std::uint32_t i = 0; i < 100; ++i) deadlines.set(line((i * 37) % 100), Instant{5});
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(deadlines.pop_due(Instant{5})->index, (i * 37) % 100);
  }
}

TEST(Deadlines, a_hundred_thousand_random_steps_agree_with_a_map) {
  Deadlines deadlines;
  std::map<std::uint32_t, Instant> model;
  Random random(7);
  for (int step = 0; step < 100'000; ++step) {
    const auto index = static_cast<std::uint32_t>(random.up_to(200));
    if (random.up_to(3) == 0) {
      deadlines.clear(line(index));
      model.erase(index);
    } else {
      const Instant at{random.up_to(1000)};
      deadlines.set(line(index), at);
      model[index] = at;
    }
    Instant earliest = kNever;
    for (const auto& [unused, at] : model) earliest = std::min(earliest, at);
    ASSERT_EQ(deadlines.next().value_or(kNever), earliest);
    if (random.up_to(9) == 0 && !model.empty()) {
      const auto popped = deadlines.pop_due(earliest);
      ASSERT_TRUE(popped);
      ASSERT_EQ(model.at(popped->index), earliest);
      model.erase(popped->index);
    }
  }
}

}  // namespace
}  // namespace einlass::core
