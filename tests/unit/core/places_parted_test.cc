// How many of a target's places each of its lines may take, said without a gate.
#include <gtest/gtest.h>

#include "core/lines/places.h"

namespace einlass::core::places_parted_test {
namespace {

constexpr TargetId kTarget{0};

// One target with 64 places. Its route has a limit with a key, so other lines may come.
GateOptions keyed() {
  RouteOptions route;
  route.target = kTarget;
  route.limit_count = 1;
  GateOptions options;
  options.routes = {route};
  options.targets.resize(1);
  return options;
}

struct PlacesParted : ::testing::Test {
  GateOptions options = keyed();
  Records records{1};
  Deadlines deadlines;
  Delivery delivery{options, records, deadlines};
  Places places{options, delivery};

  static Line holding(std::uint32_t in_flight) {
    Line line;
    line.in_flight = in_flight;
    return line;
  }
};

TEST_F(PlacesParted, a_part_is_what_each_line_can_have) {
  const Line busy = holding(31), second, third;
  places.come(busy);
  EXPECT_EQ(places.part_left(busy), 1);
  places.come(second);
  EXPECT_EQ(places.part_left(busy), 1);
  places.come(third);
  EXPECT_EQ(places.part_left(busy), 21 - 31);
  EXPECT_EQ(places.count(kTarget), (Places::Count{3, 31, 10}));
  places.go(second);
  places.go(third);
  EXPECT_EQ(places.part_left(busy), 1);
  EXPECT_EQ(places.count(kTarget), (Places::Count{1, 31, 0}));
}

TEST_F(PlacesParted, an_eighth_stays_free_of_what_is_beyond_the_parts) {
  const Line alone = holding(20), other;
  places.come(alone);
  EXPECT_EQ(places.left(alone, Instant{}), 56);
  places.come(other);
  EXPECT_EQ(places.left(other, Instant{}), 56);
}

TEST_F(PlacesParted, without_keys_who_is_alone_has_all) {
  options.routes[0].limit_count = 0;
  Places all(options, delivery);
  const Line alone = holding(60);
  all.come(alone);
  EXPECT_EQ(all.part_left(alone), 64);
  EXPECT_EQ(all.left(alone, Instant{}), 64);
}

TEST_F(PlacesParted, what_is_taken_and_given_back_is_counted) {
  Line line;
  places.come(line);
  places.take(line);
  line.in_flight = 1;
  EXPECT_EQ(places.count(kTarget).held, 1);
  places.give_back(line);
  EXPECT_EQ(places.count(kTarget).held, 0);
}

}  // namespace
}  // namespace einlass::core::places_parted_test
