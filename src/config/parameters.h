// The algorithms by their names, and the parameters of each: what they are called, their bounds and
// defaults, how they are read and printed. What they mean stands in the table of limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/print_config.h"
#include "config/section.h"
#include "limits/limit.h"

namespace einlass::config {

// Reads `algorithm` and its parameters; none, with mistakes, if they are not all there and right.
std::optional<limits::Parameters> read_parameters(Section& section);

// The part of a window, in hundredths, over which permits are spread where nothing else is said.
inline constexpr int kDefaultEven = 90;

// The way back: `algorithm`, then its parameters with their defaults filled in.
std::vector<WrittenOption> written(const limits::Parameters& parameters);

// The names of all that it can have, written or not.
Section::Names parameter_names(const limits::Parameters& parameters);

// Makes the window longer of one that promises something for every window; others stay as they are.
void lengthen_window(limits::Parameters& parameters, Duration by);

// What stands behind `algorithm`.
std::string_view algorithm_name(const limits::Parameters& parameters);

}  // namespace einlass::config
