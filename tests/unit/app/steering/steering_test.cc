// What the fleet's table says, and what comes of it in one gate.
#include "app/record/extract.h"
#include "unit/app/steering/steering_fixture.h"

namespace einlass::app {
namespace {

TEST_F(SteeringTest, IsReadyOnceTheTableWasReadAsAWhole) {
  EXPECT_FALSE(steering.status().whole);
  EXPECT_NE(steering.status().away, "");
  whole();
  whole();
  EXPECT_EQ(ready, 1);
  EXPECT_EQ(steering.status().away, "");
}

TEST_F(SteeringTest, AQuotaHoldsUntilItIsTakenOut) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  EXPECT_EQ(limit_of("acme"), 500);
  EXPECT_EQ(limit_of("other"), 100);
  EXPECT_EQ(steering.status().quotas, 1u);
  take_out("per_tenant/acme");
  EXPECT_EQ(limit_of("acme"), 100);
  EXPECT_EQ(steering.status().quotas, 0u);
}

TEST_F(SteeringTest, AWrongEntryIsRefusedOnceAndTheLastGoodOneStays) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  for (int i = 0; i < 2; ++i) tell("per_tenant/acme", R"({"limit": 0})");
  EXPECT_EQ(limit_of("acme"), 500);
  EXPECT_EQ(count("quota_refused"), 1u);
  ASSERT_EQ(steering.refused(9).size(), 1u);
  EXPECT_EQ(steering.refused(9)[0].first, "per_tenant/acme");
  EXPECT_NE(steering.refused(9)[0].second.find("limit"), std::string::npos);
  tell("per_tenant/acme", R"({"limit": 7})");
  EXPECT_EQ(limit_of("acme"), 7);
  EXPECT_TRUE(steering.refused(9).empty());
}

TEST_F(SteeringTest, RefusesWhatTheFileWouldRefuse) {
  whole();
  const std::pair<const char*, const char*> wrong[] = {
      {"none/acme", R"({"limit": 5})"},
      {"all/acme", R"({"rate": "5/s"})"},
      {"per_tenant/a", R"({"rate": "5/s"})"},
      {"per_tenant/b", R"({"limit": "many"})"},
      {"per_tenant/c", R"({"window": "5"})"},
      {"pause:route/none", R"({"paused": true})"},
      {"pause:target/none", R"({"paused": true})"},
      {"nonsense", "{}"},
      {"pause:limit/all/x", R"({"paused": true})"},
      {"per_tenant/free-*", R"({"limit": 5})"},
      {"pause:limit/per_tenant/free-*", R"({"paused": true})"},
  };
  for (const auto& [key, text] : wrong) tell(key, text);
  EXPECT_EQ(steering.status().refused, std::size(wrong));
  EXPECT_EQ(values.size(), 0u);
  EXPECT_TRUE(pauses.empty());
}

TEST_F(SteeringTest, RefusesAPauseThatWouldStopNothing) {
  whole();
  const std::pair<Subject, const char*> wrong[] = {
      {{Kind::topic, "none", ""}, "no route reads topic none"},
      {{Kind::topic, "eu.d", ""}, "no route reads topic eu.d"},
      {{Kind::tenant, "tried", "acme"}, "no route obeys limit tried"},
      {{Kind::target, "idle", ""}, "no route delivers to target idle"},
  };
  for (const auto& [subject, why] : wrong) {
    const Steering::Outcome said = set(subject, R"({"paused": true})");
    EXPECT_EQ(said.status, 400u) << why;
    EXPECT_TRUE(said.text.starts_with(why)) << said.text;
    tell(table_key(subject), R"({"paused": true})");
  }
  EXPECT_EQ(table->written_last, "");
  EXPECT_EQ(steering.status().refused, std::size(wrong));
  EXPECT_TRUE(pauses.empty());
  EXPECT_EQ(set({Kind::topic, "eu.fr", ""}, R"({"paused": true})").status, 200u) << "by a pattern";
  EXPECT_EQ(set({Kind::quota, "tried", "acme"}, R"({"limit": 5})").status, 200u);
}

TEST_F(SteeringTest, RefusesWhatIsTooLongWithoutKeepingIt) {
  whole();
  const std::string huge(1 << 20, 'x');
  steering.entry("per_tenant/" + huge, R"({"limit": 5})");
  tell("per_tenant/acme", (R"({"limit": 5, "note": ")" + huge + R"("})").c_str());
  EXPECT_EQ(values.size(), 0u);
  ASSERT_EQ(steering.status().refused, 2u);
  for (const auto& [key, why] : steering.refused(9)) EXPECT_LT(key.size() + why.size(), 300u);
  take_out("per_tenant/" + huge);
  ASSERT_EQ(steering.status().refused, 1u);
  EXPECT_EQ(steering.refused(9)[0].first, "per_tenant/acme");
}

