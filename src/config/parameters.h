// The algorithms by their names, and the parameters of each as they are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/section.h"
#include "limits/limit.h"

namespace einlass::config {

// Reads `algorithm` and its parameters from a section of the table "limits.NAME"; none, with
// mistakes, if they are not all there and right. An option of that section that belongs to other
// algorithms is a mistake too.
std::optional<limits::Parameters> read_parameters(Section& section);

// The part of a window, in hundredths, over which permits are spread where nothing else is said.
inline constexpr int kDefaultEven = 90;

struct Written {
  std::string_view name;
  std::string value;  // YAML, and JSON if it is put in quotes.
};

// The way back: `algorithm`, then its parameters with their defaults filled in.
std::vector<Written> written(const limits::Parameters& parameters);

// Parameters that are not among those, because nothing was said of them.
std::vector<std::string_view> not_written(const limits::Parameters& parameters);

// Makes the window longer of one that promises something for every window; others stay as they are.
void lengthen_window(limits::Parameters& parameters, Duration by);

// What stands behind `algorithm`.
std::string_view algorithm_name(const limits::Parameters& parameters);

// Whether the algorithm grants permits before they are due, so that a horizon means something.
bool grants_ahead(const limits::Parameters& parameters);

// Whether a permit leaves an entry for each unit of its cost.
bool keeps_entries(const limits::Parameters& parameters);

}  // namespace einlass::config
