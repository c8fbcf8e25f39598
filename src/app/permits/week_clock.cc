#include "app/permits/week_clock.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace einlass::app {
namespace {

// Of the days from yesterday on: two weeks, for there may be no such time on a day of one.
constexpr std::int64_t kDays = 16;

// One time that a span holds.
struct Time {
  Instant begin, end;
  std::size_t index;
  auto operator<=>(const Time&) const = default;
};

std::vector<Time> times_from(std::int64_t first_day,
                             std::span<const config::ScheduledValue> schedule,
                             const config::TimeZone& zone) {
  std::vector<Time> times;
  for (std::int64_t day = first_day; day < first_day + kDays; ++day) {
    for (std::size_t index = 0; index < schedule.size(); ++index) {
      const config::WeekSpan& span = schedule[index].span;
      if (!span.begins_on(config::weekday_of(day))) continue;
      const Time time{zone.at(day, span.begin), zone.at(day, span.end), index};
      if (time.begin < time.end) times.push_back(time);
    }
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

SpanNow span_at(std::span<const config::ScheduledValue> schedule, const config::TimeZone& zone,
                Instant now) {
  SpanNow found;
  for (const Time& time : times_from(zone.day_at(now) - 1, schedule, zone)) {
    if (time.end <= now) continue;
    if (found.index) {
      if (time.index != *found.index || time.begin != found.until) return found;
    } else if (time.begin > now) {
      return {std::nullopt, time.begin};
    }
    found = {time.index, time.end};  // The next day's may follow without a gap.
  }
  found.until = kNever;  // It is always the same span.
  return found;
}

}  // namespace einlass::app
