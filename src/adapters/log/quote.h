// A value in the key=value form that log readers split again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace einlass::log {

// Appends the value: bare where it is a plain word, else in double quotes with \" \\ \n \r \t and
// \u00XX for other control characters, and U+FFFD for bytes that are not UTF-8. What would be
// longer than `most` bytes is cut off, between characters, and ends in "...".
void append_value(std::string& line, std::string_view value, std::size_t most);

// The same as a JSON string.
void append_json(std::string& line, std::string_view value, std::size_t most);

}  // namespace einlass::log
