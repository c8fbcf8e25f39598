// Quotas, weights and pauses as they are shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "adapters/metrics/snapshot.h"
#include "app/status/status_json.h"
#include "app/steering/steering.h"
#include "units/time.h"

namespace einlass::app {

// Why nothing is read yet: quotas and pauses hold from the first record on. Empty: it may be.
std::string why_not_steered(const Steering& steering);

metrics::Steering steering_metrics(const Steering& steering, Instant now);

// For /v1/status and the live page.
Json steering_json(const Steering& steering, std::size_t most_pauses);

// For /v1/quotas and /v1/pauses. Of pauses those that are named, and how many there are besides, if
// any.
Json entries_json(const std::vector<Steering::Entry>& entries);
Json pauses_json(const Steering& steering, std::size_t most = Steering::kMostNamed);

}  // namespace einlass::app
