// Reads a configuration file, or says everything that is wrong with it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace einlass::config {

// One thing that is wrong: where, which option, and what to write instead.
struct Mistake {
  std::string file;
  int line = 0;      // 1-based; 0 where no place can be named (as a file that cannot be read).
  int column = 0;    // 1-based.
  std::string path;  // As "limits.callbacks.window"; empty for the file as a whole.
  std::string text;  // As "'1 sec' is not a duration; write 1s, 500ms or 2m".

  // "gate.yaml:14:12: limits.callbacks.window: '1 sec' is not a duration; write ..."
  std::string to_string() const;
};

using Mistakes = std::vector<Mistake>;

// Looks up an environment variable; none if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The whole configuration, or every mistake in it, in the order of the file. Never throws.
std::variant<Config, Mistakes> read_config(const std::string& path, const Environment& environment);

// The same for text already read; `file` is what mistakes call it.
std::variant<Config, Mistakes> parse_config(std::string_view text, const std::string& file,
                                            const Environment& environment);

// The process's own environment.
Environment process_environment();

}  // namespace einlass::config
