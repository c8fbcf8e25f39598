#include "text/span_words.h"

#include <algorithm>
#include <cstdint>

namespace einlass {
namespace {

constexpr std::int64_t kMilli = 1'000, kSecond = 1'000'000, kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute, kDay = 24 * kHour;

std::int64_t rounded_up(std::int64_t us, std::int64_t unit) { return (us + unit - 1) / unit; }

// So many of the larger unit, and the rest in the smaller one where there is some.
std::string in_two(std::int64_t smaller, std::int64_t each, const char* large, const char* small) {
  const std::string text = std::to_string(smaller / each) + large;
  return smaller % each == 0 ? text : text + " " + std::to_string(smaller % each) + small;
}

}  // namespace

std::string span_in_words(Duration span) {
  const std::int64_t us = std::max<std::int64_t>(span.us, 1);
  if (us < kSecond) return std::to_string(rounded_up(us, kMilli)) + " ms";
  if (us < 2 * kMinute) {
    const std::int64_t tenths = rounded_up(us, kSecond / 10);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  }
  if (us <= 2 * kHour) return std::to_string(rounded_up(us, kMinute)) + " min";
  if (us <= 2 * kDay) return in_two(rounded_up(us, kMinute), 60, " h", " min");
  return in_two(rounded_up(us, kHour), 24, " d", " h");
}

}  // namespace einlass
