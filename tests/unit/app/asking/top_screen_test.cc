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
    "at": 1000000000, "started_at": 1,
    "instance": "gate-1", "version": "1.2.3", "ready": true, "why_not_ready": "",
    "books": {"received": 0, "delivered": 0, "dead_lettered": 1, "returned": 0, "inside": 9,
              "closed": true},
    "troubles": [],
    "routes": [{"name": "results", "inside": 9, "delivered": 0, "lag": 1234, "lag_seconds": 301,
                "waiting": {"limit": 4, "order": 3, "target": 0, "retry": 2, "outage": 0,
                            "in_flight": 0}}],
    "limits": [
      {"name": "callbacks", "store": "redis", "keyed": false, "shadow": false, "per_second": 60.0,
       "at_once": null, "admitted": 0, "waiting": 4, "keys": null, "keys_full": null},
      {"name": "per_tenant", "store": "redis", "keyed": true, "shadow": false, "per_second": 2.0,
       "at_once": null, "admitted": 0, "waiting": 3423, "keys": 50, "keys_full": 2}],
    "shares": [],
    "targets": [{"name": "billing", "in_flight": 7, "trouble": "", "unusable": "",
                 "warning": "", "held_until": null, "breaker": {"state": "closed", "until": null}}],
    "lines": 2, "longest_lines": [
      {"route": "results", "keys": {"per_tenant": "acme"}, "waiting": 4, "waits_for": "limit",
       "limit": "per_tenant", "behind": {"per_tenant": "globex"}, "oldest": 460000000,
       "drain_seconds": 2.0},
      {"route": "results", "keys": {}, "waiting": 1, "waits_for": "target", "limit": null,
       "behind": null, "oldest": null, "drain_seconds": null}]})");
  json["books"]["received"] = delivered + 10;
  json["books"]["delivered"] = json["routes"][0]["delivered"] = delivered;
  json["limits"][0]["admitted"] = delivered;
  return json;
}

std::string two_seconds_before(Json json) {
  json["at"] = kNow - 2'000'000;
  return json.dump();
}

std::string picture(const Json& json, TerminalSize size = {120, 50}) {
  return top_picture(json.dump(), two_seconds_before(status(100)), size, false);
}

bool has(const std::string& picture, const std::string& text) {
  return picture.find(text) != std::string::npos;
}

TEST(Top, shows_totals_routes_limits_and_lines) {
  const std::string seen = picture(status(150));
  EXPECT_TRUE(has(seen, "einlass gate-1  1.2.3  ready  00:16:40 UTC")) << seen;
  EXPECT_TRUE(has(seen, "received 160 = delivered 150 + dead_lettered 1 + returned 0 + inside 9"));
  Json filtered = status(150);
  filtered["books"]["filtered"] = 3;
  EXPECT_TRUE(has(picture(filtered), "returned 0 + filtered 3 + inside 9"));
  EXPECT_TRUE(has(seen, "results                    25        9     1234       6 min        4"))
      << seen;
  EXPECT_TRUE(has(seen, "callbacks                 60/s fleet            25        4\n")) << seen;
  EXPECT_TRUE(has(seen, "per_tenant                 2/s a key             0     3423  2 of 50"))
      << seen;
  EXPECT_TRUE(has(seen, "billing                     7  healthy")) << seen;
  EXPECT_TRUE(has(seen, "acme                              results                 4       9 min"))
      << seen;
  EXPECT_TRUE(has(seen, "2.0 s  limit per_tenant, behind globex")) << seen;
  EXPECT_TRUE(has(seen, "(all records)")) << seen;
  EXPECT_TRUE(has(seen, "LONGEST LINES (2 of 2)")) << seen;
  EXPECT_FALSE(has(seen, "!")) << "nothing is wrong, and nothing says so";
}

TEST(Top, has_a_column_for_what_is_paused_or_early_while_there_is_some) {
  EXPECT_TRUE(has(picture(status(1)), "  order   outage  flight\n"));
  Json json = status(1);
  json["routes"][0]["waiting"]["paused"] = 5;
  std::string seen = picture(json, {140, 50});
  EXPECT_TRUE(has(seen, "  outage   paused  flight\n")) << seen;
  EXPECT_TRUE(has(seen, "       0        5       0\n")) << seen;
  json["routes"][0]["waiting"]["not_before"] = 6;
  json["longest_lines"][0]["waits_for"] = "not_before";
  json["longest_lines"][0]["limit"] = nullptr;
  seen = picture(json, {140, 50});
  EXPECT_TRUE(has(seen, "  outage   paused  not before  flight\n")) << seen;
  EXPECT_TRUE(has(seen, "       0        5           6       0\n")) << seen;
  EXPECT_TRUE(has(seen, "2.0 s  not before, behind globex\n")) << seen;
}

