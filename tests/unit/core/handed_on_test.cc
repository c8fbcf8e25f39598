// Records that go by another route than that of their partition.
#include <gtest/gtest.h>

#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

constexpr RouteId kOwn{0}, kOther{1};

// Two routes, to a target each.
struct Bench : BenchGate {
  explicit Bench(RouteOptions own, RouteOptions other) : BenchGate(options_for_both(own, other)) {
    gate.add_line(LineId{1}, kOther, true);
    assign(0);
  }

  static GateOptions options_for_both(RouteOptions own, RouteOptions other) {
    other.target = TargetId{1};
    GateOptions options = options_for(own);
    options.routes.push_back(other);
    options.targets.push_back({64});
    return options;
  }

  void arrives(std::uint32_t record, RouteId route, std::optional<LaneKey> lane = std::nullopt) {
    RecordArrived event{PartitionId{0}, RecordId{record, 0}, Offset{record}, LineId{route.value},
                        lane,           Bytes{100}};
    event.route = route;
    put(event);
  }
};

TEST(HandedOn, it_has_the_other_routes_target_and_books) {
  Bench bench(route_by(Order::none), route_by(Order::none));
  bench.arrives(0, kOther);
  ASSERT_EQ(bench.all<Send>().size(), 1u);
  EXPECT_EQ(bench.all<Send>()[0].target, TargetId{1});
  bench.ended(0, Outcome::accepted);
  EXPECT_EQ(bench.gate.stats(kOwn).received, 0u);
  EXPECT_EQ(bench.gate.stats(kOther).received, 1u);
  EXPECT_EQ(bench.gate.stats(kOther).delivered, 1u);
  bench.pass(Duration::millis(200));
  EXPECT_EQ(bench.all<Commit>().back().entries[0].next, Offset{1});
}

TEST(HandedOn, what_the_other_route_leaves_out_is_in_its_books) {
  Bench bench(route_by(Order::none), route_by(Order::none));
  bench.put(RecordFiltered{PartitionId{0}, Offset{0}, kOther});
  EXPECT_EQ(bench.gate.stats(kOwn).filtered, 0u);
  EXPECT_EQ(bench.gate.stats(kOther).filtered, 1u);
}

TEST(HandedOn, what_was_finished_before_is_in_the_other_routes_books) {
  Bench bench(route_by(Order::none), route_by(Order::none));
  const std::vector<OffsetRange> finished = {{{1}, {2}}};
  bench.put(PartitionAssigned{PartitionId{1}, kOwn, Offset{0}, finished});
  bench.arrive(0, 0, 1);
  RecordArrived event{PartitionId{1}, RecordId{1, 0}, Offset{1}, LineId{1}, std::nullopt, Bytes{1}};
  event.route = kOther;
  bench.put(event);
  EXPECT_EQ(bench.gate.stats(kOwn).finished_before, 0u);
  EXPECT_EQ(bench.gate.stats(kOther).finished_before, 1u);
}

TEST(HandedOn, it_waits_for_nobody_of_its_partitions_route) {
  for (const Order order : {Order::partition, Order::key}) {
    Bench bench(route_by(order), route_by(order));
    bench.arrives(0, kOwn, LaneKey{7});
    bench.arrives(1, kOther, LaneKey{7});
    bench.arrives(2, kOwn, LaneKey{7});
    bench.arrives(3, kOther, LaneKey{7});
    EXPECT_EQ(bench.sent(), (Slots{0, 1}));
    bench.ended(1, Outcome::accepted);
    EXPECT_EQ(bench.sent(), (Slots{0, 1, 3})) << "in the order of its own";
  }
}

TEST(HandedOn, it_counts_for_the_bounds_of_its_partition) {
  RouteOptions own = route_by(Order::none);
  own.inside_records = 2;
  Bench bench(own, route_by(Order::none));
  bench.arrives(0, kOther);
  EXPECT_TRUE(bench.all<PartitionHold>().empty());
  bench.arrives(1, kOther);
  EXPECT_EQ(bench.all<PartitionHold>().size(), 1u);
}

// Where nothing finishes ahead in order of partition, now something may.
TEST(HandedOn, it_goes_back_with_its_partition) {
  Bench bench(route_by(Order::partition), route_by(Order::partition));
  bench.arrives(0, kOwn);
  bench.arrives(1, kOther);
  bench.arrives(2, kOther);
  bench.put(StopRequested{bench.now + Duration::millis(10)});
  EXPECT_EQ(bench.gate.stats(kOther).returned, 1u);
  bench.ended(1, Outcome::accepted);
  bench.pass(Duration::seconds(5));  // Nobody answers the last commit.
  EXPECT_EQ(bench.gate.stats(kOther).delivered, 1u);
  EXPECT_EQ(bench.all<Stopped>().size(), 1u);
}

}  // namespace
}  // namespace einlass::core
