// What refusal() asks of costs, rates and what comes with them. For src/limits alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "limits/contract/limit.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

using Refusal = std::optional<std::string>;

inline std::string number(std::int64_t n) { return std::to_string(n); }

// `what` (limit, burst or capacity) bounds what one record may cost.
Refusal refuse_cost(std::int64_t cost, std::string_view what, std::int64_t bound);

// A bucket of `size` permits (its `name` is burst or capacity), of at most `most_units` 1/micros.
Refusal refuse_bucket(Rate rate, std::string_view name, Permits size, std::int64_t most_units,
                      std::int64_t cost);

Refusal refuse_timeout(Duration timeout);

Refusal refuse_warm_up(const WarmUpParameters& parameters, std::int64_t cost);

}  // namespace einlass::limits
