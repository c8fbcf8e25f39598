// A limit whose permits the flows of all gates share: what a gate says of its flows, and whose
// record goes with which permit.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

constexpr std::uint64_t kAcme = 1, kBolt = 2;

struct FleetGate : BenchGate {
  FleetGate() : BenchGate(options()) { assign(0); }

  static GateOptions options() {
    RouteOptions route;
    route.order = Order::none;
    route.limit_count = 1;
    route.keyless_limits = 1;
    route.fleet_limits = 1;
    route.share = {.levels = 1};
    route.horizon = Duration::millis(500);
    return options_for(route);
  }

  void arrive_of(std::uint64_t flow, std::uint32_t record) {
    arrive_of(flow, record, flow == kAcme ? 5 : 1);
  }
  void arrive_of(std::uint64_t flow, std::uint32_t record, std::uint16_t weight) {
    RecordArrived event{PartitionId{0}, RecordId{record, 0}, Offset{record},
                        LineId{0},      std::nullopt,        Bytes{100}};
    event.flow.key = FlowKey{flow};
    event.flow.in_fleet = FlowId{100 + flow};
    event.flow.weight = weight;
    put(event);
  }

  const AskingFlows& asked() const { return *all<Ask>().back().flows; }

  // Where the newest ask names the flow.
  std::uint16_t index_of(std::uint64_t flow) const {
    for (std::uint16_t i = 0; i < asked().flows.size(); ++i) {
      if (asked().flows[i].id == FlowId{100 + flow}) return i;
    }
    return UINT16_MAX;
  }

  // Permits for these flows, due at once or all this much later.
  void grant(const std::vector<std::uint64_t>& flows, HeldUp held_up = HeldUp::no,
             Duration due_in = {}) {
    told = {};
    told.held_up = held_up;
    told.epoch = 7;
    told.time = {0};
    for (const std::uint64_t flow : flows) told.flow.push_back(index_of(flow));
    for (const AskingFlow& flow : asked().flows) told.served.push_back(1'000 * flow.weight);
    due.assign(flows.size(), due_in);
    const Ask ask = all<Ask>().back();
    const bool all_granted = std::ssize(flows) == ask.max.value;
    put(PermitsAnswered{ask.line, ask.ask, due, now,
                        all_granted ? std::nullopt : std::optional(Duration::millis(3)),
                        LimitIndex{0}, ask.horizon, false, &told});
  }

  ToldFlows told;
};

TEST(Fleet, AnAskTellsOfItsFlows) {
  FleetGate bench;
  bench.arrive_of(kAcme, 0);
  ASSERT_EQ(bench.all<Ask>().size(), 1u);
  EXPECT_EQ(bench.asked().flows[0].id, FlowId{101});
  bench.arrive_of(kBolt, 1);
  bench.arrive_of(kBolt, 2);
  bench.grant({kAcme});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  const AskingFlow& bolt = bench.asked().flows.at(bench.index_of(kBolt));
  EXPECT_EQ(bolt.records, 2);
  EXPECT_EQ(bolt.weight, 1);
  EXPECT_EQ(bench.index_of(kAcme), UINT16_MAX) << "it has nothing more";
}

TEST(Fleet, APermitIsForItsFlowWhateverComesFirstHere) {
  FleetGate bench;
  bench.arrive_of(kAcme, 0);
  bench.arrive_of(kAcme, 1);
  bench.arrive_of(kBolt, 2);
  bench.grant({kAcme});
  bench.grant({kBolt});
  EXPECT_EQ(bench.sent(), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(bench.all<Send>().back().permit.flow, FlowId{102});
}

TEST(Fleet, APermitOfAFlowWithoutRecordsGoesBack) {
  FleetGate bench;
  bench.arrive_of(kAcme, 0);
  bench.grant({kAcme}, HeldUp::no, Duration::millis(50));
  bench.put(PartitionLost{PartitionId{0}});
  bench.pass(Duration::millis(100));
  bench.assign(1);
  ASSERT_EQ(bench.all<Release>().size(), 1u);
  EXPECT_EQ(bench.all<Release>()[0].permit.flow, FlowId{101}) << "whose it was is told";
}

TEST(Fleet, AWeightThatChangesWhileAnAskIsOpenMovesNobodysTag) {
  FleetGate bench;
  bench.arrive_of(kAcme, 0);
  bench.arrive_of(kAcme, 1, 1);
  bench.grant({kAcme});
  const AskingFlow& acme = bench.asked().flows.at(bench.index_of(kAcme));
  EXPECT_EQ(acme.weight, 1);
  EXPECT_EQ(acme.served, 1'000) << "5,000 of weight 5 was told";
}

// As a limiter does that is unavailable and lets all pass.
TEST(Fleet, WhereNothingIsToldOfFlowsNothingGrows) {
  FleetGate bench;
  for (std::uint32_t i = 0; i < 60; ++i) {
    bench.arrive_of(kAcme, i);
    const Ask ask = bench.all<Ask>().back();
    bench.due.assign(1, Duration{});
    bench.put(PermitsAnswered{ask.line, ask.ask, bench.due, bench.now, std::nullopt, LimitIndex{0},
                              ask.horizon, false, nullptr});
    bench.gate.check_invariants();
  }
  EXPECT_EQ(bench.sent().size(), 60u);
}

// As while Redis is away and a stand-in grants.
TEST(Fleet, APermitOfNoFlowIsForWhoseTurnItIs) {
  FleetGate bench;
  for (std::uint32_t i = 0; i < 10; ++i) bench.arrive_of(kBolt, i);
  for (std::uint32_t i = 10; i < 20; ++i) bench.arrive_of(kAcme, i);
  for (int i = 0; i < 6; ++i) {
    const Ask ask = bench.all<Ask>().back();
    bench.due.assign(1, Duration{});
    bench.put(PermitsAnswered{ask.line, ask.ask, bench.due, bench.now, std::nullopt, LimitIndex{0},
                              ask.horizon, false, nullptr});
  }
  ASSERT_EQ(bench.sent().size(), 6u);
  const auto of_acme = std::ranges::count_if(bench.sent(), [](std::uint32_t i) { return i >= 10; });
  EXPECT_GE(of_acme, 4) << "by weight 5:1";
}

TEST(Fleet, WhoIsHeldUpByOthersAsksAgainSoonAndNotAtOnce) {
  FleetGate bench;
  for (std::uint32_t i = 0; i < 20; ++i) bench.arrive_of(kAcme, i);
  bench.grant({kAcme});
  bench.grant({kAcme}, HeldUp::by_gates);
  const std::size_t asks = bench.all<Ask>().size();
  bench.pass(Duration::millis(2));
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration::millis(60));
  EXPECT_EQ(bench.all<Ask>().size(), asks + 1);
}

// Whatever the limit has said of the next permit, that is for them.
TEST(Fleet, WhoIsHeldUpByOthersOfItsGateAsksAgainOnceTheseMayHaveAsked) {
  FleetGate bench;
  for (std::uint32_t i = 0; i < 20; ++i) bench.arrive_of(kAcme, i);
  bench.grant({kAcme});
  const std::size_t asks = bench.all<Ask>().size();
  bench.grant({}, HeldUp::by_own);
  bench.pass(Duration::micros(4'999));
  EXPECT_EQ(bench.all<Ask>().size(), asks);
  bench.pass(Duration::micros(1));
  ASSERT_EQ(bench.all<Ask>().size(), asks + 1);
  bench.grant({kAcme}, HeldUp::by_own);
  EXPECT_EQ(bench.all<Ask>().size(), asks + 2) << "at once, where it was given something";
}

}  // namespace
}  // namespace einlass::core
