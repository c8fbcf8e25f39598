// What `einlass top` draws.
#include "app/asking/top_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace einlass::app {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kNow = 1'000'000'000;

Json status(std::uint64_t delivered) {
  Json json = Json::parse(R"({
    "instance": "gate-1", "version": "1.2.3", "ready": true, "why_not_ready": "",
    "books": {"received": 0, "delivered": 0, "dead_lettered": 1, "returned": 0, "inside": 9,
              "closed": true},
    "routes": [{"name": "results", "inside": 9, "delivered": 0,
                "waiting": {"limit": 4, "order": 3, "target": 0, "retry": 2, "outage": 0,
                            "in_flight": 0}}],
    "targets": [{"name": "billing", "in_flight": 7, "trouble": "", "unusable": "",
                 "held_until": null, "breaker": {"state": "closed", "until": null}}],
    "stores": [{"name": "redis", "up": true, "trouble": ""}],
    "lines": 2, "longest_lines": [
      {"keys": {"per_tenant": "acme"}, "waiting": 4, "waits_for": "limit", "limit": "per_tenant",
       "until": 1000420000},
      {"keys": {}, "waiting": 1, "waits_for": "target", "limit": null, "until": null}],
    "recent": [{"severity": "info", "what": "started", "detail": "x"},
               {"severity": "error", "what": "target_failed", "detail": "HTTP 503"}]})");
  json["books"]["received"] = delivered + 10;
  json["books"]["delivered"] = json["routes"][0]["delivered"] = delivered;
  return json;
}

std::string picture(const Json& json, TerminalSize size = {120, 50}) {
  return top_picture({json.dump(), 12}, TopLook{status(100).dump(), 10}, kNow, size, false);
}

bool has(const std::string& picture, const std::string& text) {
  return picture.find(text) != std::string::npos;
}

TEST(Top, shows_books_routes_lines_and_troubles) {
  const std::string seen = picture(status(150));
  EXPECT_TRUE(has(seen, "einlass gate-1  1.2.3  ready")) << seen;
  EXPECT_TRUE(has(seen, "received 160 = delivered 150 + dead_lettered 1 + returned 0 + inside 9"));
  EXPECT_TRUE(has(seen, "results                    25        9        4        3        0"))
      << seen;
  EXPECT_TRUE(has(seen, "billing                       7  well")) << seen;
  EXPECT_TRUE(has(seen, "limit per_tenant  in 420 ms")) << seen;
  EXPECT_TRUE(has(seen, "(all records)")) << seen;
  EXPECT_TRUE(has(seen, "target_failed: HTTP 503")) << seen;
  EXPECT_FALSE(has(seen, "started")) << "no trouble";
}

TEST(Top, has_no_rate_where_the_gate_began_anew) {
  EXPECT_TRUE(has(picture(status(3)), "results                     -"));
  const std::string first = top_picture({status(3).dump(), 1}, std::nullopt, kNow, {}, false);
  EXPECT_TRUE(has(first, "results                     -")) << first;
}

TEST(Top, says_what_is_wrong) {
  Json json = status(1);
  json["ready"] = false;
  json["why_not_ready"] = "no Kafka broker can be reached";
  json["books"]["closed"] = false;
  json["targets"][0]["breaker"] = {{"state", "open"}, {"until", kNow + 3'000'000}};
  json["stores"][0] = {{"name", "redis"}, {"up", false}, {"trouble", "connection refused"}};
  const std::string seen = picture(json);
  EXPECT_TRUE(has(seen, "no Kafka broker can be reached"));
  EXPECT_TRUE(has(seen, "THE BOOKS DO NOT CLOSE"));
  EXPECT_TRUE(has(seen, "breaker open in 3 s"));
  EXPECT_TRUE(has(seen, "connection refused"));
}

TEST(Top, fits_the_terminal_and_brings_no_commands_into_it) {
  Json json = status(1);
  json["longest_lines"][0]["keys"]["per_tenant"] =
      "\x1b[2J\xc2\x9b"
      "gr\xc3\xbc\xc3\x9f" +
      std::string(200, 'x');
  const std::string seen = picture(json, {30, 8});
  std::istringstream lines(seen);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 30u) << line;
  EXPECT_LE(count, 8);
  const std::string whole = picture(json);
  EXPECT_FALSE(has(whole, "\x1b"));
  EXPECT_FALSE(has(whole, "\xc2\x9b"));
  EXPECT_TRUE(has(whole, "\\u001b[2J\\u009bgr\xc3\xbc\xc3\x9fx")) << whole;
}

TEST(Top, has_colours_only_where_they_are_wanted) {
  EXPECT_TRUE(has(top_picture({status(1).dump(), 1}, std::nullopt, kNow, {}, true), "\x1b[32m"));
}

TEST(Terminal, a_mistake_stands_out_by_its_place) {
  EXPECT_EQ(coloured_mistake("a.yaml:1:2: x: y", false), "a.yaml:1:2: x: y");
  const std::string shown = coloured_mistake("a.yaml:1:2: x: y", true);
  EXPECT_TRUE(has(shown, "\x1b[31ma.yaml:1:2:\x1b[0m")) << shown;
  EXPECT_TRUE(shown.ends_with(" x: y"));
}

}  // namespace
}  // namespace einlass::app
