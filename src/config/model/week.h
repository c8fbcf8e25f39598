// Spans of the week, by the clocks of a time zone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::config {

inline constexpr int kDayMinutes = 24 * 60;

// On each of its days from one time to another: that is on the next day where it is not later.
struct WeekSpan {
  std::uint8_t days = 0;  // On which it begins, as bits; the lowest is Monday.
  int begin = 0;          // Minutes after the beginning of the day, less than a day;
  int end = 0;            // more than `begin`, and by a day at most.
  bool operator==(const WeekSpan&) const = default;

  // 0 is Monday.
  bool begins_on(int weekday) const { return (days >> weekday & 1) != 0; }
};

struct WrittenSpan {
  WeekSpan span;
  std::string zone;  // One that is there.
};

// Reads "22:00-06:00 Mon-Thu,Sun Europe/Berlin". None if something is wrong with it: all of that
// goes to `refuse`, each as a sentence without a full stop.
std::optional<WrittenSpan> parse_week_span(
    std::string_view text, const std::function<void(const std::string& why)>& refuse);

// Two of several, and where in the week they overlap first, as "Sat 22:00".
struct Overlap {
  std::size_t one, other;  // The indexes; `other` is the larger one.
  std::string at;
};

// Each pair once. REQUIRES: all go by the clocks of one zone.
std::vector<Overlap> overlaps(std::span<const WeekSpan> spans);

}  // namespace einlass::config
