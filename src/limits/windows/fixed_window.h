// The fixed window: at most `limit` permits in each window, the windows lying end to end. Article
// 003, section 1. Across an edge up to twice the limit passes within a window's length.
//
// The counter's automaton; only where a window ends is another question. The windows begin with
// 1970, or with `by_key` somewhere else for each key, so that not all keys are free at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "limits/windows/counter.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

struct FixedWindow {
  Counter counter;
  std::uint64_t key_hash = 0;  // What moves this key's windows.
};

// How long after 1970 one of the windows begins: from 0 to below a window. The same in both stores.
Duration phase_of(const FixedWindowParameters& parameters, std::string_view key);

inline Ahead ahead(const FixedWindowParameters&) { return kNothingAhead; }
inline Traits traits(const FixedWindowParameters&) {
  return {.known_one_by_one = true, .held = false, .keeps_entries = false};
}
inline Permits most_cost(const FixedWindowParameters& parameters) { return parameters.limit; }

// A window that nobody has used.
FixedWindow fresh(const FixedWindowParameters& parameters, std::string_view key);

// As for the counter, see there.
Permits peek(const FixedWindowParameters& parameters, const FixedWindow& window, Instant now);
std::int64_t give_back(const FixedWindowParameters& parameters, FixedWindow& window, Permits cost,
                       std::span<const Returned> returned, Instant now);
bool is_fresh(const FixedWindowParameters& parameters, const FixedWindow& window, Instant now);

// An open window that began under another length or phase ends with the later of the two, so that
// nothing that was spent is forgotten too early.
CounterLook look(const FixedWindowParameters& parameters, FixedWindow& window, Permits cost,
                 Instant now);

}  // namespace einlass::limits
