#include "adapters/http/client/retry_after.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "text/ascii.h"

namespace einlass::http {
namespace {

// Reads a date from left to right. Once something does not fit, `good` stays false.
struct DateText {
  std::string_view rest;
  bool good = true;

  void literal(std::string_view expected) {
    good = good && rest.starts_with(expected);
    if (good) rest.remove_prefix(expected.size());
  }

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      good = good && !rest.empty() && is_digit(rest[0]);
      if (!good) return 0;
      value = value * 10 + (rest[0] - '0');
      rest.remove_prefix(1);
    }
    return value;
  }

  // Which of `names` comes next, counted from 0.
  template <std::size_t n>
  int one_of(const std::array<std::string_view, n>& names) {
    for (std::size_t i = 0; good && i < n; ++i) {
      if (!rest.starts_with(names[i])) continue;
      rest.remove_prefix(names[i].size());
      return static_cast<int>(i);
    }
    good = false;
    return 0;
  }
};

constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 7> kLongDays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Date {
  int year = 0;
  int month = 0;  // 0 is January.
  int day = 0;
  int seconds = 0;  // Of the day.
};

int time_of_day(DateText& text) {
  const int hour = text.number(2);
  text.literal(":");
  const int minute = text.number(2);
  text.literal(":");
  const int second = text.number(2);
  text.good = text.good && hour < 24 && minute < 60 && second <= 60;
  return (hour * 60 + minute) * 60 + second;
}

std::optional<std::int64_t> since_1970(const DateText& text, const Date& date) {
  const std::chrono::year_month_day day{std::chrono::year{date.year},
                                        std::chrono::month{static_cast<unsigned>(date.month) + 1},
                                        std::chrono::day{static_cast<unsigned>(date.day)}};
  if (!text.good || !text.rest.empty() || !day.ok()) return std::nullopt;
  return std::int64_t{std::chrono::sys_days(day).time_since_epoch().count()} * 86'400 +
         date.seconds;
}

// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<std::int64_t> imf_fixdate(std::string_view value) {
  DateText text{value};
  Date date;
  text.one_of(kDays);
  text.literal(", ");
  date.day = text.number(2);
  text.literal(" ");
  date.month = text.one_of(kMonths);
  text.literal(" ");
  date.year = text.number(4);
  text.literal(" ");
  date.seconds = time_of_day(text);
  text.literal(" GMT");
  return since_1970(text, date);
}

// Sunday, 06-Nov-94 08:49:37 GMT. A year that looks more than 50 years ahead is in the past.
std::optional<std::int64_t> rfc850_date(std::string_view value, std::int64_t now) {
  DateText text{value};
  Date date;
  text.one_of(kLongDays);
  text.literal(", ");
  date.day = text.number(2);
  text.literal("-");
  date.month = text.one_of(kMonths);
  text.literal("-");
  const auto today =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(now)));
  const int this_year = int(std::chrono::year_month_day(today).year());
  date.year = this_year - this_year % 100 + text.number(2);
  if (date.year > this_year + 50) date.year -= 100;
  if (date.year <= this_year - 50) date.year += 100;
  text.literal(" ");
  date.seconds = time_of_day(text);
  text.literal(" GMT");
  return since_1970(text, date);
}

// Sun Nov  6 08:49:37 1994
std::optional<std::int64_t> asctime_date(std::string_view value) {
  DateText text{value};
  Date date;
  text.one_of(kDays);
  text.literal(" ");
  date.month = text.one_of(kMonths);
  text.literal(" ");
  if (text.rest.starts_with(" ")) {
    text.literal(" ");
    date.day = text.number(1);
  } else {
    date.day = text.number(2);
  }
  text.literal(" ");
  date.seconds = time_of_day(text);
  text.literal(" ");
  date.year = text.number(4);
  return since_1970(text, date);
}

std::optional<std::int64_t> delay_seconds(std::string_view value) {
  if (value.empty() || !std::all_of(value.begin(), value.end(), is_digit)) return std::nullopt;
  std::int64_t seconds = 0;
  for (const char digit : value) {
    seconds =
        std::min<std::int64_t>(seconds * 10 + (digit - '0'), kMaxRetryAfter.us);  // No overflow.
  }
  return seconds;
}

}  // namespace

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) {
  if (const auto date = imf_fixdate(text)) return date;
  if (const auto date = rfc850_date(text, now)) return date;
  return asctime_date(text);
}

std::optional<Duration> parse_retry_after(std::string_view value, std::string_view date,
                                          Instant wall_now) {
  auto seconds = delay_seconds(value);
  if (!seconds) {
    const std::int64_t now = wall_now.us / 1'000'000;
    const auto until = parse_http_date(value, now);
    if (!until) return std::nullopt;
    seconds = *until - parse_http_date(date, now).value_or(now);
  }
  return Duration::seconds(std::clamp<std::int64_t>(*seconds, 0, kMaxRetryAfter.us / 1'000'000));
}

}  // namespace einlass::http
