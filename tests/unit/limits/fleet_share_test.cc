#include "limits/fleet/fleet_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "limits/fleet/acquire_shared.h"

namespace einlass::limits {
namespace {

constexpr Instant kBegin{1'800'000'000'000'000};

// As users of whom each has one record, beside one that always waits.
TEST(FleetShare, RemembersNoMoreHoweverManyComeOnce) {
  constexpr std::uint64_t kAtOnce = 64;
  constexpr int kAsks = 2'000;
  const Parameters parameters = TokenBucketParameters{reduced({1'000'000, 1'000'000}), {1'000}};
  State state = fresh(parameters, "");
  const Charge charge{.parameters = &parameters, .state = &state, .cost = Permits{1}};
  FleetShare share;
  std::vector<Duration> due(kAtOnce);
  ToldFlows told;
  AskingFlows asking;
  asking.time = {0};
  asking.rest = {{}};
  std::uint64_t next = 2;
  std::size_t most = 0;
  for (int i = 0; i < kAsks; ++i) {
    asking.flows = {{.id = FlowId{1}, .records = 1'000}};
    if (i > 0) asking.flows[0].served = told.served[0];
    for (std::uint64_t k = 1; k < kAtOnce; ++k) asking.flows.push_back({.id = FlowId{next++}});
    asking.wish = 2 * kAtOnce;
    const ShareDemand of{.gate = GateId{1}, .of = &asking};
    const Demand demand{.min = Permits{1}, .max = Permits{kAtOnce}, .horizon = {}};
    const Instant now = kBegin + Duration::millis(i);
    const Answer answer = acquire_shared({&charge, 1}, 0, share, of, demand, now, due, told);
    ASSERT_GT(answer.granted.value, 0) << i;
    asking.epoch = told.epoch;
    asking.time = told.time;
    most = std::max(most, share.flows());
  }
  EXPECT_LE(most, 20 * kAtOnce) << "of " << next - 1;
}

}  // namespace
}  // namespace einlass::limits
