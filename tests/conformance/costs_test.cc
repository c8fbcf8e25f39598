// Records that bring their own costs: a gate asks for many of them at a time, as where all cost the
// same.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "conformance/fleet.h"

namespace einlass::conformance {
namespace {

constexpr Instant kBegin{1'800'000'000'000'000};
constexpr int kBacklog = 2'000;
constexpr Duration kLength = Duration::seconds(2);

Permits one_or_two(Offset offset) {
  return {1 + static_cast<std::int64_t>((offset.value * 2'654'435'761) >> 7 & 1)};
}

// How many records leave under a limit of so many units a second.
std::int64_t leave(Duration answer, std::int64_t units_a_second, std::int64_t burst,
                   Duration horizon, const std::function<Permits(Offset)>& cost, bool varies) {
  core::RouteOptions route;
  route.limit_count = 1;
  route.shared_limits = 1;
  route.horizon = horizon;
  route.cost_varies = varies;
  route.inside_records = 2 * kBacklog;
  limits::Limit limit{"limit", limits::TokenBucketParameters{
                                   limits::reduced({units_a_second, 1'000'000}), {burst}}};
  limit.cost_from_record = varies;
  memory::Table table;
  Fleet fleet(route, {"", answer, Duration::millis(1), {}, 64}, kBegin);
  fleet.set_cost(cost);
  fleet.add_gate(std::make_unique<MemoryLimiter>(table, std::span(&limit, 1)));
  fleet.run(kLength, kBacklog);
  return std::ssize(fleet.stamps());
}

// 0, 1 and 5 ms to the limiter.
class Costs : public testing::TestWithParam<int> {
 protected:
  Duration answer() const { return Duration::millis(GetParam()); }
};

TEST_P(Costs, from_the_record_cost_no_speed) {
  const auto one = [](Offset) { return Permits{1}; };
  const std::int64_t fixed = leave(answer(), 100'000'000, 1'000'000, {}, one, false);
  const std::int64_t from_record = leave(answer(), 100'000'000, 1'000'000, {}, one_or_two, true);
  RecordProperty("fixed_a_second", std::to_string(fixed / 2));
  RecordProperty("from_record_a_second", std::to_string(from_record / 2));
  EXPECT_GE(from_record * 100, fixed * 90) << "of " << fixed;
}

TEST_P(Costs, from_the_record_use_all_that_the_limit_allows) {
  std::int64_t units = 0;
  const std::int64_t records = leave(answer(), 9'000, 100, Duration::millis(500), one_or_two, true);
  for (std::int64_t i = 0; i < records; ++i) units += one_or_two(Offset{i}).value;
  EXPECT_GE(units * 100, 18'000 * 99);
  EXPECT_LE(units, 18'100);
}

INSTANTIATE_TEST_SUITE_P(, Costs, testing::Values(0, 1, 5));

}  // namespace
}  // namespace einlass::conformance
