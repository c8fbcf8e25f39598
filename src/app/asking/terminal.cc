#include "app/asking/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace einlass::app {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

TerminalSize terminal_size(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {size.ws_col, size.ws_row};
}

bool takes_colours(std::FILE* stream) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  return is_terminal(stream) && (refused == nullptr || *refused == '\0') && kind != nullptr &&
         kind != std::string_view("dumb");
}

std::string coloured(const std::string& text, Colour colour, bool colours) {
  static constexpr const char* kCodes[] = {"", "1", "2", "31", "33"};
  if (!colours || colour == Colour::none || text.empty()) return text;
  return std::string("\x1b[") + kCodes[static_cast<std::size_t>(colour)] + "m" + text + "\x1b[0m";
}

std::string coloured_mistake(const std::string& mistake, bool colours) {
  const std::size_t end = mistake.find(": ");
  if (!colours || end == std::string::npos) return mistake;
  return coloured(coloured(mistake.substr(0, end + 1), Colour::red, true), Colour::bold, true) +
         mistake.substr(end + 1);
}

}  // namespace einlass::app
