// Flows and levels inside a line.
#include "core/fairness/flows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

struct Mark {
  std::uint64_t flow = 0;
  std::uint16_t weight = 1;
  std::uint8_t level = 0;
};

// A line of a gate whose target takes one record at a time, so that each end lets the next one go.
struct Shared {
  explicit Shared(ShareOptions share) : Shared(options(share)) {}
  explicit Shared(const GateOptions& options) : bench(options) { bench.assign(0); }

  static GateOptions options(ShareOptions share) {
    RouteOptions route;
    route.order = Order::none;
    route.share = share;
    return BenchGate::options_for(route, 1);
  }

  void arrive(const Mark& mark, int count) {
    for (; count > 0; --count) {
      const auto number = static_cast<std::uint32_t>(marks.size());
      marks.push_back(mark);
      RecordArrived event{PartitionId{0}, RecordId{number, 0}, Offset{number},
                          LineId{0},      std::nullopt,        Bytes{100}};
      event.flow = {FlowKey{mark.flow}, mark.weight, mark.level,
                    static_cast<std::uint8_t>(mark.flow)};
      bench.put(event);
    }
  }

  // Lets so many go; the flow of each.
  std::vector<std::uint64_t> go(int count) {
    std::vector<std::uint64_t> flows;
    for (; count > 0; --count) {
      const Send send = bench.all<Send>().back();
      flows.push_back(marks[send.record.slot].flow);
      bench.commands.clear();
      bench.ended(send.record.slot, Outcome::accepted, send.attempt.value);
    }
    return flows;
  }

  static int of(const std::vector<std::uint64_t>& flows, std::uint64_t flow) {
    return static_cast<int>(std::count(flows.begin(), flows.end(), flow));
  }

  BenchGate bench;
  std::vector<Mark> marks;
};

TEST(Flows, go_by_weight_whoever_came_first) {
  Shared shared({1, 5});
  shared.arrive({1, 1}, 100);
  shared.arrive({2, 5}, 100);
  shared.arrive({3, 1}, 100);
  shared.go(1);  // Left before the others came.
  const auto flows = shared.go(70);
  EXPECT_EQ(Shared::of(flows, 1), 10);
  EXPECT_EQ(Shared::of(flows, 2), 50);
  EXPECT_EQ(Shared::of(flows, 3), 10);
  const std::uint64_t counted = shared.bench.gate.stats(RouteId{0}).share_permits[2];
  EXPECT_GE(counted, 50u);
  EXPECT_LE(counted, 51u) << "one is under way";
}

TEST(Flows, what_one_does_not_use_the_others_get) {
  Shared shared({1, 5});
  shared.arrive({1, 1}, 50);
  shared.arrive({2, 1000}, 10);
  const auto flows = shared.go(60);
  EXPECT_EQ(Shared::of(flows, 1), 50);
}

// Else a gate whose tenants come and go grows for ever.
TEST(Flows, what_is_remembered_of_those_that_went_does_not_grow) {
  Flows flows(ShareOptions{.levels = 1}, false);
  Records records(1);
  constexpr std::uint32_t kEver = 10'000;
  for (std::uint32_t i = 0; i < kEver; ++i) {
    Record& record =
        records.enter({0, i}, RouteId{0}, PartitionId{0}, Lanes::kNone, RecordState::ready);
    record.flow = {FlowKey{i + 1}, 1, 0, 0};
    flows.push_back(records, record);
    EXPECT_LT(record.flow_slot, 10u) << "the " << i << "th";
    flows.take(records, record, Permits{1});
    records.move(record, RecordState::absent);
  }
}

TEST(Flows, a_small_one_does_not_wait_for_the_backlog_of_a_large_one) {
  Shared shared({1, 5});
  shared.arrive({1, 1}, 500);
  shared.go(100);
  shared.arrive({2, 1}, 1);
  EXPECT_EQ(Shared::of(shared.go(3), 2), 1);
}

TEST(Flows, the_first_level_goes_first_and_the_others_keep_their_part) {
  Shared shared({3, 5});
  shared.arrive({1, 1, 0}, 2000);
  shared.arrive({2, 1, 1}, 2000);
  shared.arrive({3, 1, 2}, 2000);
  shared.go(100);
  const auto flows = shared.go(1000);
  EXPECT_EQ(Shared::of(flows, 1), 900);
  EXPECT_EQ(Shared::of(flows, 2), 50);
  EXPECT_EQ(Shared::of(flows, 3), 50);
}

