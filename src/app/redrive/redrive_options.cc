#include "app/redrive/redrive_options.h"

#include <limits>

#include "text/pieces.h"
#include "text/timestamp.h"

namespace einlass::app {
namespace {

constexpr const char* kForms =
    " is no place to begin; write `beginning`, an offset as 1200, offsets by partition as "
    "0:1200,2:77, or a time as 2026-11-21T10:00:00Z";

std::optional<From> read_offset(std::string_view text) {
  Pieces pieces(text);
  From from{From::Kind::offset, Offset{pieces.number()}, {}, 0};
  return pieces.done() ? std::optional(from) : std::nullopt;
}

std::optional<From> read_offsets(std::string_view text) {
  Pieces pieces(text);
  From from{From::Kind::offsets, {}, {}, 0};
  do {
    if (!from.offsets.empty()) pieces.letter(",");
    const std::int64_t number = pieces.number();
    pieces.letter(":");
    const Offset offset{pieces.number()};
    if (number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    const PartitionNumber partition{static_cast<std::int32_t>(number)};
    if (!from.offsets.emplace(partition, offset).second) return std::nullopt;
  } while (pieces.next_is(","));
  return pieces.done() ? std::optional(from) : std::nullopt;
}

std::optional<From> read_time(std::string_view text) {
  const auto at = parse_timestamp(text, NoZone::utc);
  if (!at) return std::nullopt;
  return From{From::Kind::time, {}, {}, at->us / 1000};
}

}  // namespace

std::variant<From, std::string> parse_from(std::string_view text) {
  if (text == "beginning") return From{From::Kind::beginning, {}, {}, 0};
  if (const auto from = read_offset(text)) return *from;
  if (const auto from = read_offsets(text)) return *from;
  if (const auto from = read_time(text)) return *from;
  return "'" + std::string(text) + "'" + kForms;
}

}  // namespace einlass::app
