// When spans of the week begin and end, in zones whose clocks are put forward and back.
#include "app/permits/week_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "text/timestamp.h"

namespace einlass::app {
namespace {

using config::ScheduledValue;

// The spans, all of one zone.
struct Week {
  Week(const std::string& zone_name, const std::vector<std::string>& spans) : zone(zone_name) {
    for (const std::string& one : spans) {
      const auto read = config::parse_week_span(
          one + " " + zone_name, [](const std::string& why) { ADD_FAILURE() << why; });
      schedule.push_back({one, read.value().span, {}});
    }
  }

  SpanNow at(Instant now) const { return span_at(schedule, zone, now); }
  SpanNow at(const std::string& now) const { return at(*parse_timestamp(now, NoZone::refused)); }

  // "08:00-18:00 Mon until 2026-..."; what it is just before that and from then on is looked at
  // too.
  std::string told(const std::string& now) const {
    const SpanNow found = at(now);
    EXPECT_EQ(at(found.until - Duration::micros(1)), found) << now;
    EXPECT_NE(at(found.until).index, found.index) << now;
    return (found.index ? schedule[*found.index].name : "own") + " until " + text(found.until);
  }

  static std::string text(Instant instant) {
    const std::time_t seconds = instant.us / 1'000'000;
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%FT%H:%M:%SZ", &utc);
    return text;
  }

  config::TimeZone zone;
  std::vector<ScheduledValue> schedule;
};

TEST(WeekClock, ASpanHoldsFromItsBeginningToTheInstantOfItsEnd) {
  const Week week("Asia/Kolkata", {"08:00-18:00 Mon-Fri", "22:00-06:00 Fri"});
  EXPECT_EQ(week.told("2026-11-25T02:29:59.999999Z"), "own until 2026-11-25T02:30:00Z");
  EXPECT_EQ(week.told("2026-11-25T02:30:00Z"), "08:00-18:00 Mon-Fri until 2026-11-25T12:30:00Z");
  EXPECT_EQ(week.told("2026-11-25T12:30:00Z"), "own until 2026-11-26T02:30:00Z");
  EXPECT_EQ(week.told("2026-11-27T12:30:00Z"), "own until 2026-11-27T16:30:00Z");
  // The day that is named is the one on which it begins.
  EXPECT_EQ(week.told("2026-11-27T23:00:00Z"), "22:00-06:00 Fri until 2026-11-28T00:30:00Z");
  EXPECT_EQ(week.told("2026-11-28T00:30:00Z"), "own until 2026-11-30T02:30:00Z");
}

TEST(WeekClock, DaysThatFollowEachOtherAreOneTime) {
  const Week week("UTC", {"00:00-24:00 Mon-Fri", "00:00-24:00 Sat"});
  EXPECT_EQ(week.told("2026-11-25T10:00:00Z"), "00:00-24:00 Mon-Fri until 2026-11-28T00:00:00Z");
  EXPECT_EQ(week.told("2026-11-28T00:00:00Z"), "00:00-24:00 Sat until 2026-11-29T00:00:00Z");
  EXPECT_EQ(week.told("2026-11-29T00:00:00Z"), "own until 2026-11-30T00:00:00Z");
  const Week always("Europe/Berlin", {"00:00-24:00 Mon-Sun"});
  EXPECT_EQ(always.at("2026-03-28T12:00:00Z"), (SpanNow{0, kNever}));
}

// On 2026-03-29 at 01:00Z from 02:00 to 03:00; on 2026-10-25 at 01:00Z from 03:00 to 02:00.
TEST(WeekClock, InBerlinClocksArePutForward) {
  const Week night("Europe/Berlin", {"22:00-06:00 Sat"});
  EXPECT_EQ(night.told("2026-03-28T21:00:00Z"), "22:00-06:00 Sat until 2026-03-29T04:00:00Z");
  // A time that is left out is the instant at which it is.
  const Week begins("Europe/Berlin", {"02:30-04:00 Sun"});
  EXPECT_EQ(begins.told("2026-03-29T00:00:00Z"), "own until 2026-03-29T01:00:00Z");
  EXPECT_EQ(begins.told("2026-03-29T01:00:00Z"), "02:30-04:00 Sun until 2026-03-29T02:00:00Z");
  const Week ends("Europe/Berlin", {"01:00-02:30 Sun"});
  EXPECT_EQ(ends.told("2026-03-29T00:30:00Z"), "01:00-02:30 Sun until 2026-03-29T01:00:00Z");
  // One that is left out as a whole is not there that day.
  const Week within("Europe/Berlin", {"02:10-02:40 Sun", "02:40-03:00 Sun"});
  EXPECT_EQ(within.told("2026-03-28T12:00:00Z"), "own until 2026-04-05T00:10:00Z");
}

TEST(WeekClock, InBerlinClocksArePutBack) {
  const Week night("Europe/Berlin", {"22:00-06:00 Sat"});
  EXPECT_EQ(night.told("2026-10-24T20:00:00Z"), "22:00-06:00 Sat until 2026-10-25T05:00:00Z");
  // Of a time that is shown twice the first counts, for a beginning as for an end.
  const Week both("Europe/Berlin", {"01:00-02:30 Sun", "02:30-04:00 Sun"});
  EXPECT_EQ(both.told("2026-10-25T00:00:00Z"), "01:00-02:30 Sun until 2026-10-25T00:30:00Z");
  EXPECT_EQ(both.told("2026-10-25T00:30:00Z"), "02:30-04:00 Sun until 2026-10-25T03:00:00Z");
  const Week hour("Europe/Berlin", {"02:00-03:00 Sun"});
  EXPECT_EQ(hour.told("2026-10-25T00:59:00Z"), "02:00-03:00 Sun until 2026-10-25T02:00:00Z");
  const Week within("Europe/Berlin", {"02:10-02:40 Sun"});
  EXPECT_EQ(within.told("2026-10-25T00:10:00Z"), "02:10-02:40 Sun until 2026-10-25T00:40:00Z");
  EXPECT_EQ(within.told("2026-10-25T01:20:00Z"), "own until 2026-11-01T01:10:00Z");
}

// On 2026-03-08 at 07:00Z from 02:00 to 03:00; on 2026-11-01 at 06:00Z from 02:00 to 01:00.
TEST(WeekClock, InNewYork) {
  const Week day("America/New_York", {"08:00-18:00 Mon-Sun"});
  EXPECT_EQ(day.told("2026-03-07T13:00:00Z"), "08:00-18:00 Mon-Sun until 2026-03-07T23:00:00Z");
  EXPECT_EQ(day.told("2026-03-08T12:00:00Z"), "08:00-18:00 Mon-Sun until 2026-03-08T22:00:00Z");
  EXPECT_EQ(day.told("2026-11-01T13:00:00Z"), "08:00-18:00 Mon-Sun until 2026-11-01T23:00:00Z");
  const Week begins("America/New_York", {"02:30-09:00 Sun"});
  EXPECT_EQ(begins.told("2026-03-08T07:00:00Z"), "02:30-09:00 Sun until 2026-03-08T13:00:00Z");
  const Week twice("America/New_York", {"01:30-02:00 Sun"});
  EXPECT_EQ(twice.told("2026-11-01T05:00:00Z"), "own until 2026-11-01T05:30:00Z");
  EXPECT_EQ(twice.told("2026-11-01T05:30:00Z"), "01:30-02:00 Sun until 2026-11-01T07:00:00Z");
}

// By half an hour: on 2026-04-05 from 02:00 to 01:30 at 15:00Z of the day before, on 2026-10-04
// from 02:00 to 02:30 at 15:30Z.
TEST(WeekClock, OnLordHoweIsland) {
  const Week back("Australia/Lord_Howe", {"01:45-03:00 Sun"});
  EXPECT_EQ(back.told("2026-04-04T14:45:00Z"), "01:45-03:00 Sun until 2026-04-04T16:30:00Z");
  const Week forward("Australia/Lord_Howe", {"02:15-03:00 Sun"});
  EXPECT_EQ(forward.told("2026-10-03T15:15:00Z"), "own until 2026-10-03T15:30:00Z");
  EXPECT_EQ(forward.told("2026-10-03T15:30:00Z"), "02:15-03:00 Sun until 2026-10-03T16:00:00Z");
  const Week day("Australia/Lord_Howe", {"08:00-18:00 Mon-Sun"});
  EXPECT_EQ(day.told("2026-04-04T21:30:00Z"), "08:00-18:00 Mon-Sun until 2026-04-05T07:30:00Z");
  EXPECT_EQ(day.told("2026-10-03T21:00:00Z"), "08:00-18:00 Mon-Sun until 2026-10-04T07:00:00Z");
}

// Far ahead the database has rules and no dates any more.
TEST(WeekClock, GoesOnAfterTheLastChangeThatTheDatabaseLists) {
  const Week day("Europe/Berlin", {"08:00-18:00 Mon-Sun"});
  EXPECT_EQ(day.told("2060-07-01T06:00:00Z"), "08:00-18:00 Mon-Sun until 2060-07-01T16:00:00Z");
  EXPECT_EQ(day.told("2060-12-01T07:00:00Z"), "08:00-18:00 Mon-Sun until 2060-12-01T17:00:00Z");
}

// What the C library makes of the same database, for days on which no clock is set.
class Clocks {
 public:
  explicit Clocks(const std::string& zone) {
    setenv("TZ", zone.c_str(), 1);
    tzset();
  }
  ~Clocks() {
    unsetenv("TZ");
    tzset();
  }

