// Who stands behind others in the queue of those that want to ask, and goes on once these are gone.
#include <gtest/gtest.h>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

// Two routes to one target. What is asked for by the first must be used at once, and by the second
// within a time in which several places come free: where there is none now, line 0 of the first
// must wait for its turn before line 1 of the second must.
struct TwoRoutes {
  static GateOptions options(std::uint32_t max_in_flight) {
    GateOptions options = BenchGate::options_for(keyed(), max_in_flight);
    options.routes[0].dead_letter = true;
    options.routes[0].use_within = Duration{};
    options.routes.push_back(keyed());
    options.routes[1].use_within = Duration::millis(200);
    return options;
  }

  explicit TwoRoutes(std::uint32_t max_in_flight) : TwoRoutes(options(max_in_flight)) {}
  explicit TwoRoutes(const GateOptions& options) : bench(options) {
    for (std::uint32_t line = 1; line < 8; ++line) {
      bench.gate.add_line(LineId{line}, RouteId{1}, true);
    }
    bench.assign(0);
    bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  }

  // Each in a line of its own, with a permit: the first at the target, the others without a place.
  void fill(std::uint32_t count) {
    for (; filled < count; ++filled) {
      bench.arrive(10 + filled, filled, 1, 2 + filled);
      bench.answer({0});
    }
  }

  // Line 1's record comes, and waits for its turn; then the permits of the others go back.
  void come_last() {
    bench.arrive(1, filled, 1, 1);
    ASSERT_EQ(bench.gate.standing(1, bench.now)->waits, WaitsFor::turn);
    for (std::uint32_t line = 2; line < 2 + filled; ++line) {
      bench.put(LinePaused{LineId{line}, true});
    }
    ASSERT_EQ(bench.gate.standing(1, bench.now)->waits, WaitsFor::turn) << "line 0 stands before";
  }

  bool has_asked() const { return bench.all<Ask>().back().line == LineId{1}; }

  BenchGate bench;
  std::uint32_t filled = 0;
};

TEST(Turns, who_stood_behind_a_record_that_expires_asks_at_its_instant) {
  TwoRoutes world(1);
  world.fill(3);
  RecordArrived first{PartitionId{0}, RecordId{0, 0}, Offset{0},
                      LineId{0},      std::nullopt,   Bytes{100}};
  first.expires = world.bench.now + Duration::millis(10);
  world.bench.put(first);
  world.come_last();
  world.bench.pass(Duration::millis(9));
  EXPECT_FALSE(world.has_asked());
  world.bench.pass(Duration::millis(1));
  EXPECT_TRUE(world.has_asked());
}

// Line 0 has another record at the target, so it is not gone.
TEST(Turns, a_line_that_has_nothing_left_to_ask_for_stands_before_nobody) {
  TwoRoutes world(2);
  world.bench.assign(2);
  world.bench.arrive(2, 0, 2);
  world.bench.answer({0});
  world.fill(5);
  world.bench.arrive(0, 0);
  world.come_last();
  EXPECT_FALSE(world.has_asked());
  world.bench.put(PartitionRevoked{PartitionId{0}, world.bench.now + Duration::seconds(1)});
  EXPECT_TRUE(world.has_asked());
}

// Line 0 waits for its limit by then, which another line has found short.
TEST(Turns, whoever_waits_for_a_limit_now_stands_before_nobody_at_the_target) {
  GateOptions options = TwoRoutes::options(2);
  options.routes[0].keyless_limits = 1;
  TwoRoutes world(options);
  world.bench.gate.add_line(LineId{8}, RouteId{0}, true);
  world.bench.arrive(8, 0, 0, 8);
  const Ask first = world.bench.all<Ask>().back();
  world.fill(5);
  world.bench.arrive(0, 1);
  world.come_last();
  PermitsAnswered denied{first.line, first.ask, {}, world.bench.now, Duration::seconds(1)};
  world.bench.put(denied);
  EXPECT_FALSE(world.has_asked());
  world.bench.arrive(9, 2);
  EXPECT_TRUE(world.has_asked());
}

// Its limit has nothing more for ten seconds, but for what line 1 gives back: the place comes free
// when its permit has lapsed, and before its alarm has told so.
TEST(Turns, whose_permit_has_lapsed_when_its_place_comes_asks_at_once) {
  TwoRoutes world(2);
  world.bench.arrive(0, 0, 1, 1);
  world.bench.answer({}, Duration::millis(5));
  world.bench.arrive(1, 1, 1, 1);
  world.bench.pass(Duration::millis(5));
  world.bench.answer({10}, Duration::seconds(10));
  world.filled = 2;
  world.fill(4);
  world.bench.pass(Duration::millis(10));
  ASSERT_EQ(world.bench.gate.standing(0, world.bench.now)->waits, WaitsFor::room);
  world.bench.now = world.bench.now + Duration::millis(201);
  world.bench.ended(12, Outcome::accepted);
  EXPECT_TRUE(world.has_asked());
}

// Line 0 was granted two permits, and one of the records is gone. Nobody asks for its place until
// the permit has lapsed.
TEST(Turns, who_waited_for_what_is_in_others_hands_asks_when_it_lapses) {
  GateOptions options = BenchGate::options_for(keyed(), 2);
  options.routes[0].dead_letter = true;
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{0}, true);
  bench.assign(0);
  bench.arrive(0, 0);
  RecordArrived second{PartitionId{0}, RecordId{1, 0}, Offset{1},
                       LineId{0},      std::nullopt,   Bytes{100}};
  second.expires = bench.now + Duration::millis(15);
  bench.put(second);
  bench.answer({}, Duration::millis(10));
  bench.pass(Duration::millis(15));
  ASSERT_EQ(bench.all<Ask>().back().max, Permits{2});
  bench.answer({0, 0});
  bench.arrive(2, 2, 0, 1);
  bench.pass(Duration::millis(100));
  ASSERT_EQ(bench.all<Ask>().size(), 2u);
  bench.pass(Duration::millis(1));
  ASSERT_EQ(bench.all<Ask>().size(), 3u);
  EXPECT_EQ(bench.all<Ask>().back().line, LineId{1});
}

}  // namespace
}  // namespace einlass::core