TEST(Flows, a_level_that_was_empty_has_no_claim_from_before) {
  Shared shared({2, 5});
  shared.arrive({1, 1, 0}, 19);
  shared.arrive({2, 1, 1}, 1);
  EXPECT_EQ(shared.go(19).back(), 1u);
  EXPECT_EQ(shared.go(1), std::vector<std::uint64_t>{2});  // Nobody else was there.
  shared.arrive({1, 1, 0}, 40);
  shared.arrive({2, 1, 1}, 1);
  EXPECT_EQ(Shared::of(shared.go(15), 2), 0);
  EXPECT_EQ(Shared::of(shared.go(10), 2), 1);
}

// What it had earned when its last record was withdrawn.
TEST(Flows, a_level_that_left_without_being_served_has_no_claim_from_before) {
  Flows flows(ShareOptions{.levels = 2, .keep = 50}, false);
  Records records(5);
  const auto arrive = [&](RecordId id, std::uint8_t level) {
    Record& record =
        records.enter(id, RouteId{0}, PartitionId{0}, Lanes::kNone, RecordState::ready);
    record.flow = {FlowKey{level + 1u}, 1, level, 0};
    flows.push_back(records, record);
  };
  for (const std::uint32_t slot : {0u, 1u, 2u}) arrive({slot, 0}, 0);
  arrive({3, 0}, 1);
  for (const std::uint32_t slot : {0u, 1u}) flows.take(records, records[slot], Permits{1});
  ASSERT_EQ(flows.front(), 3u) << "it has earned a turn";
  flows.withdraw(records, records[3]);
  records.move(records[3], RecordState::absent);
  arrive({3, 1}, 1);
  EXPECT_EQ(flows.front(), 2u);
}

// The k-th record of a level waits for at most (k + 1) / keep permits.
TEST(Flows, a_lower_level_waits_for_a_bounded_number_of_permits) {
  Shared shared({3, 5});
  shared.arrive({1, 1, 0}, 2000);
  shared.arrive({2, 1, 1}, 200);
  shared.go(777);
  shared.arrive({3, 1, 2}, 10);
  int before = 0;
  for (int k = 1; k <= 10; ++k) {
    while (shared.go(1)[0] != 3) ++before;
    ++before;
    EXPECT_LE(before, (k + 1) * 20) << k;
  }
}

// Also where those before it come and go, so that it is the first one now and then.
TEST(Flows, a_level_in_the_middle_waits_for_a_bounded_number_of_permits) {
  constexpr double kKeep = 0.3;
  for (unsigned pattern = 0; pattern < 1u << 12; ++pattern) {
    Flows flows(ShareOptions{.levels = 3, .keep = 30}, false);
    Records records(5);
    std::uint32_t number = 0;
    const auto arrive = [&](std::uint32_t slot, std::uint8_t level) {
      Record& record = records.enter({slot, number++}, RouteId{0}, PartitionId{0}, Lanes::kNone,
                                     RecordState::ready);
      record.flow = {FlowKey{level + 1u}, 1, level, 0};
      flows.push_back(records, record);
    };
    for (const std::uint32_t slot : {1u, 2u, 3u, 4u}) arrive(slot, slot < 3 ? 1 : 2);
    std::map<int, int> waited;
    for (unsigned turn = 0; turn < 48; ++turn) {
      if (flows.ready(0) == 0 && (pattern >> turn % 12 & 1)) arrive(0, 0);
      Record& next = records[flows.front()];
      const std::uint8_t level = next.flow.level;
      flows.take(records, next, Permits{1});
      records.move(next, RecordState::absent);
      for (const int other : {1, 2}) ++waited[other];
      if (level == 0) continue;
      EXPECT_LE(waited[level], 2 / kKeep) << "pattern " << pattern << " level " << +level;
      waited[level] = 0;
      arrive(next.id.slot, level);
    }
  }
}

TEST(Flows, a_level_alone_has_everything) {
  Shared shared({3, 5});
  shared.arrive({3, 1, 2}, 50);
  EXPECT_EQ(Shared::of(shared.go(50), 3), 50);
}

