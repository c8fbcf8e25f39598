// Other numbers at some times of the week: how they are written, and what is said of what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "config/file/changes.h"
#include "config/model/time_zone.h"
#include "config/tables/print_config.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::schedule_test {
namespace {

using limits::SlidingLogParameters;
using limits::TokenBucketParameters;

std::string with(const std::string& algorithm, const std::string& schedule,
                 const std::string& more = "horizon: 1s") {
  return limit("algorithm: " + algorithm + ", " + more + ",\n  schedule: {" + schedule + "}");
}
const std::string kLog = "sliding_log, limit: 10, window: 1s";
const std::string kCounted = "fixed_window, limit: 100, window: 10s, burst: 10";

Config config_of(const std::string& text) {
  auto read = parse_config(text, "F", test_environment);
  EXPECT_EQ(mistakes_in(text), "");
  return std::get<Config>(std::move(read));
}

WeekSpan span_of(const std::string& written) {
  const auto read = parse_week_span(written, [](const std::string& why) { ADD_FAILURE() << why; });
  return read.value_or(WrittenSpan{}).span;
}

// The parts of the week, of days as bits from Monday on.
TEST(WeekSpan, is_read) {
  EXPECT_EQ(span_of("08:00-18:00 Mon-Fri UTC"), (WeekSpan{0b0011111, 480, 1080}));
  EXPECT_EQ(span_of("22:00-06:00 Sat,Sun UTC"), (WeekSpan{0b1100000, 1320, 1800}));
  EXPECT_EQ(span_of("00:00-24:00 Fri-Mon UTC"), (WeekSpan{0b1110001, 0, 1440}));
  EXPECT_EQ(span_of("18:30-00:00 Tue,Thu-Fri UTC"), (WeekSpan{0b0011010, 1110, 1440}));
  EXPECT_EQ(span_of("23:59-23:58 Mon-Sun UTC"), (WeekSpan{0b1111111, 1439, 2878}));
}

TEST(Schedule, what_is_left_out_is_the_limits_own_with_a_key_or_without) {
  for (const std::string key : {"key: none", "key: topic"}) {
    const Config config = config_of(with("token_bucket, rate: 2/s, burst: 4",
                                         "08:00-18:00 Mon-Fri Europe/Berlin: {rate: 20/s}, "
                                         "'22:00-06:00 Sat,Sun Europe/Berlin': {burst: 9}",
                                         key));
    const Limit& limit = config.limits.at(0);
    ASSERT_EQ(limit.schedule.size(), 2u);
    EXPECT_EQ(limit.time_zone, "Europe/Berlin");
    EXPECT_EQ(limit.schedule[0].name, "08:00-18:00 Mon-Fri Europe/Berlin");
    EXPECT_EQ(limit.schedule[0].span, (WeekSpan{0b0011111, 480, 1080}));
    EXPECT_EQ(std::get<TokenBucketParameters>(limit.schedule[0].value.parameters),
              (TokenBucketParameters{{1, 50'000}, {4}}));
    EXPECT_EQ(std::get<TokenBucketParameters>(limit.schedule[1].value.parameters),
              (TokenBucketParameters{{1, 500'000}, {9}}));
  }
}

TEST(Schedule, a_burst_and_a_strict_window_are_as_of_the_limit) {
  const Config counted = config_of(with(kCounted,
                                        "08:00-18:00 Mon UTC: {limit: 5}, "
                                        "08:00-18:00 Tue UTC: {burst: 20}"));
  const auto pace = [&](std::size_t i) {
    return std::get<SlidingLogParameters>(*counted.limits[0].schedule[i].value.pace);
  };
  EXPECT_EQ(pace(0).window, Duration::micros(1));
  EXPECT_EQ(pace(1), (SlidingLogParameters{Permits{20}, Duration::millis(1'800)}));
  EXPECT_TRUE(counted.limits[1].is_pace && counted.limits[1].schedule.empty());
  const Config strict = config_of(with(kLog, "08:00-18:00 Mon UTC: {window: 2s}", "strict: true"));
  EXPECT_EQ(std::get<SlidingLogParameters>(strict.limits[0].schedule[0].value.parameters).window,
            Duration::millis(2'001));
}

TEST(Schedule, is_printed_as_it_reads_back_and_changes_while_it_runs) {
  const Config before = config_of(with(kCounted,
                                       "08:00-18:00 Mon-Fri Europe/Berlin: {limit: 50}, "
                                       "22:00-06:00 Sat Europe/Berlin: {burst: 3}"));
  const auto again = parse_config(print_config(before), "F", test_environment);
  ASSERT_TRUE(std::holds_alternative<Config>(again)) << print_config(before);
  EXPECT_EQ(std::get<Config>(again), before) << print_config(before);
  const Config after = config_of(with(kCounted,
                                      "08:00-18:00 Mon-Fri Europe/Berlin: {limit: 60}, "
                                      "08:00-12:00 Sat Europe/Berlin: {limit: 70}"));
  std::vector<std::string> seen;
  for (const Changed& one : changes(before, after)) {
    EXPECT_EQ(one.needs_restart, "") << one.to_string();
    seen.push_back(one.to_string());
  }
  for (const std::string change : {"08:00-18:00 Mon-Fri Europe/Berlin.limit: 50 -> 60",
                                   "08:00-12:00 Sat Europe/Berlin.limit: not there -> 70",
                                   "22:00-06:00 Sat Europe/Berlin.burst: 3 -> not there"}) {
    EXPECT_NE(std::ranges::find(seen, "limits.l.schedule." + change), seen.end()) << change;
  }
}

TEST(WrongSchedule, each_span_with_all_that_is_wrong_with_it) {
  const std::string at = "3:14: limits.l.schedule.";
  const auto only = [](const std::string& span) { return with(kLog, span + ": {limit: 5}"); };
  expect_mistakes({
      {only("08:00-18:00 Mon-Fri"),
       at + "08:00-18:00 Mon-Fri: is no span of the week; write times, days and a time zone, as "
            "08:00-18:00 Mon-Fri Europe/Berlin"},
      {only("'08:00-18:00  Mon UTC'"),
       at + "08:00-18:00  Mon UTC: is no span of the week; write times, days and a time zone, as "
            "08:00-18:00 Mon-Fri Europe/Berlin"},
      {only("'8:00-25:00 Mo-Fri,Sat-Son Europe/Berln'"),
       at +
           "8:00-25:00 Mo-Fri,Sat-Son Europe/Berln: '8:00' is no time of day; write 00:00 to "
           "24:00, in four digits\n" +
           at +
           "8:00-25:00 Mo-Fri,Sat-Son Europe/Berln: '25:00' is no time of day; write 00:00 "
           "to 24:00, in four digits\n" +
           at +
           "8:00-25:00 Mo-Fri,Sat-Son Europe/Berln: 'Mo' is no day of the week; write Mon, "
           "Tue, Wed, Thu, Fri, Sat or Sun\n" +
           at +
           "8:00-25:00 Mo-Fri,Sat-Son Europe/Berln: 'Son' is no day of the week; write Mon, "
           "Tue, Wed, Thu, Fri, Sat or Sun\n" +
           at +
           "8:00-25:00 Mo-Fri,Sat-Son Europe/Berln: 'Europe/Berln' is no time zone that this "
           "system knows; did you mean `Europe/Berlin`?"},
      {only("08:00 Mon UTC"), at + "08:00 Mon UTC: '08:00' is no span of a day; write 08:00-18:00"},
      {only("08:00-08:00 Mon UTC"),
       at + "08:00-08:00 Mon UTC: '08:00-08:00' has no length; write 00:00-24:00 for a whole day"},
      {only("24:00-08:00 Mon UTC"),
       at + "24:00-08:00 Mon UTC: '24:00' is where a day ends; write 00:00"},
      {only("08:00-24:01 Mon UTC"), at + "08:00-24:01 Mon UTC: '24:01' is no time of day; write "
                                         "00:00 to 24:00, in four digits"},
      {only("08:00-09:60 Mon UTC"), at + "08:00-09:60 Mon UTC: '09:60' is no time of day; write "
                                         "00:00 to 24:00, in four digits"},
      {only("'08:00-18:00 Mon-Wed,Tue UTC'"),
       at + "08:00-18:00 Mon-Wed,Tue UTC: Tue is there twice; keep one of them"},
  });
}

TEST(WrongSchedule, a_zone_is_one_of_the_database_and_no_path) {
  for (const std::string zone : {"/etc/localtime", "../zoneinfo/UTC", "localtime", "europe/berlin",
                                 "Europe", "libc:UTC", "Nowhere/At_All_At_All"}) {
    EXPECT_TRUE(refused_zone(zone)) << zone;
  }
  for (const std::string zone : {"UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires",
                                 "America/Port-au-Prince", "Asia/Kolkata"}) {
    EXPECT_FALSE(refused_zone(zone)) << *refused_zone(zone);
  }
}

// In a process of its own, which may look elsewhere.
TEST(WrongSchedule, a_system_without_time_zones_is_told_so) {
  const auto look = [] {
    setenv("TZDIR", "/nowhere", 1);
    std::fprintf(stderr, "%s\n",
                 mistakes_in(with(kLog, "08:00-18:00 Mon Europe/Paris: {limit: 5}")).c_str());
    std::exit(0);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0),
              "this system has no time zones in /nowhere; install the package tzdata");
}

TEST(WrongSchedule, the_numbers_are_held_to_what_holds_for_the_limits_own) {
  const std::string at = "limits.l.schedule.08:00-18:00 Mon UTC";
  const auto only = [&](const std::string& numbers, const std::string& more = "horizon: 1s") {
    return with(kLog, "08:00-18:00 Mon UTC: {" + numbers + "}", more);
  };
  expect_mistakes({
      {only("limit: 0, windw: 1s"),
       "3:43: " + at + ".limit: '0' is too small; the smallest value that works is 1\n3:46: " + at +
           ".windw: is no parameter of this limit; did you mean `window`?"},
      {only(""), "3:14: " + at + ": changes nothing; write a number, or leave it out"},
      {only("algorithm: counter"), "3:36: " + at +
                                       ".algorithm: cannot change while the limit is in use, and "
                                       "is the same for all keys and at all times"},
      {only("limit: 2", "cost: 5"), "3:35: " + at +
                                        ": cost 5 is more than the limit of 2, so no record could "
                                        "ever pass; lower the cost or raise the limit"},
      {"instances: 4\n" + only("burst: 4", "cost: 2, store: redis, on_outage: local_share"),
       "4:35: " + at +
           ": the share of one of the instances has a burst of less than a record "
           "costs; write a burst of at least 8"},
  });
  EXPECT_EQ(mistakes_in("limits: {l: {algorithm: concurrency, limit: 5, lease: 1m, "
                        "schedule: {08:00-18:00 Mon UTC: {lease: 2s}}}}\n" +
                        kTargets + "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n"),
            "3:53: routes[0].limits[0]: 'l' at '08:00-18:00 Mon UTC' has a lease of 2s, so its "
            "permits would come back while attempts run; the shortest that works is 5100ms, the "
            "timeout of target 't' and use_within together");
}

TEST(WrongSchedule, spans_that_overlap_are_both_named) {
  const auto both = [](const std::string& one, const std::string& other) {
    return mistakes_in(limit("algorithm: " + kLog + ", schedule: {\n'" + one + "': {limit: 5},\n'" +
                             other + "': {limit: 6}}"));
  };
  const auto overlap = [](const std::string& one, const std::string& other, const std::string& on) {
    return "4:1: limits.l.schedule." + other + ": overlaps '" + one + "' (F:3:1) on " + on +
           "; at most one span of a limit may hold at any time";
  };
  EXPECT_EQ(both("08:00-18:00 Mon-Fri UTC", "17:59-20:00 Fri UTC"),
            overlap("08:00-18:00 Mon-Fri UTC", "17:59-20:00 Fri UTC", "Fri 17:59"));
  // Past midnight, and past the week's end.
  EXPECT_EQ(both("22:00-06:00 Sat,Sun UTC", "05:00-07:00 Mon UTC"),
            overlap("22:00-06:00 Sat,Sun UTC", "05:00-07:00 Mon UTC", "Mon 05:00"));
  EXPECT_EQ(both("00:00-24:00 Sun UTC", "23:00-01:00 Sat UTC"),
            overlap("00:00-24:00 Sun UTC", "23:00-01:00 Sat UTC", "Sun 00:00"));
  EXPECT_EQ(both("08:00-18:00 Mon-Fri UTC", "18:00-08:00 Mon-Fri UTC"), "");
  EXPECT_EQ(both("22:00-06:00 Sun UTC", "06:00-07:00 Mon UTC"), "");
  EXPECT_EQ(both("00:00-24:00 Mon-Fri UTC", "00:00-24:00 Sat,Sun UTC"), "");
  EXPECT_EQ(both("08:00-18:00 Mon Europe/Berlin", "20:00-21:00 Mon America/New_York"),
            "4:1: limits.l.schedule.20:00-21:00 Mon America/New_York: goes by another time zone "
            "than '08:00-18:00 Mon Europe/Berlin' (F:3:1); all spans of a limit go by one");
}

}  // namespace
}  // namespace einlass::config::schedule_test
