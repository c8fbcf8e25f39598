// What a limit allows, in numbers that people compare with what is used.
#pragma once

#include <cstdint>
#include <optional>

#include "config/model/limit.h"
#include "limits/contract/limit.h"

namespace einlass::app {

struct Allowed {
  double at_once = 0;                // The most in one moment: the limit, the burst, the capacity.
  std::optional<double> per_second;  // In the long run; none for a limit of attempts under way.
  double freed = 1;  // The most that one moment may free: a whole window, or one that is due next.
};

// In the limit's own permits, whatever an attempt takes of them.
Allowed allowed_by(const limits::Parameters& parameters);

// The same in records, as what is used is counted; none where each brings its own cost.
std::optional<Allowed> records_allowed_by(const config::Limit& limit,
                                          const limits::Parameters& in_force);

// In how many seconds so many records can go at least; none where that is not known, or never, or
// where a moment may be enough.
std::optional<double> drain_seconds(std::uint64_t records, const std::optional<Allowed>& allowed);

}  // namespace einlass::app
