#include "app/replay/replay_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einlass::app {
namespace {

const std::vector<std::string_view> kLimits = {"callbacks", "per_tenant"};

// The line as it was read; a test failure if it is wrong.
TraceLine read(const std::string& text) {
  TraceReader reader(kLimits);
  TraceLine line;
  const auto mistake = reader.read(text, line);
  EXPECT_FALSE(mistake) << (mistake ? mistake->text : "");
  return line;
}

// "COLUMN: TEXT" of what is wrong with the line.
std::string wrong(const std::string& text) {
  TraceReader reader(kLimits);
  TraceLine line;
  const auto mistake = reader.read(text, line);
  return mistake ? std::to_string(mistake->column) + ": " + mistake->text : "nothing";
}

TEST(ReplayTrace, an_acquire_says_all_or_nothing) {
  const TraceLine all = read(R"({"at": 7, "acquire": {"min": 2, "max": 3, "horizon": 9, "cost": 4,)"
                             R"( "keys": {"per_tenant": "acme"}, "id": "a"}})");
  EXPECT_EQ(all.at, Instant{7});
  EXPECT_EQ(all.verb, TraceLine::Verb::acquire);
  EXPECT_EQ(all.min, 2);
  EXPECT_EQ(all.max, 3);
  EXPECT_EQ(all.horizon, Duration{9});
  EXPECT_EQ(all.costs, (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(all.keys, (std::vector<std::string>{"", "acme"}));
  EXPECT_EQ(all.id, "a");
  const TraceLine nothing = read(R"({"acquire":{},"at":0})");
  EXPECT_EQ(nothing.min, 1);
  EXPECT_EQ(nothing.max, 1);
  EXPECT_FALSE(nothing.horizon);
  EXPECT_EQ(nothing.costs, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(nothing.keys, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(nothing.id, "");
  EXPECT_EQ(read(R"({"at":0,"acquire":{"min":5}})").max, 5);
  EXPECT_EQ(read(R"({"at":0,"acquire":{"cost":{"per_tenant":3}}})").costs,
            (std::vector<std::int64_t>{0, 3}));
}

TEST(ReplayTrace, nothing_of_a_line_is_left_for_the_next) {
  TraceReader reader(kLimits);
  TraceLine line;
  ASSERT_FALSE(reader.read(R"({"at": 1, "acquire": {"min": 2, "max": 3, "horizon": 9, "cost": 4,)"
                           R"( "keys": {"per_tenant": "acme"}, "id": "a"}})",
                           line));
  ASSERT_FALSE(reader.read(R"({"at": 2, "acquire": {}})", line));
  EXPECT_EQ(line.min, 1);
  EXPECT_EQ(line.max, 1);
  EXPECT_FALSE(line.horizon);
  EXPECT_EQ(line.costs, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(line.keys, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(line.id, "");
  ASSERT_FALSE(reader.read(R"({"at": 2, "release": {"id": "x", "count": 5}})", line));
  ASSERT_FALSE(reader.read(R"({"at": 2, "release": {"id": "x"}})", line));
  EXPECT_FALSE(line.count);
  ASSERT_FALSE(reader.read(R"({"at": 2, "limit": {"callbacks": {"limit": 5}}})", line));
  ASSERT_FALSE(reader.read(R"({"at": 2, "limit": {}})", line));
  EXPECT_TRUE(line.limits.empty());
}

TEST(ReplayTrace, costs_of_each_permit) {
  const TraceLine line =
      read(R"({"at": 1, "acquire": {"costs": [5, 2 ,9], "cost": {"callbacks": 4}}})");
  EXPECT_EQ(line.each, (std::vector<Permits>{{5}, {2}, {9}}));
  EXPECT_EQ(line.max, 3);
  EXPECT_EQ(line.costs, (std::vector<std::int64_t>{4, 0}));
  EXPECT_EQ(read(R"({"at": 1, "acquire": {"costs": [7], "max": 1}})").each.size(), 1U);
  EXPECT_TRUE(read(R"({"at": 1, "acquire": {}})").each.empty());
}

TEST(ReplayTrace, the_other_verbs) {
  const TraceLine release = read(R"({"at": 3, "release": {"id": "a", "count": 2}})");
  EXPECT_EQ(release.verb, TraceLine::Verb::release);
  EXPECT_EQ(release.id, "a");
  EXPECT_EQ(release.count, 2);
  EXPECT_FALSE(read(R"({"at": 3, "release": {"id": "a"}})").count);
  EXPECT_EQ(read(R"({"at": 3, "ended": {"id": "b"}})").verb, TraceLine::Verb::ended);
  const TraceLine peek = read(R"({"at": 3, "peek": {"keys": {"callbacks": "k"}}})");
  EXPECT_EQ(peek.verb, TraceLine::Verb::peek);
  EXPECT_EQ(peek.keys, (std::vector<std::string>{"k", ""}));
  const TraceLine limit =
      read(R"({"at": 3, "limit": {"per_tenant": {"burst": 50, "rate": "3/s"}, "callbacks": {}}})");
  EXPECT_EQ(limit.verb, TraceLine::Verb::limit);
  ASSERT_EQ(limit.limits.size(), 2U);
  EXPECT_EQ(limit.limits[0].limit, 1U);
  ASSERT_EQ(limit.limits[0].changes.size(), 2U);
  EXPECT_EQ(limit.limits[0].changes[0].name, "burst");
  EXPECT_EQ(limit.limits[0].changes[0].value, "50");
  EXPECT_TRUE(limit.limits[0].changes[0].number);
  EXPECT_EQ(limit.limits[0].changes[1].value, "3/s");
  EXPECT_FALSE(limit.limits[0].changes[1].number);
  EXPECT_EQ(limit.limits[0].changes[1].name_column, 49);
  EXPECT_EQ(limit.limits[0].changes[1].column, 57);
  EXPECT_EQ(limit.limits[1].limit, 0U);
}

TEST(ReplayTrace, texts_are_json) {
  const auto key = [](const std::string& text) {
    return read(R"({"at":0,"peek":{"keys":{"callbacks":)" + text + "}}}").keys[0];
  };
  EXPECT_EQ(key(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(key(R"("\u0041\u00e9\u20AC\uD83D\uDE00")"), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(key("\"\xE2\x82\xAC\""), "\xE2\x82\xAC");
  EXPECT_EQ(key(R"("\u0000")"), std::string(1, '\0'));
  const auto bad = [](const std::string& text) {
    return wrong(R"({"at":0,"peek":{"keys":{"callbacks":)" + text + "}}}");
  };
  EXPECT_EQ(bad(R"("\x")"), "38: an escape that JSON does not know");
  EXPECT_EQ(bad(R"("\uD83D")"), "38: an escape that JSON does not know");
  EXPECT_EQ(bad(R"("\uDE00")"), "38: an escape that JSON does not know");
  EXPECT_EQ(bad(R"("\u12")"), "38: an escape that JSON does not know");
  EXPECT_EQ(bad(R"("\u+123")"), "38: an escape that JSON does not know");
  EXPECT_EQ(bad("\"a\xFF\""), "39: bytes that are not UTF-8");
  EXPECT_EQ(bad("\"a\tb\""), "39: a control character within a text");
  EXPECT_EQ(bad("\"a"), "37: a quote that is never closed");
  EXPECT_EQ(bad("\"a\\"), "39: an escape that JSON does not know");
  EXPECT_EQ(bad("5"), "37: expected a key, as a text in quotes");
}

TEST(ReplayTrace, every_mistake_has_its_column) {
  EXPECT_EQ(wrong(""), "1: expected a line, as an object in { }");
  EXPECT_EQ(wrong("[]"), "1: expected a line, as an object in { }");
  EXPECT_EQ(wrong("{}"), "1: no `at`; write \"at\": MICROSECONDS");
  EXPECT_EQ(wrong(R"({"peek": {}})"), "1: no `at`; write \"at\": MICROSECONDS");
  EXPECT_EQ(wrong(R"({"at": 1})"),
            "1: nothing to do; write acquire, release, ended, peek or limit");
  EXPECT_EQ(wrong(R"({"at": 1, "aquire": {}})"),
            "11: 'aquire' is not known in a line; did you mean `acquire`?");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"horizn": 3}})"),
            "23: 'horizn' is not known in acquire; did you mean `horizon`?");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"keys": {"tenant": "a"}}})"),
            "32: 'tenant' is not known in keys; known there: callbacks or per_tenant");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"min": 1, "min": 2}})"), "33: 'min' is there twice");
  EXPECT_EQ(wrong(R"({"at": 1, "at": 2, "peek": {}})"), "11: 'at' is there twice");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"costs": 5}})"), "32: expected a list in [ ]");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"costs": [5 4]}})"),
            "35: expected a comma, or ] at the list's end");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"costs": []}})"), "34: no costs; leave them out");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"costs": [1], "max": 2}})"),
            "44: max 2 is not the number of `costs`, 1");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"costs": [1, 2], "min": 2}})"),
            "22: with `costs` min is 1");
  EXPECT_EQ(wrong(R"({"at": 1, "peek": {}, "limit": {}})"),
            "32: one line has one verb, this is the second");
  EXPECT_EQ(wrong(R"({"at": 1, "peek": {}} {})"), "23: expected nothing more on this line");
  EXPECT_EQ(wrong(R"({"at": 1 "peek": {}})"), "10: expected a comma, or } at the object's end");
  EXPECT_EQ(wrong(R"({"at": 1, "peek": {},})"), "22: expected a name, as a text in quotes");
  EXPECT_EQ(wrong(R"({"at" 1})"), "7: expected a colon behind the name");
  EXPECT_EQ(wrong(R"({"at": 1, "peek": {})"), "21: expected a comma, or } at the object's end");
  EXPECT_EQ(wrong(R"({"at": 1, "peek": [)"), "19: expected peek, as an object in { }");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"min": 3, "max": 2}})"), "40: max 2 is less than min 3");
  EXPECT_EQ(wrong(R"({"at": 1, "acquire": {"id": ""}})"), "29: an id is not empty; leave it out");
  EXPECT_EQ(wrong(R"({"at": 1, "release": {"count": 1}})"),
            "22: no id; write \"id\": that of an earlier acquire");
  EXPECT_EQ(wrong(R"({"at": 1, "ended": {"id": "a", "count": 1}})"),
            "32: 'count' is not known in ended; known there: id");
  EXPECT_EQ(wrong(R"({"at": 1, "limit": {"callbacks": 5}})"),
            "34: expected parameters, as an object in { }");
}

