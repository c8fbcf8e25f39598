// A limit with some of its parameters written anew, as a trace of replay does it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/read_config.h"
#include "limits/limit.h"

namespace einlass::config {

// One parameter and its new value, in the configuration's syntax, and where each stands.
struct Change {
  std::string name;
  std::string value;
  bool number = false;  // Written as a bare number: of a duration, microseconds.
  int name_column = 0;
  int column = 0;
};

struct ChangePlace {
  std::string file;
  int line = 0;
  int column = 0;  // Where the changes as a whole stand.
};

// The parameters that the limit has after the changes, or all that is wrong with them. What would
// give the limit's state another form (`algorithm`, `align`, `log`, `mode`, a warm-up where there
// was none) cannot change.
std::variant<limits::Parameters, Mistakes> changed(const limits::Limit& limit,
                                                   std::span<const Change> changes,
                                                   const ChangePlace& place);

}  // namespace einlass::config
