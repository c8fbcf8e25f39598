// Whose records wait: the keys of each route's limits under which most of them do.
#pragma once

#include <vector>

#include "adapters/metrics/snapshot.h"
#include "app/permits/limiters.h"
#include "config/model/config.h"
#include "core/gate/gate.h"

namespace einlass::app {

// Fills in the keys of the routes whose limits have some, by RouteId. Walks over all lines once.
void add_waiting_keys(const core::Gate& gate, const Limiters& limiters,
                      const config::Config& config, std::vector<metrics::Route>& routes);

}  // namespace einlass::app
