// What the pages say of each limit.
#include <gtest/gtest.h>

#include "app/status/waits_json.h"

namespace einlass::app {
namespace {

const std::string kDay = "08:00-18:00 Mon-Fri Europe/Berlin";

config::Config config_with_a_schedule() {
  config::Config config;
  config.limits.resize(1);
  config.limits[0].limit.name = "callbacks";
  config.limits[0].limit.parameters =
      limits::SlidingLogParameters{Permits{10}, Duration::seconds(1)};
  return config;
}

TEST(LimitsJson, SaysWhatHoldsNowAndHowLong) {
  const config::Config config = config_with_a_schedule();
  LimitValues values(config);
  const auto shown = [&] { return limits_json({}, config, values).at(0); };
  EXPECT_EQ(shown()["per_second"], 10);
  EXPECT_EQ(shown()["schedule"], nullptr);
  config::LimitValue value{config.limits[0].limit.parameters};
  std::get<limits::SlidingLogParameters>(value.parameters).limit = Permits{200};
  values.schedule(0, kDay, Instant{7}, value);
  EXPECT_EQ(shown()["per_second"], 200);
  EXPECT_EQ(shown()["schedule"], (Json{{"span", kDay}, {"until", 7}}));
  values.schedule(0, "", Instant{8}, std::nullopt);
  EXPECT_EQ(shown()["per_second"], 10);
  EXPECT_EQ(shown()["schedule"], (Json{{"span", nullptr}, {"until", 8}}));
  values.schedule(0, kDay, kNever, value);
  EXPECT_EQ(shown()["schedule"], (Json{{"span", kDay}, {"until", nullptr}}));
  values.unschedule(0);
  EXPECT_EQ(shown()["schedule"], nullptr);
  EXPECT_EQ(shown()["per_second"], 10);
}

// What is used is counted in records.
TEST(LimitsJson, SaysWhatIsAllowedInRecords) {
  config::Config config = config_with_a_schedule();
  config::Limit& limit = config.limits[0];
  const auto shown = [&] { return limits_json({}, config, LimitValues(config)).at(0); };
  limit.limit.cost = Permits{5};
  EXPECT_EQ(shown()["per_second"], 2);
  EXPECT_EQ(shown()["at_once"], nullptr);
  limit.limit.parameters = limits::ConcurrencyParameters{Permits{10}, Duration::seconds(1)};
  EXPECT_EQ(shown()["per_second"], nullptr);
  EXPECT_EQ(shown()["at_once"], 2);
  limit.cost.kind = config::CostSource::Kind::header;
  EXPECT_EQ(shown()["per_second"], nullptr);
  EXPECT_EQ(shown()["at_once"], nullptr);
}

TEST(LinesJson, SayAKeyOnceWhereItsLimitKeepsABurst) {
  config::Config config = config_with_a_schedule();
  config.limits[0].key = {config::KeySource::Kind::header, "tenant"};
  config.limits.push_back(config.limits[0]);
  config.limits[1].limit.name = "callbacks/burst";
  config.limits[1].is_pace = true;
  config.routes.resize(1);
  config.routes[0].limits = {0, 1};
  ShardView view;
  view.waits.lines.resize(1);
  view.waits.lines[0].standing.limit = core::LimitIndex{1};
  view.waits.lines[0].keys = {"acme", "acme"};
  Views views;
  views.shards = {view};
  views.answered = {true};
  const Json line = lines_json(views, config).at(0);
  EXPECT_EQ(line["limit"], "callbacks/burst");
  EXPECT_EQ(line["keys"], (Json{{"callbacks", "acme"}}));
}

}  // namespace
}  // namespace einlass::app
