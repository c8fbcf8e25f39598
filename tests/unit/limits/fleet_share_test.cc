#include "limits/fleet/fleet_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "limits/fleet/acquire_shared.h"

namespace einlass::limits {
namespace {

constexpr Instant kBegin{1'800'000'000'000'000};

// A limit of 1,000 a second and 100 at once, for flows in two levels. Asks say nothing of what was
// told before.
class TwoLevels {
 public:
  explicit TwoLevels(std::int64_t keep) : keep_(keep) {}

  // How many permits each of the flows gets.
  std::vector<std::int64_t> ask(std::uint64_t gate, std::vector<AskingFlow> flows, std::size_t most,
                                Duration after = {}) {
    AskingFlows asking;
    asking.levels = 2;
    asking.keep = keep_;
    asking.time.resize(2);
    asking.rest.resize(2);
    asking.wish = 1'000;
    asking.flows = std::move(flows);
    const ShareDemand of{.gate = GateId{gate}, .of = &asking};
    const Demand demand{
        .min = Permits{1}, .max = Permits{static_cast<std::int64_t>(most)}, .horizon = {}};
    const Charge charge{.parameters = &parameters_, .state = &state_, .cost = Permits{1}};
    std::vector<Duration> due(most);
    ToldFlows told;
    acquire_shared({&charge, 1}, 0, share_, of, demand, kBegin + after, due, told);
    std::vector<std::int64_t> granted(asking.flows.size());
    for (const std::uint16_t flow : told.flow) ++granted[flow];
    return granted;
  }

  // How many it remembers.
  std::size_t flows() const { return share_.flows(); }

 private:
  const std::int64_t keep_;
  const Parameters parameters_ = TokenBucketParameters{reduced({1'000, 1'000'000}), {100}};
  State state_ = fresh(parameters_, "");
  FleetShare share_;
};

using Granted = std::vector<std::int64_t>;

// Of each permit a tenth is the lower level's.
TEST(FleetShare, WhatOthersLeaveCostsALevelNoMoreThanItHasEarned) {
  TwoLevels limit(10);
  limit.ask(1, {{.id = FlowId{1}, .level = 0, .records = 2}}, 1);  // One more waits.
  const AskingFlow lower{.id = FlowId{2}, .level = 1, .records = 1'000};
  EXPECT_EQ(limit.ask(2, {lower}, 50), Granted{50}) << "that one is left";
  const AskingFlow upper{.id = FlowId{1}, .level = 0, .records = 1'000};
  EXPECT_EQ(limit.ask(1, {upper}, 100), Granted{45}) << "of 49";
  EXPECT_EQ(limit.ask(2, {lower}, 100), Granted{4});
}

// Others wait below all the time, and one above only now.
TEST(FleetShare, WhatAFlowGotWhereNobodyWaitedIsNotHeldAgainstIt) {
  TwoLevels limit(0);
  const AskingFlow lower{.id = FlowId{9}, .level = 1, .records = 1'000};
  Duration after{};
  for (int i = 0; i < 100; ++i, after = after + Duration::millis(10)) {
    limit.ask(1, {{.id = FlowId{1}, .level = 0, .records = 1}, lower}, 10, after);
  }
  const AskingFlow known{.id = FlowId{1}, .level = 0, .records = 100};
  const AskingFlow other{.id = FlowId{2}, .level = 0, .records = 100};
  EXPECT_EQ(limit.ask(1, {known, other, lower}, 10, after), (Granted{5, 5, 0}));
}

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

// The same where more come all the time than can leave.
TEST(FleetShare, RemembersNoMoreThanSoManyWhereMoreComeOnceThanLeave) {
  TwoLevels limit(0);
  constexpr std::int64_t kAtOnce = 100, kAsks = 1'200;
  std::uint64_t next = 1;
  for (int i = 0; i < kAsks; ++i) {
    std::vector<AskingFlow> flows;
    while (std::ssize(flows) < kAtOnce) flows.push_back({.id = FlowId{next++}});
    limit.ask(1, std::move(flows), 50, Duration::millis(50 * i));
  }
  EXPECT_LE(limit.flows(), 100'000u) << "of " << next - 1;
}

}  // namespace
}  // namespace einlass::limits
