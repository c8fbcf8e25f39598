// The `burst` of a limit that counts a window and grants nothing ahead: at most so many permits
// together, the rest evenly. It is kept by a limit of its own, a sliding log of that many permits
// in their part of the window, which is asked in the same call: so the count itself stays as it is.
#pragma once

#include <optional>

#include "config/model/config.h"
#include "limits/contract/limit.h"
#include "units/id.h"

namespace einlass::config {

// The `limit` of those whose burst is kept that way; 0: it is not.
Permits counted_limit(const limits::Parameters& parameters);

// What keeps the limit's burst; none if it has none, or as many as the limit.
std::optional<limits::SlidingLogParameters> pace_of(const Limit& limit);

// The same of one for which another limit keeps a burst in any case: where it has as many as the
// limit, that bounds nothing.
limits::Parameters pace_or_none(const Limit& limit);

// Whether another limit keeps its burst. Once the file has one it stays, though a trace may have
// made the limit as small as its burst.
bool has_pace(const Limit& limit);

// What one of so many gates has of it: as many permits a second as its share of the whole, whatever
// is lost by their coming whole. REQUIRES: the parameters of a pace.
limits::Parameters share_of_pace(const limits::Parameters& pace, int instances);

}  // namespace einlass::config
