// The parts of the page that Prometheus reads, one file each; page.cc puts them together.
#pragma once

#include "adapters/metrics/families.h"
#include "adapters/metrics/snapshot.h"

namespace einlass::metrics {

// Records: the books, where they wait, admission, attempts.
void add_routes(Families& page, const Snapshot& snapshot);

// What the flows and levels of shares used, and how many of each level wait.
void add_shares(Families& page, const Snapshot& snapshot);

// Limits, the stores that keep them, and what holds while one does not answer.
void add_limits(Families& page, const Snapshot& snapshot);

// Targets: their breakers, holds, attempts under way and connections.
void add_targets(Families& page, const Snapshot& snapshot);

// The consumer, the ledgers of its partitions, and what was never read.
void add_kafka(Families& page, const Snapshot& snapshot);

}  // namespace einlass::metrics
