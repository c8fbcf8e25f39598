// Mistakes that only show when the configuration is used, told as those that show when it is read.
// A path names an option as mistakes do: "limits.callbacks.window", "routes[0].limits".
#pragma once

#include <string>
#include <string_view>

namespace einlass::config {

// "kafka.properties.foo: no such property" of that file as
// "gate.yaml:14:12: kafka.properties.foo: no such property", on one line. Without the place where
// nothing of that name stands in the file by now. Of several, each on a line, each so. Never
// throws.
std::string placed(const std::string& file, const std::string& mistakes);

// Whether the option of that path stands in the file.
bool is_written(const std::string& file, std::string_view path);

}  // namespace einlass::config
