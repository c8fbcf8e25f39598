#include "app/record/flow_weights.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace einlass::app {
namespace {

TEST(FlowWeights, hold_until_they_are_taken_away) {
  FlowWeights weights;
  EXPECT_EQ(weights.find("tenants", "acme"), std::nullopt);
  weights.set("tenants", "acme", 5);
  EXPECT_EQ(weights.find("tenants", "acme"), 5);
  EXPECT_EQ(weights.find("tenants", "bolt"), std::nullopt);
  EXPECT_EQ(weights.find("others", "acme"), std::nullopt);
  weights.set("tenants", "acme", 7);
  weights.set("tenants", "bolt", 8);
  EXPECT_EQ(weights.find("tenants", "acme"), 7);
  weights.set("tenants", "acme", std::nullopt);
  weights.set("tenants", "acme", std::nullopt);
  weights.set("others", "acme", std::nullopt);
  EXPECT_EQ(weights.find("tenants", "acme"), std::nullopt);
  EXPECT_EQ(weights.find("tenants", "bolt"), 8) << "the others stay";
  weights.set("tenants", "bolt", std::nullopt);
  EXPECT_EQ(weights.find("tenants", "bolt"), std::nullopt);
}

// As the shards read while the main thread sets.
TEST(FlowWeights, are_read_by_several_threads_while_they_change) {
  FlowWeights weights;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  const auto look = [&] {
    while (!done.load()) {
      const auto found = weights.find("tenants", "acme");
      if (found && *found != 5 && *found != 7) ++wrong;
    }
  };
  std::thread first(look), second(look);
  for (int i = 0; i < 2'000; ++i) {
    weights.set("tenants", "acme", i % 2 == 0 ? 5 : 7);
    weights.set("tenants", "k" + std::to_string(i), 9);
    if (i % 3 == 0) weights.set("tenants", "acme", std::nullopt);
  }
  done = true;
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace einlass::app
