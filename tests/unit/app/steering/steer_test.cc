#include "app/steering/steer.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

TEST(Subject, IsNamedByTheTablesKeyAndBack) {
  const std::pair<const char*, Subject> all[] = {
      {"per_tenant/acme", {Subject::Kind::quota, "per_tenant", "acme"}},
      {"per_tenant/a/b", {Subject::Kind::quota, "per_tenant", "a/b"}},
      {"per_tenant/", {Subject::Kind::quota, "per_tenant", ""}},
      {"share:tenants/acme", {Subject::Kind::weight, "tenants", "acme"}},
      {"share:tenants/a/b", {Subject::Kind::weight, "tenants", "a/b"}},
      {"share:tenants/", {Subject::Kind::weight, "tenants", ""}},
      {"share/acme", {Subject::Kind::quota, "share", "acme"}},
      {"pause:route/results", {Subject::Kind::route, "results", ""}},
      {"pause:target/a", {Subject::Kind::target, "a", ""}},
      {"pause:topic/a.b", {Subject::Kind::topic, "a.b", ""}},
      {"pause:limit/per_tenant/a/b", {Subject::Kind::tenant, "per_tenant", "a/b"}},
  };
  for (const auto& [key, subject] : all) {
    const auto read = subject_of(key);
    ASSERT_TRUE(read) << key;
    EXPECT_EQ(*read, subject) << key;
    EXPECT_EQ(table_key(*read), key);
  }
}

TEST(Subject, IsShownInUtf8WhateverItsKey) {
  EXPECT_EQ(to_text({Subject::Kind::tenant, "per_tenant", "a\xff"}),
            "limit per_tenant, key a\xEF\xBF\xBD");
  EXPECT_EQ(to_text({Subject::Kind::weight, "tenants", "a\xff"}),
            "share tenants, flow a\xEF\xBF\xBD");
}

TEST(Subject, RefusesOtherKeys) {
  for (const char* key :
       {"", "per_tenant", "/acme", "pause:route/", "pause:limit/per_tenant", "pause:other/x",
        "other:thing/x", "share:/x", "share:tenants", "share:a:b/x"}) {
    EXPECT_FALSE(subject_of(key)) << key;
  }
}

std::string wrong(const Subject& subject, std::string_view text) {
  const auto read = read_steer(subject, text);
  const auto* why = std::get_if<std::string>(&read);
  return why != nullptr ? *why : "";
}

TEST(Steer, IsReadAsItIsWritten) {
  const Subject quota{Subject::Kind::quota, "per_tenant", "acme"};
  Steer steer;
  steer.values = {{"limit", 500}, {"window", "1s"}};
  steer.since_ms = 5;
  steer.until_ms = 7;
  steer.by = "ann@host";
  steer.note = "black friday";
  const auto read = std::get<Steer>(read_steer(quota, text_of(quota, steer)));
  EXPECT_EQ(read.values, steer.values);
  EXPECT_EQ(read.since_ms, 5);
  EXPECT_EQ(read.until_ms, 7);
  EXPECT_EQ(read.by, "ann@host");
  EXPECT_EQ(read.note, "black friday");
  EXPECT_FALSE(read.over(6));
  EXPECT_TRUE(read.over(7));

  const Subject flow{Subject::Kind::weight, "tenants", "acme"};
  steer.values = {{"weight", 5}};
  EXPECT_TRUE(text_of(flow, steer).starts_with(R"({"weight":5,"since":5,)"));
  EXPECT_EQ(std::get<Steer>(read_steer(flow, text_of(flow, steer))).values, steer.values);

  const Subject pause{Subject::Kind::route, "results", ""};
  EXPECT_EQ(text_of(pause, Steer{}), "{\"paused\":true}");
  EXPECT_EQ(wrong(pause, text_of(pause, Steer{})), "");
}

TEST(Steer, SaysAllThatIsWrong) {
  const Subject quota{Subject::Kind::quota, "per_tenant", "acme"},
      pause{Subject::Kind::route, "results", ""};
  EXPECT_EQ(wrong(quota, "500"), "is no JSON object");
  EXPECT_EQ(wrong(quota, "{"), "is no JSON object");
  EXPECT_EQ(wrong(quota, "{}"), "has no value of the limit; write one, as {\"limit\": 500}");
  EXPECT_EQ(wrong(quota, R"({"limit": [], "until": "soon", "note": 1})"),
            "limit is neither a number nor a text; until is no time; write milliseconds since "
            "1970; note is not a text");
  EXPECT_EQ(wrong(quota, R"({"limit": 5, "until": -1})"),
            "until is no time; write milliseconds since 1970");
  EXPECT_EQ(wrong(pause, R"({"limit": 5})"),
            "limit means nothing here; a pause is {\"paused\": true}, with until, by, note");
  EXPECT_NE(wrong(pause, R"({"paused": false})"), "");
  const Subject flow{Subject::Kind::weight, "tenants", "acme"};
  EXPECT_EQ(wrong(flow, "{}"), "has no weight; write one, as {\"weight\": 5}");
  EXPECT_EQ(wrong(flow, R"({"weight": 5, "limit": 5})"),
            "limit means nothing here; a weight is {\"weight\": 5}, with until, by, note");
  EXPECT_EQ(wrong(flow, R"({"weight": true})"), "weight is neither a number nor a text");
  EXPECT_EQ(wrong(quota, R"({"limit": 5, "note": ")" + std::string(201, 'x') + R"("})"),
            "note is longer than 200 bytes");
}

}  // namespace
}  // namespace einlass::app