// A topic has what stood there before, too, as an entry of a limit that is gone by now.
TEST_F(SteeringTest, WhatWasMendedBeforeAllWasReadIsNoNews) {
  steering.reading();
  tell("gone/acme", R"({"limit": 5})");
  take_out("gone/acme");
  tell("per_tenant/acme", R"({"limit": 0})");
  tell("per_tenant/acme", R"({"limit": 500})");
  tell("per_tenant/b", R"({"limit": 0})");
  EXPECT_EQ(count("quota_refused"), 0u);
  steering.whole();
  EXPECT_EQ(count("quota_refused"), 1u) << "of b alone";
  EXPECT_EQ(limit_of("acme"), 500);
  whole();
  EXPECT_EQ(count("quota_refused"), 1u);
}

TEST_F(SteeringTest, ARefusalSaysWhatHoldsInstead) {
  whole();
  tell("per_tenant/new", R"({"limit": 0})");
  EXPECT_EQ(notices.back().what, "quota_refused");
  EXPECT_TRUE(notices.back().detail.ends_with("the limit's own values hold, nothing is paused"));
  tell("per_tenant/acme", R"({"limit": 500})");
  tell("per_tenant/acme", R"({"limit": 0})");
  EXPECT_TRUE(notices.back().detail.ends_with("what it was before stays in force"));
}

TEST_F(SteeringTest, AQuotaThatAReloadRefusesIsToldToHoldNoMore) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  tell("per_tenant/acme", R"({"limit": 0})");
  std::string text = kConfig;
  const std::string was = "sliding_log, limit: 100, window: 1s";
  text.replace(text.find(was), was.size(), "token_bucket, rate: 100/s, burst: 10");
  const config::Config other = read(text), same = read(kConfig);
  values.reconfigure(other);
  steering.reconfigure(other);
  EXPECT_EQ(count("quota_refused"), 2u);
  EXPECT_TRUE(notices.back().detail.ends_with("the limit's own values hold, nothing is paused"));
  values.reconfigure(same);
  steering.reconfigure(same);
  EXPECT_EQ(limit_of("acme"), 100) << "the table says something else since, which is wrong";
}

TEST_F(SteeringTest, AReloadLooksAtManyQuotasSomeAtATime) {
  whole();
  const auto key = [](int i) { return "k" + std::to_string(1'000 + i); };
  constexpr int kMany = 1'200;
  for (int i = 0; i < kMany; ++i) tell("per_tenant/" + key(i), R"({"window": "2s"})");
  std::string text = kConfig;
  const std::string was = "limit: 100, window: 1s";
  text.replace(text.find(was), was.size(), "limit: 50, window: 1s");
  const config::Config other = read(text);
  values.reconfigure(other);
  steering.reconfigure(other);
  EXPECT_EQ(limit_of(key(0)), 50);
  EXPECT_EQ(limit_of(key(kMany - 1)), 100) << "it holds as it did until it was looked at";
  EXPECT_TRUE(run_until([&] { return limit_of(key(kMany - 1)) == 50; }));
}

TEST_F(SteeringTest, WhatIsNotInTheTableAnyMoreWhenItWasReadAgainHoldsNoMore) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  tell("per_tenant/b", R"({"limit": 0})");
  steering.reading();
  EXPECT_EQ(limit_of("acme"), 500) << "until all was read";
  steering.whole();
  EXPECT_EQ(limit_of("acme"), 100);
  EXPECT_EQ(steering.status().refused, 0u);
}

TEST_F(SteeringTest, WhatIsTakenOutJustBeforeItIsReadAgainIsTakenOut) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  table->tells = false;
  std::optional<unsigned> said;
  steering.unset({Kind::quota, "per_tenant", "acme"}, "ann",
                 [&](const auto& it) { said = it.status; });
  EXPECT_FALSE(said.has_value());
  whole();
  EXPECT_EQ(said, 200u);
}

TEST_F(SteeringTest, ATableThatIsAwayChangesNothing) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  steering.away("no broker");
  steering.away("no broker");
  EXPECT_EQ(limit_of("acme"), 500);
  EXPECT_EQ(steering.status().away, "no broker");
  EXPECT_EQ(count("quotas_away"), 1u);
  steering.away("no topic");
  EXPECT_EQ(steering.status().away, "no topic");
  EXPECT_EQ(notices.back().severity, Severity::warning) << "it may be the reason that stays";
  steering.away("no broker");
  EXPECT_EQ(notices.back().severity, Severity::debug) << "it was told";
  steering.away("");
  EXPECT_EQ(count("quotas_ok"), 1u);
  steering.away("no broker");
  EXPECT_EQ(notices.back().severity, Severity::warning) << "it was well meanwhile";
}

