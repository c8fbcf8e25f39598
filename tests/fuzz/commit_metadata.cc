// Whatever stands beside a committed offset: it is read as ranges that the ledger can trust, or not
// at all; and what the gate writes there is read back as it was.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/finished_map.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;
using namespace einlass::core;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void check_ranges(Offset next, const std::vector<OffsetRange>& ranges) {
  Offset last = next;
  for (const OffsetRange& range : ranges) {
    CHECK(range.first > last && range.end > range.first);
    last = range.end;
  }
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

void check_written(Offset next, const std::vector<OffsetRange>& ranges) {
  const std::string text = write_finished(next, ranges);
  CHECK(is_ascii(text) && text.empty() == ranges.empty());
  CHECK(read_finished(next, text) == ranges);
  if (ranges.empty()) return;
  const std::int64_t span = ranges.back().end.value - next.value;
  CHECK(text.size() <= most_finished_text(2 * ranges.size(), span));
}

// What a ledger could hold: short and long gaps and runs.
std::vector<OffsetRange> some_ranges(fuzz::Source& source, Offset next) {
  std::vector<OffsetRange> ranges;
  std::int64_t at = next.value;
  for (int n = source.byte(); n > 0 && !source.empty(); --n) {
    const std::int64_t most = std::min((kMost - at) / 4, std::int64_t{1} << 55);
    if (most < 1) break;
    const Offset first{at + source.number(1, most)};
    at = first.value + source.number(1, most);
    ranges.push_back({first, Offset{at}});
  }
  return ranges;
}

}  // namespace

// The committed offset, then the text as it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Source source(data, size);
  const Offset next{source.number()};
  const std::string_view text = source.rest();
  if (const auto ranges = read_finished(next, text)) {
    CHECK(ranges->size() <= text.size() / 2);
    check_ranges(next, *ranges);
    check_written(next, *ranges);
  }
  if (next.value >= 0) check_written(next, some_ranges(source, next));
  return 0;
}
