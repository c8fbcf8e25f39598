// Records that bring their own costs: a gate asks for many of them at a time, as where all cost the
// same.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "conformance/fleet.h"

namespace einlass::conformance {
namespace {

constexpr Instant kBegin{1'800'000'000'000'000};
constexpr int kBacklog = 2'000;
constexpr Duration kLength = Duration::seconds(2);

Permits one_or_two(std::size_t, Offset offset) {
  return {1 + static_cast<std::int64_t>((offset.value * 2'654'435'761) >> 7 & 1)};
}

// How many records leave under a limit of so many units a second.
std::int64_t leave(Duration answer, std::int64_t units_a_second, std::int64_t burst,
                   Duration horizon, const Fleet::Cost& cost, bool varies) {
  core::RouteOptions route;
  route.limit_count = 1;
  route.keyless_limits = 1;
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
  const auto one = [](std::size_t, Offset) { return Permits{1}; };
  const std::int64_t fixed = leave(answer(), 100'000'000, 1'000'000, {}, one, false);
  const std::int64_t from_record = leave(answer(), 100'000'000, 1'000'000, {}, one_or_two, true);
  RecordProperty("fixed_a_second", std::to_string(fixed / 2));
  RecordProperty("from_record_a_second", std::to_string(from_record / 2));
  EXPECT_GE(from_record * 100, fixed * 90) << "of " << fixed;
}

TEST_P(Costs, from_the_record_use_all_that_the_limit_allows) {
  std::int64_t units = 0;
  const std::int64_t records = leave(answer(), 9'000, 100, Duration::millis(500), one_or_two, true);
  for (std::int64_t i = 0; i < records; ++i) units += one_or_two(0, Offset{i}).value;
  EXPECT_GE(units * 100, 18'000 * 99);
  EXPECT_LE(units, 18'100);
}

INSTANTIATE_TEST_SUITE_P(, Costs, testing::Values(0, 1, 5));

// There is never as much left as a costly record takes while another gate takes each bit at once.
struct CostlyRecords : testing::TestWithParam<limits::Parameters> {};

TEST_P(CostlyRecords, have_their_turn_beside_the_cheap_ones_of_another_gate) {
  core::RouteOptions route;
  route.limit_count = 1;
  route.keyless_limits = 1;
  route.horizon = Duration::millis(500);
  route.slot = core::kSlot;
  route.cost_varies = true;
  route.inside_records = 2 * kBacklog;
  Fleet fleet(route, {"away", Duration{300}, Duration::millis(5), Duration{200}}, kBegin);
  fleet.set_cost([](std::size_t gate, Offset) { return Permits{gate == 0 ? 600 : 1}; });
  limits::Limit limit{"limit", GetParam()};
  limit.cost_from_record = true;
  memory::Table table;
  for (int i = 0; i < 2; ++i) {
    fleet.add_gate(std::make_unique<MemoryLimiter>(table, std::span(&limit, 1)));
  }
  fleet.run(Duration::seconds(20), kBacklog);
  std::vector<std::int64_t> left(2);
  for (const Fleet::Left& one : fleet.left()) ++left[one.gate];
  // 20,000 permits, and a burst: each gate has a third of them at least.
  EXPECT_GE(left[0] * 600, 6'600);
  EXPECT_GE(left[1], 6'600);
  EXPECT_GE(left[0] * 600 + left[1], 18'000);
}

INSTANTIATE_TEST_SUITE_P(
    , CostlyRecords,
    testing::Values(limits::TokenBucketParameters{{1'000, 1'000'000}, Permits{1'000}},
                    limits::GcraParameters{{1'000, 1'000'000}, Permits{1'000}},
                    limits::SlidingLogParameters{Permits{1'000}, Duration::seconds(1)}));

}  // namespace
}  // namespace einlass::conformance
