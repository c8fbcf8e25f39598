// Text from outside (records, servers, brokers) as people may see it: a terminal takes some
// characters for commands, which rename its window, move its cursor, or write what nobody said.
#pragma once

#include <string>
#include <string_view>

namespace einlass {

// One character, as utf8_sequence() finds it: a control character (U+0000 to U+001F, and U+007F to
// U+009F) as \n, \r, \t or \u00XX; any other as it is. REQUIRES: well-formed, not empty.
std::string shown_character(std::string_view character);

// The text on one line: its control characters as above, U+FFFD for bytes that are not UTF-8.
std::string shown(std::string_view text);

// The same, with its line ends kept.
std::string shown_lines(std::string_view text);

}  // namespace einlass
