// What a limit allows, in two numbers that people compare with what is used.
#pragma once

#include <optional>

#include "limits/contract/limit.h"

namespace einlass::app {

struct Allowed {
  double at_once = 0;                // The most in one moment: the limit, the burst, the capacity.
  std::optional<double> per_second;  // In the long run; none for a limit of attempts under way.
};

// In the limit's own permits, whatever an attempt takes of them.
Allowed allowed_by(const limits::Parameters& parameters);

}  // namespace einlass::app
