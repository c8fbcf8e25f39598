// For verbs of the command line: what the admin server of a running gate says.
#pragma once

#include <string>
#include <variant>

#include "adapters/http/client/target_options.h"
#include "config/model/config.h"

namespace einlass::app {

// How to ask the gate that runs with this configuration on this machine for the page at `path`.
// Whoever answers with another certificate than that of the configuration is not believed.
http::TargetOptions admin_request(const config::Admin& admin, const std::string& path);

// The page at `path` (with its query) of that gate, to which the token is shown; or why there is
// none, as a line for people. Waits at most a few seconds.
struct AdminPage {
  std::string body;
};
struct AdminTrouble {
  std::string text;
};
using AdminAnswer = std::variant<AdminPage, AdminTrouble>;
AdminAnswer ask_admin(const config::Config& config, const std::string& path);

// The same with another method and a JSON body, for what changes something.
AdminAnswer tell_admin(const config::Config& config, const std::string& method,
                       const std::string& path, const std::string& body);

// What is said of a page that holds something else than it should.
inline constexpr char kNoSuchGate[] = "what answers on admin.listen is not a gate of this version";

// Says what is wrong on stderr; the exit code of a verb that has failed.
int fail(const std::string& trouble);

}  // namespace einlass::app