TEST(Top, says_what_each_flow_and_each_level_of_a_share_used) {
  const auto with_share = [](int acme, int urgent_of_others, int others) {
    Json json = status(1);
    json["shares"] = Json::parse(R"([
      {"name": "tenants",
       "levels": [{"name": "urgent", "waiting": 7}, {"name": "bulk", "waiting": 9}],
       "flows": [{"name": "acme", "weight": 5}, {"name": "other", "weight": null},
                 {"name": "", "weight": 2, "permits": {"urgent": 0, "bulk": 0}}]}])");
    json["shares"][0]["flows"][0]["permits"] = {{"urgent", 0}, {"bulk", acme}};
    json["shares"][0]["flows"][1]["permits"] = {{"urgent", urgent_of_others}, {"bulk", others}};
    return json;
  };
  const Json before = with_share(10, 0, 10);
  const Json after = with_share(160, 20, 40);
  const std::string seen = top_picture(after.dump(), two_seconds_before(before), {120, 50}, false);
  const std::string name = "tenants             ";
  EXPECT_TRUE(has(seen, name + "acme                        5            75     75 %\n")) << seen;
  EXPECT_TRUE(has(seen, name + "other                       -            25     25 %\n")) << seen;
  EXPECT_TRUE(has(seen, name + "level urgent                -            10     10 %        7\n"))
      << seen;
  EXPECT_TRUE(has(seen, name + "level bulk                  -            90     90 %        9\n"))
      << seen;
  EXPECT_FALSE(has(seen, "100 %")) << "the flow without a name used nothing: " << seen;
  const std::string first = top_picture(after.dump(), std::nullopt, {120, 50}, false);
  EXPECT_TRUE(has(first, name + "acme                        5             -        -\n")) << first;
  EXPECT_FALSE(has(picture(status(1)), "SHARE"));
}

TEST(Top, cuts_no_number_and_says_where_it_cuts_a_name) {
  Json json = status(100);
  Json& route = json["routes"][0];
  route["name"] = "tenant-callbacks-emea-1";
  route["inside"] = 10000;
  route["lag"] = 1234567890;
  json["limits"][0]["per_second"] = nullptr;
  json["limits"][0]["at_once"] = 100000;
  json["limits"][0]["keyed"] = true;
  EXPECT_TRUE(has(picture(json), "tenant-callbacks-emea-1        -    10000  1234567890"))
      << picture(json);
  EXPECT_TRUE(has(picture(json), "  100000 at once a key")) << picture(json);
  EXPECT_TRUE(
      has(picture(json, {60, 50}), "tenant-callbacks-em\u2026        -    10000  1234567890"))
      << picture(json, {60, 50});
}

TEST(Top, leaves_room_below_what_is_wrong) {
  Json json = status(100);
  for (int i = 0; i < 30; ++i) {
    json["troubles"].push_back({{"what", "paused"},
                                {"name", "key " + std::to_string(i)},
                                {"severity", "warning"},
                                {"says", "is paused"},
                                {"since", nullptr},
                                {"ended", nullptr},
                                {"next", nullptr},
                                {"waiting", nullptr}});
  }
  const std::string seen = picture(json, {120, 24});
  EXPECT_TRUE(has(seen, "! and 22 more\nreceived 110")) << seen;
  EXPECT_TRUE(has(seen, "TARGET")) << seen;
}

TEST(Top, a_target_is_in_trouble_where_the_gate_says_so) {
  Json json = status(100);
  json["targets"][0]["trouble"] = "status 404";
  EXPECT_TRUE(has(picture(json), "  7  last attempt failed: status 404\n")) << picture(json);
  json["targets"][0]["warning"] = "the certificate ends soon";
  EXPECT_TRUE(has(picture(json), "  7  the certificate ends soon\n")) << picture(json);
  json["troubles"] = {{{"what", "target"},
                       {"name", "billing"},
                       {"severity", "warning"},
                       {"says", "attempts fail: status 404"},
                       {"since", nullptr},
                       {"ended", nullptr},
                       {"next", nullptr},
                       {"waiting", nullptr}}};
  EXPECT_TRUE(has(picture(json), "  7  attempts fail: status 404\n")) << picture(json);
}