TEST(Flows, what_stands_before_a_record_is_told_by_weight) {
  Shared shared({2, 5});
  shared.arrive({1, 5, 1}, 100);
  shared.arrive({2, 1, 1}, 3);  // The last one's number is 102.
  shared.arrive({3, 1, 0}, 2);
  const auto standing = shared.bench.gate.standing(102, shared.bench.now);
  ASSERT_TRUE(standing && standing->flow);
  EXPECT_EQ(standing->before, 2u + 15u + 2u);
  EXPECT_EQ(standing->flow->of_other, 15u);
  EXPECT_EQ(standing->flow->other, 1u) << "the first of that flow that waits";
  EXPECT_EQ(standing->flow->weight, 1u);
  EXPECT_EQ(standing->flow->other_weight, 5u);
  EXPECT_FALSE(standing->flow->other_level);
}

// The first one of a lane goes, and lets the second go on, which came in under the old weight.
TEST(Flows, have_the_weight_of_the_record_that_came_in_last) {
  GateOptions options = Shared::options({1, 5});
  options.routes[0].order = Order::key;
  BenchGate bench(options);
  bench.assign(0);
  for (std::uint32_t number = 0; number < 4; ++number) {
    RecordArrived event{PartitionId{0}, RecordId{number, 0}, Offset{number},
                        LineId{0},      std::nullopt,        Bytes{100}};
    event.lane = LaneKey{number < 3 ? 1u : 2u};
    event.flow = {FlowKey{1}, static_cast<std::uint16_t>(number < 3 ? 2 : 7), 0, 1};
    bench.put(event);
  }
  ASSERT_EQ(bench.sent(), Slots{0});
  EXPECT_EQ(bench.gate.standing(3, bench.now)->flow->weight, 7u);
  bench.ended(0, Outcome::accepted);
  ASSERT_EQ(bench.sent(), (Slots{0, 3}));
  EXPECT_EQ(bench.gate.standing(1, bench.now)->flow->weight, 7u);
}

// Of two flows one has nearly all records that may be probes.
TEST(Flows, probes_are_nobodys_turn) {
  GateOptions options = Shared::options({1, 5});
  options.routes[0].retry_initial = options.routes[0].retry_max = Duration{1};
  const Duration wait = Duration::millis(1);
  options.targets[0].breaker = {.failures = 1, .wait = wait, .max_wait = wait};
  Shared shared(options);
  shared.arrive({2, 1}, 2);
  shared.arrive({1, 1}, 60);
  for (int i = 0; i < 50; ++i) {
    const Send probe = shared.bench.all<Send>().back();
    shared.bench.ended(probe.record.slot, Outcome::retry, probe.attempt.value);
    shared.bench.pass(Duration::seconds(1));
  }
  shared.arrive({2, 1}, 60);
  const Send probe = shared.bench.all<Send>().back();
  shared.bench.commands.clear();
  shared.bench.ended(probe.record.slot, Outcome::accepted, probe.attempt.value);
  EXPECT_NEAR(Shared::of(shared.go(40), 1), 20, 1);
}

TEST(Flows, what_is_given_back_with_its_partition_is_in_no_flow) {
  Shared shared({2, 5});
  shared.arrive({1, 5, 1}, 10);
  shared.arrive({2, 1, 0}, 10);
  shared.bench.put(PartitionRevoked{PartitionId{0}, shared.bench.now});
  EXPECT_EQ(shared.bench.gate.waiting(shared.bench.now)[0].by_level[1], 0u);
}

// A limiter that brings a unit each millisecond, and a target that takes whatever comes.
struct Costing {
  Costing() : bench(options()) { bench.assign(0); }

