// What the command line may do with a terminal.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace einlass::app {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// What the stream is written to, if it is a terminal; else the default.
TerminalSize terminal_size(std::FILE* stream);

bool is_terminal(std::FILE* stream);

// A terminal that takes colours, and nobody said NO_COLOR (no-color.org).
bool takes_colours(std::FILE* stream);

enum class Colour { none, bold, faint, red, yellow };

// The text so coloured; as it is where `colours` is false.
std::string coloured(const std::string& text, Colour colour, bool colours);

// A mistake at its position, `FILE:LINE:COLUMN: TEXT`, with that in bold and red.
std::string coloured_mistake(const std::string& mistake, bool colours);

}  // namespace einlass::app
