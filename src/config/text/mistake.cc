#include "config/text/mistake.h"

namespace einlass::config {

std::string Mistake::to_string() const {
  std::string result = file + ":";
  if (line > 0) result += std::to_string(line) + ":" + std::to_string(column) + ":";
  if (!path.empty()) result += " " + path + ":";
  return result + " " + text;
}

}  // namespace einlass::config
