// Reads a configuration file, or says everything that is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "config/model/config.h"
#include "config/text/expand.h"
#include "config/text/mistake.h"

namespace einlass::config {

// The whole configuration, or every mistake in it, in the order of the file. Never throws.
std::variant<Config, Mistakes> read_config(const std::string& path, const Environment& environment);

// The same for text already read; `file` is what mistakes call it.
std::variant<Config, Mistakes> parse_config(std::string_view text, const std::string& file,
                                            const Environment& environment);

// The process's own environment.
Environment process_environment();

}  // namespace einlass::config
