// One gate's part of a limit, for the time in which the gates cannot share it.
#pragma once

#include "limits/contract/limit.h"

namespace einlass::limits {

// The limit divided by the number of gates, rounded down where it must be whole, but never to
// nothing: so all gates together admit at most what the whole limit does, or one permit each where
// the limit is smaller than their number. Rates are divided exactly. What lets one permit go before
// it is paid for, a queue, a warm-up or one that the next pays for, lets one go in each gate: so
// many more, less one, than the whole limit does.
// REQUIRES: gates >= 1; parameters that are not refused. The share may be refused: see refusal.h.
Parameters local_share(const Parameters& parameters, int gates);

}  // namespace einlass::limits
