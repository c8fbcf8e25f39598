// Lines that contend for limits without key.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/gate.h"
#include "core/shared_limit.h"
#include "unit/core/bench_gate.h"
#include "unit/core/rush.h"

namespace einlass::core {
namespace {

RouteOptions route_of(std::vector<std::uint16_t> limits) {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = static_cast<std::uint8_t>(limits.size());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    route.shared_limits |= 1u << i;
    route.limits[i] = LimitId{limits[i]};
  }
  return route;
}

GateOptions with(std::vector<RouteOptions> routes) {
  GateOptions options = BenchGate::options_for(routes[0]);
  options.routes = std::move(routes);
  return options;
}

std::int64_t sent_by(const Rush& rush, std::uint32_t first, std::uint32_t last) {
  return std::count_if(rush.sent.begin(), rush.sent.end(), [&](const Rush::Sent& sent) {
    return sent.line >= first && sent.line <= last;
  });
}

// Lines 0 to 2 want limit 0 alone; line 3 wants limit 1 too, which gives a permit in 500 ticks.
TEST(Contending, who_waits_for_one_limit_keeps_nobody_from_another) {
  Rush rush(with({route_of({0}), route_of({0, 1})}));
  for (const std::uint32_t line : {1u, 2u}) rush.add_line(line, 0);
  rush.add_line(3, 1);
  for (const std::uint32_t line : {0u, 1u, 2u}) rush.limit(line, {0});
  rush.limit(3, {0, 1});
  rush.gives_each(1, kTick * 500);
  for (const std::uint32_t line : {0u, 1u, 2u, 3u}) rush.arrive(line, 3000);
  rush.run(2000);
  EXPECT_GE(sent_by(rush, 0, 2), 1980);
  EXPECT_GE(sent_by(rush, 3, 3), 3);
}

// Somebody else may take what comes: whose turn it was asks again before the others.
TEST(Contending, who_asked_in_its_turn_and_was_given_nothing_is_the_first_again) {
  BenchGate bench(with({route_of({0})}));
  for (const std::uint32_t line : {1u, 2u}) bench.gate.add_line(LineId{line}, RouteId{0}, true);
  bench.assign(0);
  for (const std::uint32_t line : {0u, 1u, 2u}) bench.arrive(line, line, 0, line);
  const auto deny = [&](const Ask& ask) {
    bench.put(PermitsAnswered{
        ask.line, ask.ask, {}, bench.now, Duration::millis(10), LimitIndex{0}, ask.horizon});
  };
  // Nobody knew that the limit is short; from here on one asks at a time.
  for (const Ask& ask : bench.all<Ask>()) deny(ask);
  Slots asked;
  for (int turn = 0; turn < 4; ++turn) {
    bench.pass(Duration::millis(10));
    asked.push_back(bench.all<Ask>().back().line.value);
    deny(bench.all<Ask>().back());
  }
  EXPECT_EQ(asked, Slots(4, asked[0]));
  bench.pass(Duration::millis(10));
  bench.answer({0});
  EXPECT_EQ(bench.sent(), Slots{asked[0]});
}

// Each limit has two lines of its own and one that wants both.
TEST(Contending, who_wants_two_limits_gets_both) {
  Rush rush(with({route_of({0}), route_of({1}), route_of({0, 1})}));
  rush.add_line(1, 0);
  rush.add_line(2, 1);
  rush.add_line(3, 1);
  rush.add_line(4, 2);
  for (const std::uint32_t line : {0u, 1u}) rush.limit(line, {0});
  for (const std::uint32_t line : {2u, 3u}) rush.limit(line, {1});
  rush.limit(4, {0, 1});
  for (const std::uint32_t line : {0u, 1u, 2u, 3u, 4u}) rush.arrive(line, 1500);
  rush.run(1000);
  EXPECT_GE(sent_by(rush, 4, 4), 1000 / 6) << "about a third of each would be its turn";
  EXPECT_LE(sent_by(rush, 4, 4), 1000 / 2);
  EXPECT_GE(sent_by(rush, 0, 3) + 2 * sent_by(rush, 4, 4), 1975) << "nothing is left unused";
}

TEST(Contending, a_long_time_without_shortage_makes_nobodys_turn_long) {
  constexpr std::uint32_t kLines = 100;
  Rush rush(with({route_of({0})}));
  rush.limit(0, {0});
  rush.gives_each(0, Duration{});
  for (int i = 0; i < 5000; ++i) rush.arrive(0, 1);
  ASSERT_EQ(rush.sent.size(), 5000u);
  rush.gives_each(0, kTick);
  rush.sent.clear();
  for (std::uint32_t line = 1; line <= kLines; ++line) {
    rush.add_line(line, 0);
    rush.limit(line, {0});
  }
  for (std::uint32_t line = 1; line <= kLines; ++line) rush.arrive(line, 100);
  rush.run(2);
  rush.most_asked = Permits{0};
  rush.run(kLines + 10);
  EXPECT_EQ(rush.most_asked, Permits{4});
  for (std::uint32_t line = 1; line <= kLines; ++line) {
    EXPECT_GE(sent_by(rush, line, line), 1) << line;
  }
}

}  // namespace
}  // namespace einlass::core
