// Writes YAML that our own reader, and any other, reads back to the same texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace einlass::config {

// The text as a YAML value: plain where every reader takes it for that text, else in double quotes.
// Dollars are doubled, so that the reader does not look for a variable.
std::string yaml_value(std::string_view text);

// The same for a key, where dollars stand for themselves.
std::string yaml_key(std::string_view text);

// "[a, b]".
std::string yaml_list(const std::vector<std::string>& texts);

}  // namespace einlass::config
