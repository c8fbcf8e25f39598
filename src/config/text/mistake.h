// What is wrong with a configuration, told with its position in the file.
#pragma once

#include <string>
#include <vector>

namespace einlass::config {

// One thing that is wrong: where, which option, and what to write instead.
struct Mistake {
  std::string file;
  int line = 0;      // 1-based; 0 where no position can be named (as a file that cannot be read).
  int column = 0;    // 1-based.
  std::string path;  // As "limits.callbacks.window"; empty for the file as a whole.
  std::string text;  // As "'1 sec' is not a duration; write 1s, 500ms or 2m".

  // "gate.yaml:14:12: limits.callbacks.window: '1 sec' is not a duration; write ..."
  std::string to_string() const;
};

using Mistakes = std::vector<Mistake>;

}  // namespace einlass::config
