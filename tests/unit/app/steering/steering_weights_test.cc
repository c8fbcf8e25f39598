// Weights of flows: entries of the same table as quotas.
#include "unit/app/steering/steering_fixture.h"

namespace einlass::app {
namespace {

const Subject kFlow{Kind::weight, "tenants", "acme"};

TEST_F(SteeringTest, AWeightHoldsUntilItIsTakenOut) {
  whole();
  tell("share:tenants/acme", R"({"weight": 5})");
  EXPECT_EQ(weights.find("tenants", "acme"), 5);
  EXPECT_EQ(steering.weight("tenants", "acme"), 5);
  EXPECT_EQ(values.size(), 0u);
  EXPECT_EQ(steering.status().quotas, 1u) << "it counts as quotas do";
  EXPECT_EQ(steering.status().pauses, 0u);
  tell("share:tenants/acme", R"({"weight": "6"})");
  EXPECT_EQ(weights.find("tenants", "acme"), 6);
  EXPECT_EQ(steering.status().quotas, 1u);
  take_out("share:tenants/acme");
  EXPECT_EQ(weights.find("tenants", "acme"), std::nullopt);
  EXPECT_EQ(steering.status().quotas, 0u);
}

TEST_F(SteeringTest, WhoSetsAWeightIsAnsweredAndTheLogSaysIt) {
  whole();
  EXPECT_EQ(set(kFlow, R"({"weight": 5})").status, 200u);
  EXPECT_EQ(table->written_last, R"(share:tenants/acme {"weight":5})");
  EXPECT_EQ(notices.back().what, "steered");
  EXPECT_EQ(notices.back().detail, R"(by ann: share tenants, flow acme: nothing -> {"weight":5})");
  EXPECT_EQ(unset(kFlow).status, 200u);
  const Steering::Outcome again = unset(kFlow);
  EXPECT_EQ(again.status, 404u);
  EXPECT_EQ(again.text, "share tenants, flow acme has no weight set; the file's holds");
}

TEST_F(SteeringTest, RefusesAWeightAsTheFileWould) {
  whole();
  const std::tuple<Subject, const char*, const char*> wrong[] = {
      {{Kind::weight, "none", "acme"}, R"({"weight": 5})",
       "there is no share none; there is tenants or alone"},
      {{Kind::weight, "alone", "acme"},
       R"({"weight": 5})",
       "share alone has no `by`, so all records are one flow"},
      {{Kind::weight, "tenants", "default"},
       R"({"weight": 5})",
       "default is no flow's name: default and patterns stand in the file; name one flow"},
      {{Kind::weight, "tenants", "free-*"},
       R"({"weight": 5})",
       "free-* is no flow's name: default and patterns stand in the file; name one flow"},
      {{Kind::weight, "tenants", "a"},
       R"({"weight": 0})",
       "shares.tenants.weight: '0' is too small; the smallest value that works is 1"},
      {{Kind::weight, "tenants", "b"},
       R"({"weight": "1001"})",
       "shares.tenants.weight: '1001' is too large; the largest value that works is 1000"},
      {{Kind::weight, "tenants", "c"},
       R"({"weight": 2.5})",
       "shares.tenants.weight: '2.5' is not a whole number; write digits only, as 100"},
  };
  for (const auto& [subject, text, why] : wrong) {
    const Steering::Outcome said = set(subject, text);
    EXPECT_EQ(said.status, 400u) << why;
    EXPECT_EQ(said.text, why);
    tell(table_key(subject), text);
    EXPECT_EQ(notices.back().what, "quota_refused");
    EXPECT_TRUE(notices.back().detail.ends_with("it does nothing: the file's weight holds"));
    EXPECT_EQ(notices.back().example, table_key(subject) + ": " + why);
    EXPECT_EQ(weights.find(subject.name, subject.key), std::nullopt);
  }
  EXPECT_EQ(table->written_last, "");
  EXPECT_EQ(steering.status().refused, std::size(wrong));
  tell("share:tenants/acme", R"({"weight": 5})");
  tell("share:tenants/acme", R"({"weight": 0})");
  EXPECT_EQ(weights.find("tenants", "acme"), 5) << "the last good one stays";
}

TEST_F(SteeringTest, AWeightWithAnEndEndsByItself) {
  whole();
  const std::int64_t soon = Clock::wall().us / 1000 + 50;
  tell("share:tenants/acme", (R"({"weight": 5, "until": )" + std::to_string(soon) + "}").c_str());
  EXPECT_EQ(weights.find("tenants", "acme"), 5);
  EXPECT_TRUE(run_until([&] { return !weights.find("tenants", "acme"); }));
  EXPECT_EQ(count("steering_over"), 1u);
  EXPECT_EQ(unset(kFlow).status, 200u) << "the table has it still";
}

TEST_F(SteeringTest, AReloadKeepsWeightsAndRefusesThoseOfAShareThatIsGone) {
  whole();
  tell("share:tenants/acme", R"({"weight": 5})");
  std::string text = kConfig;
  text.replace(text.find("acme: 4"), 7, "acme: 9");
  const config::Config other = read(text);
  steering.reconfigure(other);
  EXPECT_EQ(weights.find("tenants", "acme"), 5);
  text.replace(text.find("  tenants:"), 10, "  renamed:");
  const config::Config gone = read(text), same = read(kConfig);
  steering.reconfigure(gone);
  EXPECT_EQ(weights.find("tenants", "acme"), std::nullopt);
  ASSERT_EQ(steering.refused(9).size(), 1u);
  EXPECT_EQ(steering.refused(9)[0].second,
            "there is no share tenants; there is renamed or alone");
  steering.reconfigure(same);
  EXPECT_EQ(weights.find("tenants", "acme"), 5);
  EXPECT_EQ(steering.status().refused, 0u);
}

TEST_F(SteeringTest, WeightsThatTheTableHasNoMoreHoldNoMore) {
  whole();
  tell("share:tenants/acme", R"({"weight": 5})");
  whole();
  EXPECT_EQ(weights.find("tenants", "acme"), std::nullopt);
}

}  // namespace
}  // namespace einlass::app
