// The algorithms' files, and what their automata keep. A new algorithm is entered here.
#pragma once

#include <variant>

#include "limits/concurrency.h"
#include "limits/counter.h"
#include "limits/fixed_window.h"
#include "limits/gcra.h"
#include "limits/leaky_bucket.h"
#include "limits/sliding_log.h"
#include "limits/sliding_window.h"
#include "limits/smooth.h"
#include "limits/token_bucket.h"
#include "limits/warm_up.h"

namespace einlass::limits {

// The state of one bucket, one for each automaton. REQUIRES, wherever parameters and a state are
// handed over: the state is from fresh() of the same algorithm in the same mode; its numbers may
// have been others.
using State = std::variant<SlidingLog, TokenBucket, Counter, FixedWindow, SlidingWindow, LeakyQueue,
                           WarmUp, Gcra>;

// What one ask sees and books of one bucket; see algorithm.h.
using Look = std::variant<SlidingLogLook, TokenBucketLook, CounterLook, SlidingWindowLook,
                          LeakyQueueLook, WarmUpLook, GcraLook>;

}  // namespace einlass::limits
