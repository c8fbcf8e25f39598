#include "core/contract/finished_map.h"

#include <algorithm>
#include <limits>

#include "units/check.h"

namespace einlass::core {
namespace {

constexpr std::string_view kVersion = "e2";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kBits = 5;
constexpr std::int64_t kBase = 1 << kBits;

// Those that tell one commit of a partition from another. Never 0, which is no number.
std::int64_t mark_of(Offset next) { return next.value % (1 << 30) + 1; }
constexpr std::size_t kMostOfMark = 7;  // Digits.

void write_number(std::int64_t number, std::string& text) {
  CHECK(number > 0);
  for (; number >= kBase; number >>= kBits) {
    text += kDigits[static_cast<std::size_t>(number % kBase + kBase)];
  }
  text += kDigits[static_cast<std::size_t>(number)];
}

std::int64_t digit_of(char c) {
  const std::size_t at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<std::int64_t>(at);
}

// Takes a number off the front of the text; 0 if none stands there.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  for (int shift = 0; shift + kBits < 63 && !text.empty(); shift += kBits) {
    const std::int64_t digit = digit_of(text.front());
    if (digit < 0) return 0;
    text.remove_prefix(1);
    number |= digit % kBase << shift;
    if (digit < kBase) return number;
  }
  return 0;
}

}  // namespace

std::string write_finished(Offset next, std::span<const OffsetRange> ranges) {
  if (ranges.empty()) return {};
  std::string text(kVersion);
  write_number(mark_of(next), text);
  Offset at = next;
  for (const OffsetRange& range : ranges) {
    write_number(range.first.value - at.value, text);
    write_number(range.end.value - range.first.value, text);
    at = range.end;
  }
  return text;
}

std::optional<std::vector<OffsetRange>> read_finished(Offset next, std::string_view text) {
  std::vector<OffsetRange> ranges;
  if (text.empty()) return ranges;
  if (next.value < 0 || !text.starts_with(kVersion)) return std::nullopt;
  text.remove_prefix(kVersion.size());
  if (take_number(text) != mark_of(next)) return std::nullopt;
  std::int64_t left = std::numeric_limits<std::int64_t>::max() - next.value;
  Offset at = next;
  do {
    const std::int64_t unfinished = take_number(text);
    const std::int64_t finished = take_number(text);
    if (unfinished == 0 || finished == 0 || unfinished > left || finished > left - unfinished) {
      return std::nullopt;
    }
    left -= unfinished + finished;
    const Offset first{at.value + unfinished};
    at = Offset{first.value + finished};
    ranges.push_back({first, at});
  } while (!text.empty());
  return ranges;
}

// A number of d digits is at least 32^(d-1), so of numbers that add up to `span` at most
// span / 32^(d-1) have a d-th digit.
std::size_t most_finished_text(std::size_t numbers, std::int64_t span) {
  std::size_t digits = numbers;
  for (std::int64_t least = kBase; least <= span; least *= kBase) {
    digits += std::min(numbers, static_cast<std::size_t>(span / least));
    if (least > std::numeric_limits<std::int64_t>::max() / kBase) break;
  }
  return kVersion.size() + kMostOfMark + digits;
}

}  // namespace einlass::core
