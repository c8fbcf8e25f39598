// For verbs of the command line: what the admin server of a running gate says.
#pragma once

#include <string>
#include <variant>

#include "config/config.h"

namespace einlass::app {

// The page at `path` (with its query) of the gate that runs with this configuration on this
// machine; or why there is none, as a line for people. Waits at most a few seconds.
struct AdminPage {
  std::string body;
};
struct AdminTrouble {
  std::string text;
};
std::variant<AdminPage, AdminTrouble> ask_admin(const config::Config& config,
                                                const std::string& path);

}  // namespace einlass::app
