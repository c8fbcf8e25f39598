// What every limiter promises, and the numbers that describe one. The arithmetic of each algorithm
// is in a file of its own; src/adapters/memory keeps their state in this process, lua/ in Redis.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// A rate as a reduced fraction: `permits` in `micros` microseconds. Levels of a bucket are kept in
// 1/micros permits, so a microsecond adds `permits` and one permit takes `micros`: nothing is rounded.
struct Rate {
  std::int64_t permits = 1;
  std::int64_t micros = 1;

  constexpr bool operator==(const Rate&) const = default;
};

// The rate divided by the greatest common divisor. REQUIRES: permits >= 0, micros > 0.
Rate reduced(Rate rate);

// Never more than `limit` permits in (t - window, t], for every t. Articles 001 and 003, section 2.
struct SlidingLogParameters {
  Permits limit;
  Duration window;
};

// At most burst + rate * W permits in any W; starts full. Articles 002, 003 section 5, and 004.
struct TokenBucketParameters {
  Rate rate;
  Permits burst;
};

using Parameters = std::variant<SlidingLogParameters, TokenBucketParameters>;

// One limit of the configuration, by its name there.
struct Limit {
  std::string name;
  Parameters parameters;
  Permits cost{1};                // What one delivery attempt takes, ...
  bool cost_from_record = false;  // ... unless its record says so: then `cost` is not used.
};

}  // namespace einlass::limits
