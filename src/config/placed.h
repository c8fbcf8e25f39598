// Mistakes that only show when the configuration is used, told as those that show when it is read.
#pragma once

#include <string>

namespace einlass::config {

// "kafka.properties.foo: no such property" of that file as
// "gate.yaml:14:12: kafka.properties.foo: no such property", on one line. Without the place where
// nothing of that name stands in the file by now. Never throws.
std::string placed(const std::string& file, std::string mistake);

}  // namespace einlass::config
