// What each route wants out of its records' values as JSON, so that each is parsed at most once,
// and not at all where nobody wants it.
//
// A record that a route leaves out may be another's: what that one wants is read with what the first
// wants. Where the first wants nothing, nothing is read before it is the other's.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "app/json/json_reader.h"
#include "config/model/config.h"
#include "units/id.h"

namespace einlass::app {

struct JsonNeeds {
  std::vector<JsonPointer> pointers;  // Of all that reads them for its route; each once.
  bool in_lists = false;  // Its target puts the values into lists, where not each may stand.
  // Of a longer value nothing is read as it arrives, for then its record is a dead letter.
  Bytes largest{std::numeric_limits<std::int64_t>::max()};

  bool any() const { return in_lists || !pointers.empty(); }

  // Whether a value that was read with these has what the others want.
  bool cover(const JsonNeeds& others) const;

  bool operator==(const JsonNeeds&) const = default;
};

// By RouteId.
std::vector<JsonNeeds> json_needs(const config::Config& config);

}  // namespace einlass::app
