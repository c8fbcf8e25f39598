#include "app/asking/top.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/asking/admin_client.h"
#include "app/asking/terminal.h"
#include "app/asking/top_screen.h"
#include "app/process/exit_codes.h"

namespace einlass::app {
namespace {

constexpr std::chrono::seconds kEach{1};

// A screen of its own, and back to what was there before.
constexpr char kOpen[] = "\x1b[?1049h\x1b[?25l";
constexpr char kClose[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";
constexpr char kClearRest[] = "\x1b[J";

class Top {
 public:
  explicit Top(const config::Config& config) : config_(config) {}

  // The next picture, or why there is none.
  std::variant<std::string, AdminTrouble> look(TerminalSize size, bool colours) {
    const auto answer = ask_admin(config_, "/v1/status");
    if (const auto* trouble = std::get_if<AdminTrouble>(&answer)) return *trouble;
    const std::string& now = std::get<AdminPage>(answer).body;
    try {
      std::string picture = top_picture(now, before_, size, colours);
      before_ = now;
      return picture;
    } catch (const nlohmann::json::exception&) {
      return AdminTrouble{kNoSuchGate};
    }
  }

 private:
  const config::Config& config_;
  std::optional<std::string> before_;
};

int look_once(Top& top) {
  constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();
  const auto seen = top.look({kNoBound, kNoBound}, takes_colours(stdout));
  if (const auto* trouble = std::get_if<AdminTrouble>(&seen)) return fail(trouble->text);
  std::printf("%s", std::get<std::string>(seen).c_str());
  return kExitDone;
}

// Each line is cleared to its end as it is written, so that nothing flickers.
void draw(Top& top) {
  TerminalSize size = terminal_size(stdout);
  if (size.rows > 1) --size.rows;  // The line end of the last one would move the screen.
  const bool colours = takes_colours(stdout);
  const auto seen = top.look(size, colours);
  const auto* trouble = std::get_if<AdminTrouble>(&seen);
  const std::string picture =
      trouble ? coloured(trouble->text + "; trying again", Colour::red, colours) + "\n"
              : std::get<std::string>(seen);
  std::string text = kHome;
  for (const char c : picture) text += c == '\n' ? std::string("\x1b[K\r\n") : std::string(1, c);
  std::printf("%s%s", text.c_str(), kClearRest);
  std::fflush(stdout);
}

// By a signal, also while a gate that hangs is asked.
void leave(int) {
  const auto written = ::write(STDOUT_FILENO, kClose, sizeof kClose - 1);
  _exit(written < 0 ? kExitFailed : kExitDone);
}

}  // namespace

int top(const config::Config& config, const TopOptions& options) {
  Top top(config);
  if (options.once || !is_terminal(stdout)) return look_once(top);
  for (const int one : {SIGINT, SIGTERM}) std::signal(one, leave);
  boost::asio::io_context io(1);
  std::printf("%s", kOpen);
  for (;;) {
    draw(top);
    boost::asio::steady_timer(io, kEach).wait();
  }
}

}  // namespace einlass::app