TEST(ReplayTrace, numbers_are_whole_and_bounded) {
  for (const char* number : {"1.5", "1e3", "01", "-", "\"1\"", "null", "true", "+1", " ,", ".5"}) {
    const std::string said = wrong("{\"at\":" + std::string(number) + "}");
    EXPECT_TRUE(said.ends_with(": expected a whole number, in digits only")) << number << said;
  }
  EXPECT_EQ(wrong(R"({"at": -1, "peek": {}})"),
            "8: -1 is too small; the smallest value that works is 0");
  EXPECT_EQ(wrong(R"({"at": 4503599627370497, "peek": {}})"),
            "8: 4503599627370497 is too large; the largest value that works is 4503599627370496");
  EXPECT_EQ(wrong(R"({"at": 99999999999999999999, "peek": {}})"),
            "8: 99999999999999999999 is too large; the largest value that works is "
            "4503599627370496");
  EXPECT_EQ(wrong(R"({"at": -99999999999999999999, "peek": {}})"),
            "8: -99999999999999999999 is too small; the smallest value that works is 0");
  EXPECT_EQ(wrong(R"({"at": 0, "acquire": {"max": 65537}})"),
            "30: 65537 is too large; the largest value that works is 65536");
  EXPECT_EQ(wrong(R"({"at": 0, "acquire": {"min": 0}})"),
            "30: 0 is too small; the smallest value that works is 1");
  EXPECT_EQ(wrong(R"({"at": 0, "acquire": {"cost": {"callbacks": 0}}})"),
            "45: 0 is too small; the smallest value that works is 1");
  EXPECT_EQ(read(R"({"at": 4503599627370496, "peek": {}})").at, kLatestInTrace);
}

}  // namespace
}  // namespace einlass::app
