// The algorithms' files, and what their automata keep. A new algorithm is entered here.
#pragma once

#include <variant>

#include "limits/rates/gcra.h"
#include "limits/rates/leaky_bucket.h"
#include "limits/rates/smooth.h"
#include "limits/rates/token_bucket.h"
#include "limits/rates/warm_up.h"
#include "limits/windows/concurrency.h"
#include "limits/windows/counter.h"
#include "limits/windows/fixed_window.h"
#include "limits/windows/sliding_log.h"
#include "limits/windows/sliding_window.h"

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
