// The numbers that a limit has for one key where they are others than its own: how they are
// written, in the file and by whoever sets them while the gate runs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "config/model/config.h"
#include "config/text/mistake.h"

namespace einlass::config {

// One parameter and its new value, in the configuration's syntax, and where each stands.
struct Change {
  std::string name;
  std::string value;
  bool number = false;  // Written as a bare number: of a duration, microseconds.
  int name_column = 0;
  int column = 0;
};

struct ChangesPosition {
  std::string file;  // What mistakes call whatever the changes were read from.
  int line = 0;
  int column = 0;      // Where the changes as a whole stand.
  std::string path{};  // As "limits.NAME", which it is where it is empty.
};

// What an attempt takes of it where the record does not say.
Permits cost_of(const Limit& limit);

// What the limit's numbers are with these changes, or all that is wrong with them: the rest of the
// configuration is as it is, and all that holds for a limit's own numbers holds for these. What
// would give its state another form (`algorithm`, `align`, `log`, `mode`, `pay`, a warm-up or a
// burst kept by another limit where there was none) cannot change, nor what is no parameter.
// REQUIRES: the limit's index in `config.limits`; it is no pace.
std::variant<LimitValue, Mistakes> read_value(const Config& config, std::size_t limit,
                                              std::span<const Change> changes,
                                              const ChangesPosition& position);

}  // namespace einlass::config
