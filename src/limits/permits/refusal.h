// Which parameters of a limit cannot be kept, and why.
#pragma once

#include <optional>
#include <string>

#include "limits/contract/limit.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// Instants plus a window stay exact for as long as the calendar matters.
inline constexpr Duration kLongestWindow = Duration::seconds(std::int64_t{100} * 365 * 24 * 3600);

// A sliding log keeps one entry for each unit granted within its window (about 120 bytes in Redis,
// 24 in memory).
inline constexpr std::int64_t kMostLogEntries = 10'000'000;

// The newest slice of a sliding window with log: newest keeps as many (24 bytes each).
inline constexpr std::int64_t kMostNewestEntries = 100'000;

// What windows count: so that a few such numbers add up exactly.
inline constexpr std::int64_t kMostCounted = std::int64_t{1} << 50;

inline constexpr int kMostSlices = 1'000;

// Of a window, in hundredths, that permits ahead come over: less than all of it, so that the whole
// limit still fits where a permit is used a little late.
inline constexpr int kMostEven = 95;

// None if the limit can be kept and a record of that cost could ever pass; else one sentence that
// names the parameter and says what would work. A rate of 0 is no mistake: it denies everything.
// acquire() REQUIRES parameters that are not refused.
std::optional<std::string> refusal(const Parameters& parameters, Permits cost);

// The same of how permits of a window keep a distance, as SlidingLogParameters have it, alone.
std::optional<std::string> refusal_of_spacing(Permits limit, int even, Permits burst, Permits cost);

}  // namespace einlass::limits
