// What is measured: limits, and asks that come so often.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/both_stores.h"

namespace einlass::bench {

struct Load {
  const char* name;
  std::vector<conformance::Rule> rules;
  conformance::Asked asked;
  std::int64_t step;    // Microseconds between asks, where the clock is invented.
  double target = 0.0;  // Server microseconds a call that LIMITERS wants at most; 0: none.
};

// Those with that in their names.
std::vector<Load> loads(std::string_view only = "");

// One bucket of each algorithm, with room for a hundred permits, for what it takes in memory.
std::vector<Load> sizes();

}  // namespace einlass::bench
