// What differs between two configurations, and which of it a running gate can take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/config.h"

namespace einlass::config {

struct Changed {
  std::string path;  // As "limits.callbacks.limit".
  std::string from;  // As print-config writes it, with secrets as "***"; empty: it was not there.
  std::string to;
  std::string_view needs_restart;  // Why it cannot change while the gate runs; empty: it can.

  // "limits.callbacks.limit: 100 -> 50"
  std::string to_string() const;
};

// Every option that differs, in the order of print-config; where limits, targets, shares or routes
// come or go, or bursts that another limit keeps, these alone. The order in which they are written
// makes no difference, but that of routes with patterns of topics.
std::vector<Changed> changes(const Config& from, const Config& to);

// `to` with its limits, targets, shares and routes in the order of those of `from`, so that their
// numbers stay. REQUIRES: both have the same names.
Config in_order_of(const Config& from, Config to);

}  // namespace einlass::config
