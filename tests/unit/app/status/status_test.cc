// Why a gate is not ready.
#include "app/status/status.h"

#include <gtest/gtest.h>

#include "app/status/status_json.h"

namespace einlass::app {
namespace {

struct Readiness : ::testing::Test {
  Readiness() {
    config.limits.resize(1);
    config.limits[0].store = config::Store::redis;
    config.routes.resize(1);
    config.routes[0].limits = {0};
    ShardView view;
    view.source.joined = true;
    view.redis.emplace().up = true;
    views.shards = {view};
    views.answered = {true};
  }
  ShardView& view() { return *views.shards[0]; }
  std::string why() const { return why_not_ready(views, config); }

  config::Config config;
  Views views;
};

TEST_F(Readiness, is_there_where_nothing_is_wrong) { EXPECT_EQ(why(), ""); }

TEST_F(Readiness, is_not_while_a_limit_is_closed_for_longer_than_it_ever_needs) {
  view().redis->closed = "limit l has granted nothing for 2 min";
  EXPECT_EQ(why(), "limit l has granted nothing for 2 min");
  EXPECT_EQ(stores_json(views, config)[0].at("closed"), "limit l has granted nothing for 2 min");
}

TEST_F(Readiness, is_not_while_the_limiter_is_away_and_says_which_shard_misses_it) {
  view().redis->up = false;
  view().redis->trouble = "connection refused";
  EXPECT_EQ(why(), "the limiter grants nothing: connection refused");
  views.shards.push_back(views.shards[0]);
  views.answered.push_back(true);
  views.shards[0]->redis->up = true;
  EXPECT_EQ(why(), "shard 1: the limiter grants nothing: connection refused");
  config.limits[0].on_outage = config::OnOutage::pass;
  EXPECT_EQ(why(), "") << "somebody stands in";
}

}  // namespace
}  // namespace einlass::app