  static GateOptions options() {
    RouteOptions route;
    route.order = Order::none;
    route.share = {2, 5};
    route.limit_count = 1;
    route.keyless_limits = 1;
    route.cost_varies = true;
    route.horizon = Duration::millis(500);
    return BenchGate::options_for(route, 10'000);
  }

  void arrive(const Mark& mark, std::int64_t cost) {
    const auto number = static_cast<std::uint32_t>(marks.size());
    marks.push_back(mark);
    RecordArrived event{PartitionId{0}, RecordId{number, 0}, Offset{number}, LineId{0},
                        std::nullopt,   Bytes{100},          Permits{cost}};
    event.flow = {FlowKey{mark.flow}, mark.weight, mark.level,
                  static_cast<std::uint8_t>(mark.flow)};
    bench.put(event);
  }

  // Answers all asks, the last one excepted if that is not answered yet by then.
  void answer() {
    for (std::size_t i = 0; i < bench.commands.size(); ++i) {
      const auto* ask = std::get_if<Ask>(&bench.commands[i]);
      if (ask == nullptr || ask->ask <= answered) continue;
      answered = ask->ask;
      ++asks;
      bench.due.clear();
      std::optional<Duration> retry;
      for (std::size_t n = 0; n < static_cast<std::size_t>(ask->max.value) && !retry; ++n) {
        const Permits cost = ask->costs.empty() ? ask->cost : ask->costs[n];
        free_at = std::max(free_at, bench.now);
        if (free_at > bench.now + ask->horizon) {
          retry = free_at - ask->horizon - bench.now;
        } else {
          bench.due.push_back(free_at - bench.now);
          free_at = free_at + Duration::millis(cost.value);
        }
      }
      bench.put(PermitsAnswered{ask->line, ask->ask, bench.due, bench.now, retry, LimitIndex{0},
                                ask->horizon});
    }
  }

  // The units of each flow in so many milliseconds.
  std::map<std::uint64_t, std::int64_t> run(int milliseconds) {
    std::map<std::uint64_t, std::int64_t> units;
    answer();
    for (int i = 0; i < milliseconds; ++i) {
      bench.commands.clear();
      bench.pass(Duration::millis(1));
      answer();
      for (const Send& send : bench.all<Send>()) {
        units[marks[send.record.slot].flow] += send.permit.cost.value;
        ++sent;
      }
      released += bench.all<Release>().size();
    }
    return units;
  }

  BenchGate bench;
  std::vector<Mark> marks;
  AskId answered{};
  Instant free_at{};
  std::size_t asks = 0, sent = 0, released = 0;
};

TEST(Flows, what_differs_in_cost_is_divided_by_it_and_asked_for_together) {
  Costing costing;
  for (int i = 0; i < 2000; ++i) {
    costing.arrive({1, 1}, 1 + i % 7);
    costing.arrive({2, 5}, 1 + i % 3);
  }
  costing.run(100);
  auto units = costing.run(3000);
  EXPECT_NEAR(static_cast<double>(units[1]), 500, 20);
  EXPECT_NEAR(static_cast<double>(units[2]), 2500, 50);
  EXPECT_EQ(costing.released, 0u);
  EXPECT_LT(costing.asks * 5, costing.sent) << "several at a time";
}

// Who comes new waits for what was granted ahead with others in mind, and for nothing else.
TEST(Flows, a_new_one_waits_for_50_ms_of_permits_where_costs_differ) {
  Costing costing;
  for (int i = 0; i < 1000; ++i) costing.arrive({1, 1}, 1 + i % 4);
  costing.run(500);
  costing.arrive({2, 1}, 9);
  costing.arrive({3, 1, 1}, 8);
  auto units = costing.run(80);
  EXPECT_EQ(units[2], 9);
  EXPECT_EQ(units[3], 8) << "its level has earned a twentieth of 20 ms";
}

// Two of them are ready at any time, and the permits that they were not here for cost as much.
TEST(Flows, who_comes_one_by_one_has_its_part_where_costs_are_alike) {
  Costing costing;
  for (int i = 0; i < 1000; ++i) costing.arrive({1, 1}, 1);
  costing.run(100);
  std::int64_t arrived = 0, left = 0;
  for (int ms = 0; ms < 1000; ++ms) {
    for (; arrived < left + 2; ++arrived) costing.arrive({2, 9}, 1);
    left += costing.run(1)[2];
  }
  EXPECT_GT(left, 850) << "nine of ten";
  EXPECT_EQ(costing.released, 0u);
}

// A lower level has its part although the permits are asked for ahead.
TEST(Flows, a_level_keeps_its_part_where_costs_differ) {
  Costing costing;
  for (int i = 0; i < 2000; ++i) costing.arrive({1, 1, 0}, 1 + i % 4);
  for (int i = 0; i < 500; ++i) costing.arrive({2, 1, 1}, 2 + i % 5);
  costing.run(100);
  auto units = costing.run(2000);
  EXPECT_NEAR(static_cast<double>(units[2]), 100, 12);
}

}  // namespace
}  // namespace einlass::core
