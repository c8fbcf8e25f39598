#include "adapters/kafka/log_line.h"

#include <charconv>

namespace einlass::kafka {
namespace {

template <class Number>
std::optional<Number> leading_number(std::string_view text) {
  Number number{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<OffsetReset> parse_offset_reset(std::string_view line) {
  constexpr std::string_view kMark = "]: offset reset (at offset ";
  const auto mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const auto bracket = line.rfind(" [", mark);
  if (bracket == std::string_view::npos) return std::nullopt;
  const auto prefix = line.substr(0, bracket).rfind(": ");
  const auto start = prefix == std::string_view::npos ? 0 : prefix + 2;
  const auto number = leading_number<std::int32_t>(line.substr(bracket + 2));
  const auto from = leading_number<std::int64_t>(line.substr(mark + kMark.size()));
  if (!number || !from) return std::nullopt;
  return OffsetReset{std::string(line.substr(start, bracket - start)), PartitionNumber{*number},
                     *from};
}

}  // namespace einlass::kafka
