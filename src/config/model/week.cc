#include "config/model/week.h"

#include <algorithm>
#include <cstdio>

#include "config/model/reading.h"
#include "config/model/time_zone.h"
#include "config/text/values.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

using Refuse = std::function<void(const std::string& why)>;

const std::vector<std::string_view> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr int kWeekMinutes = 7 * kDayMinutes;

std::vector<std::string_view> split(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(between);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Minutes after the beginning of the day.
std::optional<int> time_of_day(std::string_view text) {
  constexpr std::string_view kForm = "00:00";
  const auto fits = [](char written, char form) {
    return form == '0' ? is_digit(written) : written == form;
  };
  if (text.size() != kForm.size() || !std::ranges::equal(text, kForm, fits)) return std::nullopt;
  const int hour = (text[0] - '0') * 10 + text[1] - '0';
  const int minute = (text[3] - '0') * 10 + text[4] - '0';
  const int minutes = hour * 60 + minute;
  if (minute > 59 || minutes > kDayMinutes) return std::nullopt;
  return minutes;
}

void read_times(std::string_view text, WeekSpan& span, const Refuse& refuse) {
  const auto parts = split(text, '-');
  if (parts.size() != 2) {
    return refuse(in_quotes(text) + " is no span of a day; write 08:00-18:00");
  }
  for (const std::string_view part : parts) {
    if (!time_of_day(part)) {
      refuse(in_quotes(part) + " is no time of day; write 00:00 to 24:00, in four digits");
    }
  }
  const auto begin = time_of_day(parts[0]), end = time_of_day(parts[1]);
  if (!begin || !end) return;
  if (*begin == kDayMinutes) return refuse("'24:00' is where a day ends; write 00:00");
  if (*begin == *end) {
    return refuse(in_quotes(text) + " has no length; write 00:00-24:00 for a whole day");
  }
  span.begin = *begin;
  span.end = *end > *begin ? *end : *end + kDayMinutes;
}

std::optional<int> weekday(std::string_view text, const Refuse& refuse) {
  const auto found = std::ranges::find(kDays, text);
  if (found != kDays.end()) return static_cast<int>(found - kDays.begin());
  refuse(in_quotes(text) + " is no day of the week; write " + either(kDays));
  return std::nullopt;
}

// Mon-Fri, or across the week's end, as Fri-Mon.
void read_days(std::string_view text, WeekSpan& span, const Refuse& refuse) {
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = weekday(part.substr(0, dash), refuse);
    const auto last = dash == part.npos ? first : weekday(part.substr(dash + 1), refuse);
    if (!first || !last) continue;
    for (int day = *first;; day = (day + 1) % 7) {
      if (span.begins_on(day))
        refuse(std::string(kDays[day]) + " is there twice; keep one of them");
      span.days = static_cast<std::uint8_t>(span.days | 1 << day);
      if (day == *last) break;
    }
  }
}

std::string in_the_week(int minute) {
  char text[16];
  const int of_day = minute % kDayMinutes;
  std::snprintf(text, sizeof text, " %02d:%02d", of_day / 60, of_day % 60);
  return std::string(kDays[minute / kDayMinutes]) + text;
}

}  // namespace

std::optional<WrittenSpan> parse_week_span(std::string_view text, const Refuse& refuse) {
  bool good = true;
  const Refuse note = [&](const std::string& why) {
    good = false;
    refuse(why);
  };
  const auto words = split(text, ' ');
  if (words.size() != 3 || std::ranges::find(words, "") != words.end()) {
    note(
        "is no span of the week; write times, days and a time zone, as "
        "08:00-18:00 Mon-Fri Europe/Berlin");
    return std::nullopt;
  }
  WrittenSpan written{{}, std::string(words[2])};
  read_times(words[0], written.span, note);
  read_days(words[1], written.span, note);
  if (const auto why = refused_zone(written.zone)) note(*why);
  return good ? std::optional(written) : std::nullopt;
}

std::vector<Overlap> overlaps(std::span<const WeekSpan> spans) {
  std::vector<Overlap> found;
  std::vector<std::optional<std::size_t>> whose(kWeekMinutes);
  const auto take = [&](std::size_t index, int minute) {
    auto& owner = whose[static_cast<std::size_t>(minute % kWeekMinutes)];
    if (!owner) owner = index;
    if (*owner == index) return;
    const bool known = std::ranges::any_of(
        found, [&](const Overlap& other) { return other.one == *owner && other.other == index; });
    if (!known) found.push_back({*owner, index, in_the_week(minute % kWeekMinutes)});
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    for (int day = 0; day < 7; ++day) {
      if (!spans[i].begins_on(day)) continue;
      for (int at = spans[i].begin; at < spans[i].end; ++at) take(i, day * kDayMinutes + at);
    }
  }
  return found;
}

}  // namespace einlass::config
