// What stands at the top of every page.
#include "app/status/troubles.h"

#include "unit/app/steering/steering_fixture.h"

namespace einlass::app {
namespace {

struct ShownTroubles : SteeringTest {
  std::vector<ShownTrouble> shown() const {
    return troubles_of(views, metrics::Snapshot{}, config, of_process, steering);
  }

  Views views;
  std::vector<Trouble> of_process;
};

TEST_F(ShownTroubles, has_one_line_for_several_keys_of_a_limit) {
  whole();
  tell("pause:limit/per_tenant/acme", R"({"paused": true, "by": "ann", "since": 7000})");
  ASSERT_EQ(shown().size(), 1u);
  EXPECT_EQ(shown()[0].trouble.name, "limit per_tenant, key acme");
  EXPECT_EQ(shown()[0].trouble.says, "is paused by ann");
  tell("pause:limit/per_tenant/globex", R"({"paused": true, "by": "ann", "since": 5000})");
  tell("pause:route/results", R"({"paused": true, "by": "ann", "since": 9000})");
  const auto all = shown();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].trouble.name, "limit per_tenant");
  EXPECT_EQ(all[0].trouble.says, "2 of its keys are paused");
  EXPECT_EQ(all[0].trouble.since, Instant{5'000'000});
  EXPECT_EQ(all[1].trouble.name, "route results");
}

TEST_F(ShownTroubles, counts_keys_beyond_those_that_can_be_named) {
  std::string text = kConfig;
  const std::string shadow = ", shadow: true";
  config = read(text.erase(text.find(shadow), shadow.size()));
  steering.reconfigure(config);
  whole();
  const std::size_t many = Steering::kMostNamed + 500;
  for (std::size_t i = 0; i < many; ++i) {
    tell("pause:limit/per_tenant/" + std::to_string(100'000 + i),
         i + 1 == many ? R"({"paused": true, "since": 3000})"
                       : R"({"paused": true, "since": 5000})");
  }
  tell("pause:limit/tried/acme", R"({"paused": true, "by": "ann", "since": 7000})");
  const auto all = shown();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].trouble.says, std::to_string(many) + " of its keys are paused");
  EXPECT_EQ(all[0].trouble.since, Instant{3'000'000});
  EXPECT_EQ(all[1].trouble.name, "limit tried, key acme");
}

TEST_F(ShownTroubles, has_what_ended_last_first_whichever_shard_it_was) {
  const auto over = [](const char* what, const char* name, std::int64_t from, std::int64_t to) {
    return Trouble{what, name, true, "down", {}, Instant{from}, Instant{to}};
  };
  ShardView first, second;
  first.troubles = {over("target", "erp", 10, 20)};
  second.troubles = {over("target", "crm", 30, 40)};
  views.shards = {first, second};
  views.answered = {true, true};
  of_process = {over("reload", "", 50, 60)};
  std::vector<std::string> names;
  for (const ShownTrouble& one : shown()) names.push_back(one.trouble.what + one.trouble.name);
  EXPECT_EQ(names, (std::vector<std::string>{"reload", "targetcrm", "targeterp"}));
}

TEST_F(ShownTroubles, says_of_what_several_shards_have_what_the_worst_says) {
  ShardView first, second;
  first.troubles = {Trouble{"target", "crm", false, "nobody tries it", {}, Instant{10}, {}}};
  second.troubles = {Trouble{"target", "crm", true, "circuit breaker open", {}, Instant{20}, {}}};
  views.answered = {true, true};
  for (const auto& [one, other] : {std::pair(first, second), std::pair(second, first)}) {
    views.shards = {one, other};
    const auto all = shown();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].trouble.bad);
    EXPECT_EQ(all[0].trouble.says, "circuit breaker open");
    EXPECT_EQ(all[0].trouble.since, Instant{10});
  }
}

TEST_F(ShownTroubles, counts_no_records_for_redis_where_none_are_counted_apart) {
  of_process = {{"redis", "", true, "limit l has granted nothing for 2 min", {}, {}, {}}};
  EXPECT_EQ(shown()[0].waiting, std::nullopt);
}

}  // namespace
}  // namespace einlass::app