TEST(Top, tells_an_empty_key_from_none) {
  Json json = status(100);
  json["longest_lines"][0]["keys"]["per_tenant"] = "";
  EXPECT_TRUE(has(picture(json), "\n(no key) ")) << picture(json);
  EXPECT_TRUE(has(picture(json), "\n(all records) ")) << picture(json);
}

TEST(Top, a_rate_below_one_is_not_none) {
  EXPECT_TRUE(has(picture(status(101)), "results                   0.5"));
}

TEST(Top, has_no_rate_where_the_gate_began_anew) {
  Json again = status(150);
  again["started_at"] = 2;
  EXPECT_TRUE(has(picture(again), "results                     -"));
  EXPECT_TRUE(has(picture(status(3)), "results                     -"));
  const std::string first = top_picture(status(3).dump(), std::nullopt, {}, false);
  EXPECT_TRUE(has(first, "results                     -")) << first;
}

TEST(Top, says_first_what_is_wrong_since_when_and_what_is_over) {
  Json json = status(1);
  json["ready"] = false;
  json["why_not_ready"] = "no Kafka broker can be reached";
  json["books"]["closed"] = false;
  json["targets"][0]["breaker"] = {{"state", "open"}, {"until", kNow + 3'000'000}};
  json["targets"][0]["trouble"] = "connection refused";
  json["troubles"] = Json::parse(R"([
    {"what": "target", "name": "billing", "severity": "bad",
     "says": "circuit breaker open: connection refused", "since": 760000000, "ended": null,
     "next": 1003000000, "waiting": 1394},
    {"what": "target", "name": "partner", "severity": "warning", "says": "asked for a pause",
     "since": 940000000, "ended": null, "next": 1090000000, "waiting": 374},
    {"what": "redis", "name": "", "severity": "bad", "says": "does not answer", "since": 220000000,
     "ended": 229000000, "next": null, "waiting": null}])");
  const std::string seen = picture(json);
  EXPECT_TRUE(has(seen, "no Kafka broker can be reached"));
  EXPECT_TRUE(has(seen,
                  "! target billing: circuit breaker open: connection refused; since "
                  "00:12:40 (4 min), next try in 3.0 s; 1394 wait\n"))
      << seen;
  EXPECT_TRUE(has(seen,
                  "! target partner: asked for a pause; since 00:15:40 (60.0 s), goes on in "
                  "90.0 s; 374 wait\n"))
      << seen;
  EXPECT_TRUE(has(seen, "  over: redis from 00:03:40 to 00:03:49 (9.0 s): does not answer\n"))
      << seen;
  EXPECT_LT(seen.find("billing"), seen.find("received")) << "before anything else";
  EXPECT_TRUE(has(seen, "circuit breaker open, next try in 3.0 s: connection refused")) << seen;
}

TEST(Top, is_red_only_for_what_is_bad) {
  const auto coloured = [](const Json& json) {
    return top_picture(json.dump(), std::nullopt, {120, 50}, true);
  };
  EXPECT_FALSE(has(coloured(status(1)), "\x1b[31m"));
  Json paused = status(1);
  paused["targets"][0]["held_until"] = kNow + 9'000'000;
  EXPECT_FALSE(has(coloured(paused), "\x1b[31m"));
  paused["books"]["closed"] = false;
  EXPECT_TRUE(has(coloured(paused), "\x1b[31m"));
  Json untried = status(1);
  untried["targets"][0]["breaker"]["state"] = "probing";
  untried["troubles"] = Json::parse(R"([
    {"what": "target", "name": "billing", "severity": "warning",
     "says": "circuit breaker open, and no record may try it now", "since": null, "ended": null,
     "next": null, "waiting": 0}])");
  EXPECT_FALSE(has(coloured(untried), "\x1b[31m")) << coloured(untried);
  EXPECT_TRUE(has(picture(untried), "  7  circuit breaker open, and no record may try it now\n"))
      << picture(untried);
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
  EXPECT_TRUE(has(top_picture(status(1).dump(), std::nullopt, {}, true), "\x1b[1m"));
  EXPECT_FALSE(has(picture(status(1)), "\x1b["));
}

TEST(Terminal, a_mistake_stands_out_by_its_place) {
  EXPECT_EQ(coloured_mistake("a.yaml:1:2: x: y", false), "a.yaml:1:2: x: y");
  const std::string shown = coloured_mistake("a.yaml:1:2: x: y", true);
  EXPECT_TRUE(has(shown, "\x1b[31ma.yaml:1:2:\x1b[0m")) << shown;
  EXPECT_TRUE(shown.ends_with(" x: y"));
}

}  // namespace
}  // namespace einlass::app
