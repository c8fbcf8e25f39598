// What people ask for, and when they are answered.
#include "unit/app/steering/steering_fixture.h"

namespace einlass::app {
namespace {

TEST_F(SteeringTest, WhoWritesIsAnsweredWhenItHoldsHere) {
  whole();
  EXPECT_EQ(set(acme, R"({"limit": 500})").status, 200u);
  EXPECT_EQ(table->written_last, R"(per_tenant/acme {"limit":500})");
  EXPECT_EQ(limit_of("acme"), 500);
  EXPECT_EQ(count("steered"), 1u);
  EXPECT_EQ(notices.back().detail,
            R"(by ann: limit per_tenant, key acme: nothing -> {"limit":500})");
  ASSERT_TRUE(steering.find(acme));
  set(acme, R"({"limit": 50})");
  EXPECT_EQ(notices.back().detail,
            R"(by ann: limit per_tenant, key acme: {"limit":500} -> {"limit":50})");
  EXPECT_EQ(unset(acme).status, 200u);
  EXPECT_EQ(notices.back().detail, R"(by ann: limit per_tenant, key acme: {"limit":50} -> nothing)");
  EXPECT_EQ(unset(acme).status, 404u);
}

TEST_F(SteeringTest, WhatIsWrongIsNotWritten) {
  whole();
  const auto outcome = set(acme, R"({"limit": 0})");
  EXPECT_EQ(outcome.status, 400u);
  EXPECT_NE(outcome.text.find("limit"), std::string::npos);
  EXPECT_EQ(table->written_last, "");
}

TEST_F(SteeringTest, WhatTheTableDoesNotTakeOrTellIsSaid) {
  whole();
  table->refuses = "no broker";
  EXPECT_EQ(set(acme, R"({"limit": 5})").status, 503u);
  table->refuses.clear();
  table->tells = false;
  EXPECT_EQ(set(acme, R"({"limit": 5})").status, 202u);
}

TEST_F(SteeringTest, AReloadLooksAtEachEntryAgain) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  std::string text = kConfig;
  text.replace(text.find("window: 1s"), 10, "window: 2s");
  const config::Config next = read(text);
  values.reconfigure(next);
  steering.reconfigure(next);
  const auto found = values.find(0, "acme");
  ASSERT_TRUE(found);
  EXPECT_EQ(std::get<limits::SlidingLogParameters>(found->parameters).window, Duration::seconds(2));
}

TEST_F(SteeringTest, WhatIsOverAlreadyIsNotWritten) {
  whole();
  EXPECT_EQ(set(acme, R"({"limit": 500, "until": 5})").status, 400u);
  EXPECT_EQ(table->written_last, "");
}

TEST_F(SteeringTest, ARefusalIsOverOnceTheTableSaysAgainWhatHolds) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  tell("per_tenant/acme", R"({"limit": "many"})");
  EXPECT_EQ(steering.status().refused, 1u);
  tell("per_tenant/acme", R"({"limit": 500})");
  EXPECT_EQ(steering.status().refused, 0u);
  EXPECT_EQ(limit_of("acme"), 500);
}

// Nobody writes the table anew for it.
TEST_F(SteeringTest, WhatOneConfigurationRefusesAnotherMayTakeAgain) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  std::string text = kConfig;
  for (std::size_t at = 0; (at = text.find("per_tenant", at)) != text.npos; at += 5) {
    text.replace(at, 10, "other");
  }
  const config::Config other = read(text), same = read(kConfig);
  steering.reconfigure(other);
  EXPECT_EQ(steering.status().refused, 1u);
  EXPECT_EQ(steering.status().quotas, 0u);
  steering.reconfigure(same);
  EXPECT_EQ(steering.status().refused, 0u);
  EXPECT_EQ(limit_of("acme"), 500);
}

TEST_F(SteeringTest, APageOfQuotasGoesOnBehindTheLast) {
  whole();
  for (const char* key : {"per_tenant/a", "per_tenant/b", "per_tenant/c"}) {
    tell(key, R"({"limit": 5})");
  }
  tell("pause:route/results", R"({"paused": true})");
  const auto page = steering.quotas("per_tenant", "", 2);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[1].key, "per_tenant/b");
  const auto rest = steering.quotas("per_tenant", "per_tenant/b", 2);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].key, "per_tenant/c");
}

// However many keys are paused, nobody overlooks what stops more.
TEST_F(SteeringTest, OfManyPausesThoseOfRoutesAreNamedFirst) {
  whole();
  for (int i = 0; i < 1'200; ++i) {
    tell("pause:limit/per_tenant/" + std::to_string(i), R"({"paused": true})");
  }
  for (const char* key : {"pause:topic/t", "pause:target/a", "pause:route/results"}) {
    tell(key, R"({"paused": true})");
  }
  const auto named = steering.pauses();
  ASSERT_EQ(named.size(), Steering::kMostNamed);
  EXPECT_EQ(named[0].key, "pause:route/results");
  EXPECT_EQ(named[1].key, "pause:target/a");
  EXPECT_EQ(named[2].key, "pause:topic/t");
  EXPECT_EQ(steering.status().pauses, 1'203u);
}

// They stand between the quotas, and must take up nothing of a page.
TEST_F(SteeringTest, PausesAreOnNoPageOfQuotas) {
  whole();
  tell("per_tenant/a", R"({"limit": 5})");
  for (const char* key : {"pause:route/results", "pause:limit/per_tenant/a"}) {
    tell(key, R"({"paused": true})");
  }
  EXPECT_EQ(steering.pauses().size(), 2u);
  for (const char* after : {"", "a", "pause:limit/per_tenant/a"}) {
    const auto page = steering.quotas("", after, 1);
    ASSERT_EQ(page.size(), 1u) << after;
    EXPECT_EQ(page[0].key, "per_tenant/a");
  }
  EXPECT_TRUE(steering.quotas("", "per_tenant/a", 1).empty());
}

}  // namespace
}  // namespace einlass::app
