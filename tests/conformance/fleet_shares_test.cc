// A limit whose permits the flows of all gates share: real gates with a backlog each, in time that
// is invented. What each flow gets over any stretch, whichever gates it waits in.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/fleet.h"

namespace einlass::conformance::fleet_shares_test {
namespace {

constexpr Instant kBegin{1'800'000'000'000'000};
constexpr int kBacklog = 600;
constexpr std::int64_t kRate = 500;
constexpr std::array<std::uint16_t, 3> kWeights{5, 1, 1};
constexpr std::size_t kFlows = kWeights.size();

core::FlowMark mark(std::size_t flow, std::uint8_t level = 0) {
  core::FlowMark made;
  made.key = core::FlowKey{1 + flow};
  made.in_fleet = FlowId{100 + flow};
  made.weight = kWeights[flow];
  made.level = level;
  return made;
}

// Which flows wait in which gate: the flow of each slot.
struct Case {
  const char* name;
  std::vector<std::vector<std::size_t>> flows;  // By gate.
  Duration answer = Duration::millis(1);
  limits::Parameters limit =
      limits::TokenBucketParameters{limits::reduced({kRate, 1'000'000}), {20}};
  bool beside_another = false;  // That is never what is short.
};

core::RouteOptions one_shared_limit() {
  core::RouteOptions route;
  route.limit_count = 1;
  route.keyless_limits = 1;
  route.fleet_limits = 1;
  route.share = {.levels = 1};
  route.horizon = Duration::millis(500);
  return route;
}

class FleetShares : public testing::TestWithParam<Case> {
 protected:
  static std::size_t flow_of(std::size_t gate, std::uint32_t slot) {
    const auto& here = GetParam().flows[gate];
    return here[slot % here.size()];
  }

  void run(Duration length, Fleet::Pause pause = {}) {
    core::RouteOptions route = one_shared_limit();
    route.inside_records = 2 * kBacklog;
    std::vector<limits::Limit> limits{{"limit", GetParam().limit}};
    limits[0].by_flows = true;
    if (GetParam().beside_another) {
      limits.push_back(
          {"other", limits::TokenBucketParameters{limits::reduced({kRate, 100'000}), {200}}});
      route.limit_count = 2;
      route.keyless_limits = 3;
      route.limits[1] = core::LimitId{1};
    }
    memory::Table table;
    Fleet fleet(route, {"", GetParam().answer, Duration::millis(5), Duration::millis(1), 64},
                kBegin);
    fleet.set_flows([](std::size_t gate, std::uint32_t slot) { return mark(flow_of(gate, slot)); });
    if (pause) fleet.set_pause(pause);
    for (std::size_t i = 0; i < GetParam().flows.size(); ++i) {
      fleet.add_gate(std::make_unique<MemoryLimiter>(table, limits));
    }
    fleet.run(length, kBacklog);
    left_ = fleet.left();
    RecordProperty("asks_a_second", std::to_string(fleet.asks() * 1'000'000 / length.us));
  }

  // What left of each flow, and of all (the last), from then for so long.
  std::array<std::int64_t, kFlows + 1> left(Duration from, Duration length) const {
    std::array<std::int64_t, kFlows + 1> count{};
    for (const Fleet::Left& one : left_) {
      if (one.at < kBegin + from || one.at >= kBegin + from + length) continue;
      ++count[one.flow.value - 1];
      ++count[kFlows];
    }
    return count;
  }

  std::vector<Fleet::Left> left_;
};

// A fleet whose every gate has so many flows with a backlog, each second one of them heavy.
std::vector<Fleet::Left> left_of_many(int gates, int flows, std::uint16_t heavy, Duration length) {
  constexpr std::int64_t kFew = 50;
  core::RouteOptions route = one_shared_limit();
  route.inside_records = 6'000;
  limits::Limit limit{"limit",
                      limits::TokenBucketParameters{limits::reduced({kFew, 1'000'000}), {5}}};
  limit.by_flows = true;
  memory::Table table;
  Fleet fleet(route, {"", Duration::millis(1), Duration::millis(5), Duration::millis(1), 64},
              kBegin);
  fleet.set_flows([&](std::size_t, std::uint32_t slot) {
    const auto flow = slot % static_cast<std::uint32_t>(flows);
    core::FlowMark made;
    made.key = core::FlowKey{1 + flow};
    made.in_fleet = FlowId{100 + flow};
    made.weight = flow % 2 == 0 ? heavy : std::uint16_t{1};
    return made;
  });
  for (int i = 0; i < gates; ++i) {
    fleet.add_gate(std::make_unique<MemoryLimiter>(table, std::span(&limit, 1)));
  }
  fleet.run(length, 3'000);
  return fleet.left();
}

// More than an ask names, so that it matters which: all of the limit is used, by weight.
struct Many {
  int gates, flows;
  std::uint16_t heavy;
};

class FleetSharesOfMany : public testing::TestWithParam<Many> {};

TEST_P(FleetSharesOfMany, use_all_of_the_limit_by_weight) {
  const Many& many = GetParam();
  std::map<std::uint64_t, double> of_flow;
  std::int64_t all = 0, last = 0;
  for (const Fleet::Left& left :
       left_of_many(many.gates, many.flows, many.heavy, Duration::seconds(61))) {
    if (left.at < kBegin + Duration::seconds(1)) continue;
    ++all;
    last += left.at >= kBegin + Duration::seconds(56);
    ++of_flow[left.flow.value];
  }
  EXPECT_GE(all, 50 * 60 * 99 / 100);
  EXPECT_GE(last, 50 * 5 * 99 / 100);
  double worst = 0;
  const double weights = many.flows / 2 * (1.0 + many.heavy);
  for (int i = 0; i < many.flows; ++i) {
    const double part = static_cast<double>(all) * (i % 2 == 0 ? many.heavy : 1) / weights;
    worst = std::max(worst, std::abs(of_flow[static_cast<std::uint64_t>(i) + 1] - part));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, 2.0 + 2.0 * many.gates) << "permits, of a single flow";
}

INSTANTIATE_TEST_SUITE_P(, FleetSharesOfMany,
                         testing::Values(Many{1, 100, 5}, Many{1, 300, 5}, Many{3, 100, 5},
                                         Many{3, 100, 2}, Many{2, 200, 50}),
                         [](const auto& its) {
                           return std::to_string(its.param.flows) + "_in_each_of_" +
                                  std::to_string(its.param.gates) + "_by_" +
                                  std::to_string(its.param.heavy);
                         });

TEST_P(FleetShares, follow_the_weights_over_any_five_seconds) {
  run(Duration::seconds(20));
  constexpr Duration kStretch = Duration::seconds(5);
  double worst = 0, least = 1;
  for (Duration from = Duration::seconds(1); from <= Duration::seconds(15);
       from = from + Duration::millis(100)) {
    const auto count = left(from, kStretch);
    least = std::min(least, static_cast<double>(count[kFlows]) / (5.0 * kRate));
    for (std::size_t flow = 0; flow < kFlows; ++flow) {
      const double due = static_cast<double>(count[kFlows] * kWeights[flow]) / 7;
      worst = std::max(worst, std::abs(static_cast<double>(count[flow]) / due - 1));
    }
  }
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("least", std::to_string(least));
  // A log leaves a part of each window free at once.
  const bool log = std::holds_alternative<limits::SlidingLogParameters>(GetParam().limit);
  EXPECT_LE(worst, log ? 0.03 : 0.02);
  EXPECT_GE(least, 0.99);
}

// The heavy one stops and comes back: its part is the others' meanwhile.
TEST_P(FleetShares, lend_what_a_flow_does_not_use_and_give_it_back) {
  constexpr Duration kStops = Duration::seconds(4), kComes = Duration::seconds(8);
  run(Duration::seconds(12), [&](std::size_t gate, std::uint32_t slot, Instant now) {
    const Duration at = now - kBegin;
    return flow_of(gate, slot) == 0 && at >= kStops && at < kComes ? kComes - at : Duration{};
  });
  // What it had waiting when it stopped is sent first.
  Duration last{};
  for (const Fleet::Left& one : left_) {
    const Duration at = one.at - kBegin;
    if (one.flow.value == 1 && at < kComes) last = std::max(last, at);
  }
  constexpr Duration kSoon = Duration::millis(500), kSecond = Duration::seconds(1);
  ASSERT_LT(last + kSoon + kSecond, kComes);
  const auto lent = left(last + kSoon, kSecond);
  EXPECT_GE(lent[kFlows], kRate * 99 / 100);
  EXPECT_NEAR(static_cast<double>(lent[1]), kRate / 2.0, 10);
  const auto back = left(kComes + kSoon, kSecond);
  EXPECT_GE(back[kFlows], kRate * 98 / 100);
  EXPECT_NEAR(static_cast<double>(back[0]), kRate * 5 / 7.0, 12);
}

// What left of each of three flows that stand in levels of their own, and of all, over any 5 s: the
// least part of each.
std::array<double, kFlows + 1> least_by_level(const std::vector<std::vector<std::size_t>>& flows,
                                              std::uint8_t keep) {
  core::RouteOptions route = one_shared_limit();
  route.inside_records = 2 * kBacklog;
  route.share = {.levels = kFlows, .keep = keep};
  limits::Limit limit{"limit",
                      limits::TokenBucketParameters{limits::reduced({kRate, 1'000'000}), {20}}};
  limit.by_flows = true;
  memory::Table table;
  Fleet fleet(route, {"", Duration::millis(1), Duration::millis(5), Duration::millis(1), 64},
              kBegin);
  fleet.set_flows([&](std::size_t gate, std::uint32_t slot) {
    const std::size_t flow = flows[gate][slot % flows[gate].size()];
    return mark(flow, static_cast<std::uint8_t>(flow));
  });
  for (std::size_t i = 0; i < flows.size(); ++i) {
    fleet.add_gate(std::make_unique<MemoryLimiter>(table, std::span(&limit, 1)));
  }
  fleet.run(Duration::seconds(16), kBacklog);
  std::array<double, kFlows + 1> least{1, 1, 1, 1};
  for (Duration from = Duration::seconds(1); from <= Duration::seconds(11);
       from = from + Duration::millis(100)) {
    std::array<std::int64_t, kFlows + 1> count{};
    for (const Fleet::Left& one : fleet.left()) {
      if (one.at < kBegin + from || one.at >= kBegin + from + Duration::seconds(5)) continue;
      ++count[one.flow.value - 1];
      ++count[kFlows];
    }
    for (std::size_t i = 0; i < least.size(); ++i) {
      least[i] = std::min(least[i], static_cast<double>(count[i]) / (5.0 * kRate));
    }
  }
  return least;
}

// Whichever gates they wait in: the first level has all but what each below it keeps.
TEST(FleetSharesByLevel, the_first_goes_first_and_each_below_keeps_its_part) {
  const std::vector<std::vector<std::vector<std::size_t>>> fleets = {
      {{0, 1, 2}}, {{0, 1, 2}, {0, 1, 2}}, {{0}, {1}, {2}}, {{1, 2}, {0}}};
  for (const auto& flows : fleets) {
    for (const int keep : {5, 20}) {
      const auto least = least_by_level(flows, static_cast<std::uint8_t>(keep));
      const double part = keep / 100.0;
      EXPECT_GE(least[kFlows], 0.99) << flows.size() << " gates, keep " << keep;
      EXPECT_GE(least[0], 1 - 2 * part - 0.02) << flows.size() << " gates, keep " << keep;
      for (const std::size_t level : {1, 2}) {
        EXPECT_GE(least[level], part - 0.02) << flows.size() << " gates, keep " << keep;
      }
    }
  }
}

const limits::Parameters kLog = limits::SlidingLogParameters{{kRate}, Duration::seconds(1), 90, {}};
const limits::Parameters kQueue =
    limits::LeakyBucketParameters{limits::reduced({kRate, 1'000'000}), {500}, true};

INSTANTIATE_TEST_SUITE_P(
    , FleetShares,
    testing::Values(
        Case{"one_gate", {{0, 1, 2}}}, Case{"all_in_both", {{0, 1, 2}, {0, 1, 2}}},
        Case{"each_its_own", {{0}, {1, 2}}}, Case{"one_in_both", {{0, 2}, {1, 2}}},
        Case{"three_gates", {{0}, {1}, {2}}},
        Case{"far_away", {{0, 1}, {0, 2}}, Duration::millis(20)},
        Case{"of_a_log", {{0, 2}, {1, 2}}, Duration::millis(1), kLog},
        Case{"of_a_queue", {{0, 2}, {1, 2}}, Duration::millis(1), kQueue},
        Case{.name = "beside_another_limit", .flows = {{0, 2}, {1, 2}}, .beside_another = true}),
    [](const auto& its) { return its.param.name; });

}  // namespace
}  // namespace einlass::conformance::fleet_shares_test
