// What the quotas of a fleet take of the heap.
#include <gtest/gtest.h>

#include <string>

#include "unit/app/steering/steering_fixture.h"
#include "unit/memory/counted_heap.h"

namespace einlass::app {
namespace {

// As docs/steering.md says.
TEST_F(SteeringTest, a_hundred_thousand_quotas_take_thirty_megabytes) {
  constexpr int kQuotas = 100'000;
  const std::ptrdiff_t before = heap.held;
  steering.reading();
  for (int i = 0; i < kQuotas; ++i) {
    const std::string number = std::to_string(kQuotas + i);
    tell("per_tenant/6a0f2c4e-3b1d-4c55-9e7a-000000" + number,
         (R"({"limit":")" + number + R"(","since":1764350000000,"by":"127.0.0.1"})").c_str());
  }
  steering.whole();
  ASSERT_EQ(steering.status().quotas, kQuotas);
  const double took = static_cast<double>(heap.held - before) / (1 << 20);
  EXPECT_NEAR(took, 30, 1);
}

}  // namespace
}  // namespace einlass::app
