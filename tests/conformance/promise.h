// What each limiter promises, held against the instants of the permits that were used: by counting
// them, and on nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limits/contract/limit.h"
#include "units/time.h"

namespace einlass::conformance {

// Says where the promise was broken; none if it was kept. For limits on what is under way there is
// nothing to be seen in instants. REQUIRES: the instants never fall, each permit costs 1, and a
// window that counts by the clock begins with 1970.
std::optional<std::string> broken(const limits::Parameters& parameters,
                                  const std::vector<Instant>& stamps);

}  // namespace einlass::conformance
