// A line whose limits have changed: it asks at once, and what was said of the old numbers is over.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

struct LimitsChangedBench : BenchGate {
  explicit LimitsChangedBench(const RouteOptions& route = keyed()) : BenchGate(options_for(route)) {
    assign(0);
  }
  void changed() { put(LimitsChanged{LineId{0}}); }
  void arrive_at(std::uint32_t record, std::int64_t cost) {
    put(RecordArrived{PartitionId{0}, RecordId{record, 0}, Offset{record}, LineId{0}, std::nullopt,
                      Bytes{100}, Permits{cost}});
  }
};

TEST(LimitsChanged, who_waits_for_a_minute_asks_at_once) {
  LimitsChangedBench bench;
  bench.arrive(0, 0);
  bench.answer({}, Duration::seconds(60));
  EXPECT_EQ(bench.all<Ask>().size(), 1u);
  bench.changed();
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(LimitsChanged, what_was_said_of_a_limit_that_others_have_too_is_over) {
  LimitsChangedBench bench(route_by(Order::none, 1));
  bench.arrive(0, 0);
  bench.answer({}, Duration::seconds(60));
  bench.changed();
  EXPECT_EQ(bench.all<Ask>().size(), 1u) << "of those nothing has changed";
  bench.put(LimitsChanged{LineId{0}, true});
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(LimitsChanged, an_answer_that_was_on_its_way_is_of_the_old_numbers) {
  LimitsChangedBench bench;
  bench.arrive(0, 0);
  bench.changed();
  EXPECT_EQ(bench.all<Ask>().size(), 1u) << "one ask at a time";
  bench.answer({}, Duration::seconds(60));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({}, Duration::seconds(60));
  EXPECT_EQ(bench.all<Ask>().size(), 2u) << "that one is of the new ones";
}

TEST(LimitsChanged, so_it_is_of_one_that_others_have_too) {
  LimitsChangedBench bench(route_by(Order::none, 1));
  bench.arrive(0, 0);
  bench.put(LimitsChanged{LineId{0}, true});
  bench.changed();
  bench.answer({}, Duration::seconds(60));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.answer({}, Duration::seconds(60));
  EXPECT_EQ(bench.all<Ask>().size(), 2u) << "that one is of the new ones";
}

TEST(LimitsChanged, each_asks_who_waits_for_a_limit_that_others_have_too) {
  LimitsChangedBench bench(route_by(Order::none, 1));
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.arrive(0, 0);
  bench.answer({}, Duration::seconds(60));
  bench.arrive(1, 1, 0, 1);
  ASSERT_EQ(bench.all<Ask>().size(), 1u) << "it waits behind the first";
  bench.put(LimitsChanged{LineId{0}, true});
  bench.put(LimitsChanged{LineId{1}, true});
  EXPECT_EQ(bench.all<Ask>().size(), 3u);
}

TEST(LimitsChanged, so_it_is_where_the_line_that_was_told_is_gone) {
  LimitsChangedBench bench(route_by(Order::none, 1));
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.assign(1);
  bench.arrive(0, 0, 1, 1);
  bench.answer({}, Duration::seconds(60));
  bench.put(PartitionRevoked{PartitionId{1}, bench.now + Duration::seconds(1)});
  ASSERT_EQ(bench.all<ForgetLine>().size(), 1u);
  bench.put(LimitsChanged{LineId{1}, true});
  bench.arrive(1, 1);
  EXPECT_EQ(bench.all<Ask>().size(), 2u);
}

TEST(LimitsChanged, an_ask_that_failed_is_made_again_and_no_sooner) {
  LimitsChangedBench bench;
  bench.arrive(0, 0);
  bench.changed();
  bench.put(PermitsFailed{LineId{0}, bench.all<Ask>().at(0).ask});
  bench.changed();
  EXPECT_EQ(bench.all<Ask>().size(), 1u);
  bench.pass(Duration::millis(50));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  EXPECT_TRUE(bench.all<Ask>()[1].again);
}

TEST(LimitsChanged, what_the_old_numbers_could_never_pay_is_no_dead_letter_yet) {
  RouteOptions route = keyed();
  route.dead_letter = true;
  LimitsChangedBench bench(route);
  bench.arrive(0, 0);
  bench.changed();
  bench.answer({});  // Never, under the old ones.
  EXPECT_TRUE(bench.all<DeadLetter>().empty());
  bench.answer({});
  EXPECT_EQ(bench.all<DeadLetter>().size(), 1u);
}

TEST(LimitsChanged, who_was_set_aside_comes_back) {
  RouteOptions route = keyed();
  route.cost_varies = true;
  LimitsChangedBench bench(route);
  bench.arrive_at(0, 500);
  bench.arrive_at(1, 1);
  bench.answer({});  // Never.
  bench.answer({0});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).never, 1u);
  bench.changed();
  bench.pass({});
  EXPECT_EQ(bench.gate.stats(RouteId{0}).never, 0u);
  EXPECT_EQ(bench.all<Ask>().back().cost, Permits{500});
  bench.answer({0});
  EXPECT_EQ(bench.sent(), (Slots{1, 0}));
}

TEST(LimitsChanged, permits_in_hand_stay) {
  LimitsChangedBench bench;
  bench.arrive(0, 0);
  bench.answer({300});
  bench.changed();
  EXPECT_TRUE(bench.all<Release>().empty());
  bench.pass(Duration::millis(300));
  EXPECT_EQ(bench.sent(), Slots{0});
}

TEST(LimitsChanged, a_line_that_is_gone_is_nobodys) {
  LimitsChangedBench bench;
  bench.gate.add_line(LineId{1}, RouteId{0}, false);
  bench.arrive(0, 0, 0, 1);
  bench.answer({0});
  bench.ended(0, Outcome::accepted);
  ASSERT_EQ(bench.all<ForgetLine>().size(), 1u);
  bench.put(LimitsChanged{LineId{1}});
  bench.put(LimitsChanged{LineId{7}});
  EXPECT_EQ(bench.all<Ask>().size(), 1u);
}

}  // namespace
}  // namespace einlass::core