TEST_F(SteeringTest, PausesAreToldTogetherAndEnd) {
  tell("pause:route/results", R"({"paused": true})");
  tell("pause:limit/per_tenant/acme", R"({"paused": true})");
  io.run_for(std::chrono::milliseconds(150));
  EXPECT_TRUE(pauses.empty()) << "not before all is known";
  steering.whole();
  ASSERT_EQ(pauses.size(), 1u);
  EXPECT_TRUE(pauses[0].routes[0]);
  EXPECT_TRUE(pauses[0].keys[0].contains("acme"));
  tell("pause:target/a", R"({"paused": true})");
  tell("pause:topic/t", R"({"paused": true})");
  ASSERT_TRUE(run_until([&] { return pauses.size() == 2; }));
  EXPECT_TRUE(pauses.back().targets[0]);
  EXPECT_TRUE(pauses.back().topics.contains("t"));
  take_out("pause:target/a");
  take_out("pause:route/results");
  ASSERT_TRUE(run_until([&] { return pauses.size() == 3; }));
  EXPECT_FALSE(pauses.back().targets[0]);
  EXPECT_FALSE(pauses.back().routes[0]);
  EXPECT_EQ(steering.pauses().size(), 2u);
}

// A bucket goes by the hash of such a key.
TEST_F(SteeringTest, APauseOfALongKeyHoldsWhoHasIt) {
  const std::string key(kLongestKey + 1, 'k');
  std::string scratch;
  const std::string of_bucket(bounded_key(key, scratch));
  whole();
  tell("pause:limit/per_tenant/" + key, R"({"paused": true})");
  ASSERT_TRUE(run_until([&] { return !pauses.empty() && pauses.back().keys[0].size() == 1; }));
  EXPECT_TRUE(pauses.back().keys[0].contains(of_bucket));
  EXPECT_TRUE(steering.find_pause({Kind::tenant, "per_tenant", of_bucket})) << "a record asks so";
  EXPECT_FALSE(steering.find_pause({Kind::tenant, "per_tenant", "sha256-another"}));
  take_out("pause:limit/per_tenant/" + key);
  EXPECT_TRUE(run_until([&] { return pauses.back().keys[0].empty(); }));
}

TEST_F(SteeringTest, APauseIsInForceBeforeWhoeverAskedForItIsAnswered) {
  whole();
  bool was_told = false;
  auto read = read_steer(results, R"({"paused": true})");
  steering.set(results, std::get<Steer>(read), "ann",
               [&](const auto&) { was_told = pauses.size() == 1 && pauses[0].routes[0]; });
  EXPECT_TRUE(was_told);
}

TEST_F(SteeringTest, ATableThatHasLostWhatHeldIsSaid) {
  whole();
  tell("per_tenant/acme", R"({"limit": 500})");
  tell("pause:route/results", R"({"paused": true})");
  steering.reading();
  tell("per_tenant/acme", R"({"limit": 500})");
  steering.whole();
  ASSERT_EQ(count("quotas_gone"), 1u);
  EXPECT_EQ(notices.back().severity, Severity::info);
  whole();
  ASSERT_EQ(count("quotas_gone"), 2u);
  EXPECT_EQ(notices.back().severity, Severity::warning);
  EXPECT_TRUE(notices.back().detail.ends_with("it is empty")) << notices.back().detail;
  whole();
  EXPECT_EQ(count("quotas_gone"), 2u);
}

TEST_F(SteeringTest, WhatHasAnEndEndsByItself) {
  whole();
  const std::int64_t soon = Clock::wall().us / 1000 + 50;
  tell("per_tenant/acme", (R"({"limit": 500, "until": )" + std::to_string(soon) + "}").c_str());
  tell("per_tenant/past", R"({"limit": 500, "until": 5})");
  EXPECT_EQ(limit_of("acme"), 500);
  EXPECT_EQ(limit_of("past"), 100);
  EXPECT_TRUE(run_until([&] { return limit_of("acme") == 100; }));
  EXPECT_EQ(count("steering_over"), 1u);
}

// The table has it still, and who wants it out of there must not be told that it is not there.
TEST_F(SteeringTest, WhatHasEndedCanBeTakenOutOfTheTable) {
  whole();
  const std::string text = R"({"limit": 500, "until": )";
  tell("per_tenant/past", R"({"limit": 500, "until": 5})");
  tell("per_tenant/acme", (text + std::to_string(Clock::wall().us / 1000 + 50) + "}").c_str());
  ASSERT_TRUE(run_until([&] { return limit_of("acme") == 100; }));
  EXPECT_EQ(unset(acme).status, 200u);
  EXPECT_EQ(table->written_last, "per_tenant/acme -");
  EXPECT_EQ(unset(acme).status, 404u) << "the table told that it is out";
  const Subject past{Kind::quota, "per_tenant", "past"};
  steering.reading();
  tell("per_tenant/past", R"({"limit": 500, "until": 5})");
  steering.whole();
  EXPECT_EQ(unset(past).status, 200u);
  tell("per_tenant/past", R"({"limit": 500, "until": 5})");
  whole();
  EXPECT_EQ(unset(past).status, 404u) << "somebody else took it out";
}

}  // namespace
}  // namespace einlass::app
