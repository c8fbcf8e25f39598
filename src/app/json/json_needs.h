// What each route wants out of its records' values as JSON, so that each is parsed at most once,
// and not at all where nobody wants it.
#pragma once

#include <vector>

#include "app/json/json_reader.h"
#include "config/config.h"

namespace einlass::app {

struct JsonNeeds {
  std::vector<JsonPointer> pointers;  // Of all that reads them for its route; each once.
  bool in_lists = false;  // Its target puts the values into lists, where not each may stand.

  bool any() const { return in_lists || !pointers.empty(); }
  bool operator==(const JsonNeeds&) const = default;
};

// By RouteId.
std::vector<JsonNeeds> json_needs(const config::Config& config);

}  // namespace einlass::app
