// Asking several buckets at once, of which the flows of a fleet share one: as acquire.h says, but
// each permit is for a flow, and some are left for others (fleet_share.h). The same in lua/.
#pragma once

#include <cstddef>
#include <span>

#include "limits/fleet/fleet_share.h"
#include "limits/permits/acquire.h"
#include "limits/permits/state.h"
#include "units/time.h"

namespace einlass::limits {

// Whether flows can share the limit in a fleet: it must book ahead, so that what is left for others
// is not lost until they ask.
bool can_be_shared(const Parameters& parameters);

// At most `demand.max` permits for flows of the ask. What is not granted waits for the shared limit
// if that was short or held up, or if nothing was; else the other limit has it. After a denial, and
// where fewer than `max` were granted though flows still wait, `retry` says when one more could be
// had if nobody else asks; where others do, it may be sooner. Without a retry and with less than
// `max` no flow waits any more.
// REQUIRES: as acquire(), with min 1 and one cost for all permits of a bucket; can_be_shared() of
// charges[shared], whose flows `share` is the state of; some flow waits.
Answer acquire_shared(std::span<const Charge> charges, std::size_t shared, FleetShare& share,
                      const ShareDemand& of_flows, const Demand& demand, Instant now,
                      std::span<Duration> due, ToldFlows& told);

// What an ask that is asked again is told of its flows; `flow` of `told` is left as it is.
void tell_again(FleetShare& share, const ShareDemand& of_flows, Permits cost, Instant now,
                ToldFlows& told);

}  // namespace einlass::limits
