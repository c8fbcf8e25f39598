// What a replay is asked of: which limits, and which Redis.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/client/store_options.h"
#include "config/model/config.h"

namespace einlass::app {

// The indexes of the limits of these names, each followed by that of the limit that keeps its
// burst, as routes have them; nothing, after a line on stderr, if a name is none.
std::optional<std::vector<std::size_t>> chosen_limits(const config::Config& config,
                                                      const std::vector<std::string>& names);

// The configured Redis, with keys that no gate and no other replay has.
redis::StoreOptions replay_options(const config::Config& config);

}  // namespace einlass::app
