// The algorithms by their names, and the parameters of each: what they are called, their bounds and
// defaults, how they are read and printed. What they mean stands in the table of limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/tables/print_config.h"
#include "config/tables/printed_page.h"
#include "config/tables/section.h"
#include "limits/contract/limit.h"

namespace einlass::config {

// Reads `algorithm` and its parameters, and a burst that another limit keeps; false, with mistakes,
// if they are not all there and right.
bool read_parameters(Section& section, Limit& limit);

// The part of a window, in hundredths, over which permits are spread where nothing else is said.
inline constexpr int kDefaultEven = 90;

// The way back: `algorithm`, then its parameters with their defaults filled in.
std::vector<WrittenOption> written(const Limit& limit);

// The names of all that it can have, written or not.
Section::Names parameter_names(const limits::Parameters& parameters);

// Of all algorithms together.
Section::Names all_parameters();

// Those of them that may change while the limit is in use, for they leave its state its form; with
// `burst` where another limit keeps one.
Section::Names live_parameters(const Limit& limit);
void print_live(PrintedPage& page, const Limit& limit);

// Makes of the numbers for one key, as they are written, what holds: a strict limit's window is
// longer, and the burst is kept by another limit.
void complete(LimitValue& value, const Limit& limit);

// Makes the window longer of one that promises something for every window; others stay as they are.
void lengthen_window(limits::Parameters& parameters, Duration by);

// What stands behind `algorithm`.
std::string_view algorithm_name(const limits::Parameters& parameters);

}  // namespace einlass::config
