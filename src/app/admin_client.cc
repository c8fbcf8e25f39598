#include "app/admin_client.h"

#include <exception>

#include "adapters/http/fetch.h"
#include "config/address.h"

namespace einlass::app {
namespace {

// More than a busy gate needs for a page.
constexpr Duration kPatience = Duration::seconds(5);

http::TargetOptions options_for(const config::Admin& admin, const std::string& path) {
  http::TargetOptions options;
  options.host = admin.host;
  // Listening on all addresses, it is found on the machine's own.
  if (options.host == "0.0.0.0") options.host = "127.0.0.1";
  if (options.host == "::") options.host = "::1";
  options.port = admin.port;
  options.path = path;
  options.timeout = kPatience;
  return options;
}

}  // namespace

std::variant<AdminPage, AdminTrouble> ask_admin(const config::Config& config,
                                                const std::string& path) {
  const std::string where = config::to_text(config::HostPort{config.admin.host, config.admin.port});
  try {
    http::Fetched fetched = http::fetch(options_for(config.admin, path));
    if (fetched.status == 200) return AdminPage{std::move(fetched.body)};
    if (fetched.status == 0) {
      return AdminTrouble{"no gate answers on " + where + " (admin.listen): " + fetched.trouble};
    }
    while (fetched.body.ends_with('\n')) fetched.body.pop_back();
    return AdminTrouble{"the gate on " + where + " answers " + std::to_string(fetched.status) +
                        ": " + fetched.body};
  } catch (const std::exception& error) {
    return AdminTrouble{"the gate on " + where + " cannot be asked: " + error.what()};
  }
}

}  // namespace einlass::app
