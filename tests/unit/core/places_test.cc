// How lines share a target's places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "bench_gate.h"

namespace einlass::core {
namespace {

// A gate with lines 0 and 1 at one target of `places`, without limits and without order.
BenchGate two_lines(std::uint32_t places) {
  RouteOptions route;
  route.order = Order::none;
  return BenchGate(BenchGate::options_for(route, places));
}

struct Places : ::testing::Test {
  BenchGate bench = two_lines(12);

  void SetUp() override {
    bench.gate.add_line(LineId{1}, RouteId{0}, true);
    bench.assign(0);
  }

  // The records of line 0 have even slots, those of line 1 odd ones.
  std::int64_t sent_of(std::uint32_t line) const {
    const auto sent = bench.sent();
    return std::count_if(sent.begin(), sent.end(), [&](auto slot) { return slot % 2 == line; });
  }
  void arrive(std::uint32_t line, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i, ++number_) {
      bench.arrive(2 * number_ + line, number_, 0, line);
    }
  }

 private:
  std::uint32_t number_ = 0;
};

TEST_F(Places, a_line_that_is_alone_has_them_all) {
  arrive(0, 20);
  EXPECT_EQ(sent_of(0), 12);
}

TEST_F(Places, nobody_takes_more_than_are_left) {
  arrive(1, 1);
  arrive(0, 20);
  EXPECT_EQ(sent_of(0), 6) << "one of line 1, six of line 0, five are left";
  arrive(1, 20);
  EXPECT_EQ(sent_of(1), 3) << "then three are left";
}

TEST_F(Places, who_becomes_alone_has_the_rest_too) {
  arrive(1, 1);
  arrive(0, 20);
  bench.ended(1, Outcome::accepted);
  EXPECT_EQ(sent_of(0), 12);
}

TEST_F(Places, each_end_lets_the_next_go) {
  arrive(1, 1);
  arrive(0, 20);
  const auto first = bench.sent()[1];
  bench.ended(first, Outcome::accepted);
  EXPECT_EQ(sent_of(0), 7);
}

}  // namespace
}  // namespace einlass::core
