// Mistakes that only show when the configuration is used, told as those that show when it is read.
// A path names an option as mistakes do: "limits.callbacks.window", "routes[0].limits".
#pragma once

#include <string>
#include <string_view>

#include "config/model/config.h"

namespace einlass::config {

// "kafka.properties.foo: no such property" of that file as
// "gate.yaml:14:12: kafka.properties.foo: no such property", on one line. With no position where
// nothing of that name stood in the file when the configuration was read. Of several, each on a
// line, each so. The file is not read again: it may be another one by now, or a pipe. Never throws.
std::string located(const Config& config, const std::string& file, const std::string& mistakes);

// Whether the option of that path stood in the file.
bool is_written(const Config& config, std::string_view path);

}  // namespace einlass::config
