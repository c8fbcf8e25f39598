// Which offsets above the committed one are finished too, as text.
//
// Kafka keeps one offset for each partition of a group, and with it up to 4,096 bytes of text that
// it does not look into. There a restart finds what need not be delivered again. The text is ASCII,
// for the broker stores nothing else unharmed:
//
//   e2 C U F U F ...   C: the last 30 bits of the committed offset, and 1; then from that offset on
//                      how many in a row are not finished, then how many are, and so on; the last
//                      number is of finished ones
//
// C says which commit it was written for: what copies a group's offsets to another cluster (as
// MirrorMaker 2 does) takes the text along, and gives it an offset that may be a lower one.
//
// A number is written in digits of five bits, the lowest first, as characters of base64url; all but
// the last digit have 32 added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "units/id.h"

namespace einlass::core {

// The offsets from `first` up to, not including, `end`.
struct OffsetRange {
  Offset first;
  Offset end;

  constexpr auto operator<=>(const OffsetRange&) const = default;
};

// The longest text. Short of what the broker takes, so that there is room for another version.
inline constexpr std::size_t kMostFinishedText = 3'584;

// With less room not even one number of each length would always fit.
inline constexpr std::size_t kLeastFinishedText = 64;

// REQUIRES: the ranges rise, none is empty, none touches the next, all lie above `next`. Empty
// text for no range.
std::string write_finished(Offset next, std::span<const OffsetRange> ranges);

// The ranges that the text stands for; none at all if it is not such a text, or of another commit.
// Empty text is no range. Whoever wrote it: nothing is taken for granted.
std::optional<std::vector<OffsetRange>> read_finished(Offset next, std::string_view text);

// An upper bound for the length of any text with so many numbers that add up to `span`.
std::size_t most_finished_text(std::size_t numbers, std::int64_t span);

}  // namespace einlass::core