  static std::tm show(Instant instant) {
    const std::time_t seconds = instant.us / 1'000'000;
    std::tm shown{};
    localtime_r(&seconds, &shown);
    return shown;
  }

  static bool are_set_around(Instant instant) {
    const Duration day = Duration::seconds(24 * 3600);
    return show(instant - day).tm_gmtoff != show(instant + day).tm_gmtoff;
  }
};

bool shows(const std::tm& shown, const config::WeekSpan& span) {
  const int day = (shown.tm_wday + 6) % 7, minute = shown.tm_hour * 60 + shown.tm_min;
  const int yesterdays = minute + config::kDayMinutes;
  return (span.begins_on(day) && minute >= span.begin && minute < span.end) ||
         (span.begins_on((day + 6) % 7) && yesterdays < span.end);
}

TEST(WeekClock, AYearIsAsTheClocksShowIt) {
  for (const std::string zone : {"Europe/Berlin", "America/New_York", "Asia/Kolkata",
                                 "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia"}) {
    const Clocks clocks(zone);
    const Week week(zone, {"08:00-18:00 Mon-Fri", "22:00-06:00 Sat,Sun", "20:00-00:00 Wed"});
    Instant now = *parse_timestamp("2026-01-01T00:00:00Z", NoZone::refused);
    int looked_at = 0;
    for (int i = 0; i < 365 * 23; ++i, now = now + Duration::seconds(3761)) {
      if (Clocks::are_set_around(now)) continue;
      const std::tm shown = Clocks::show(now);
      std::optional<std::size_t> index;
      for (std::size_t at = 0; at < week.schedule.size(); ++at) {
        if (shows(shown, week.schedule[at].span)) index = at;
      }
      ASSERT_EQ(week.at(now).index, index) << zone << " " << Week::text(now);
      ++looked_at;
    }
    EXPECT_GT(looked_at, 360 * 22) << zone;
  }
}

}  // namespace
}  // namespace einlass::app
