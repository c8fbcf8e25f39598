// A gate whose target failed comes back although others have booked all that is to come: its probe
// needs a permit, and permits go to whoever asked first.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "conformance/fleet.h"

namespace einlass::conformance::probe_test {
namespace {

constexpr Instant kBegin{1'000'000'000};
constexpr int kGates = 3;
constexpr Duration kLength = Duration::seconds(20);
constexpr Surroundings kAround{"away", Duration{300}, Duration::millis(5), Duration{200}};

struct Probes : testing::TestWithParam<limits::Parameters> {
  // With routes that ask so far ahead.
  void expect_its_part(Duration horizon);
};

void Probes::expect_its_part(Duration horizon) {
  core::RouteOptions route;
  route.horizon = horizon;
  route.slot = core::kSlot;
  route.limit_count = 1;
  route.keyless_limits = 1;
  Fleet fleet(route, kAround, kBegin);
  fleet.set_outcome([](std::size_t gate, Instant now) {
    const bool fails = gate == 0 && now >= kBegin + Duration::seconds(2) &&
                       now < kBegin + Duration::seconds(4);
    return fails ? core::Outcome::retry : core::Outcome::accepted;
  });
  memory::Table table;
  const std::vector<limits::Limit> limits = {{"l", GetParam()}};
  for (int i = 0; i < kGates; ++i) {
    fleet.add_gate(std::make_unique<MemoryLimiter>(table, limits));
  }
  fleet.run(kLength, 2'000);
  // In the last ten seconds, long after all is well.
  std::vector<int> left(kGates);
  for (const Fleet::Left& one : fleet.left()) {
    if (one.at >= kBegin + Duration::seconds(10)) ++left[one.gate];
  }
  const int part = 400 * 10 / kGates;
  for (int gate = 0; gate < kGates; ++gate) EXPECT_GT(left[gate], part / 2) << "gate " << gate;
}

TEST_P(Probes, a_gate_whose_target_is_well_again_has_its_part) {
  expect_its_part(Duration::millis(500));
}
TEST_P(Probes, so_it_has_where_all_ask_further_ahead) { expect_its_part(Duration::seconds(3)); }

INSTANTIATE_TEST_SUITE_P(
    , Probes,
    testing::Values(limits::SlidingLogParameters{Permits{400}, Duration::seconds(1)},
                    limits::TokenBucketParameters{{400, 1'000'000}, Permits{20}},
                    limits::GcraParameters{{400, 1'000'000}, Permits{20}}));

}  // namespace
}  // namespace einlass::conformance::probe_test
