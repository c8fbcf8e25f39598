#include "app/asking/admin_client.h"

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "adapters/http/client/fetch.h"
#include "app/process/exit_codes.h"
#include "config/model/address.h"
#include "text/shown.h"
#include "units/secret_file.h"

namespace einlass::app {
namespace {

// More than a busy gate needs for a page.
constexpr Duration kPatience = Duration::seconds(5);

// What writes into the fleet's table is answered once that has it and the gate has read it again.
constexpr Duration kPatienceToWrite = Duration::seconds(10);

// As it now is: a verb may run for longer than a token holds.
std::string token_of(const config::FileSecret& token) {
  if (token.file.empty()) return token.value;
  SecretText read = read_secret_text(token.file);
  return read.trouble.empty() ? read.value : token.value;
}

// What a page says is wrong, in words where it says that in JSON.
std::string refusal_in(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string()) return json["error"];
  return body.substr(0, body.find_last_not_of('\n') + 1);
}

}  // namespace

http::TargetOptions admin_request(const config::Admin& admin, const std::string& path) {
  http::TargetOptions options;
  options.host = admin.listen.host;
  // Listening on all addresses, it is found on the machine's own.
  if (options.host == "0.0.0.0") options.host = "127.0.0.1";
  if (options.host == "::") options.host = "::1";
  options.port = admin.listen.port;
  options.path = path;
  options.timeout = kPatience;
  options.tls = admin.tls.has_value();
  if (admin.tls) options.certificates.only_cert_file = admin.tls->cert_file;
  return options;
}

AdminAnswer ask_admin(const config::Config& config, const std::string& path) {
  return tell_admin(config, "GET", path, "");
}

AdminAnswer tell_admin(const config::Config& config, const std::string& method,
                       const std::string& path, const std::string& body) {
  const std::string where = to_text(config.admin.listen);
  try {
    http::TargetOptions request = admin_request(config.admin, path);
    request.method = method;
    if (method != "GET") request.timeout = kPatienceToWrite;
    request.content_type = "application/json";
    if (const std::string token = token_of(config.admin.token); !token.empty()) {
      request.headers.emplace_back("Authorization", "Bearer " + token);
    }
    http::Fetched fetched = http::send(request, body);
    if (fetched.status / 100 == 2) return AdminPage{std::move(fetched.body)};
    if (fetched.status == 0) {
      return AdminTrouble{"no gate answers on " + where + " (admin.listen): " + fetched.trouble};
    }
    return AdminTrouble{"the gate on " + where + " answers " + std::to_string(fetched.status) +
                        ": " + shown(refusal_in(fetched.body))};
  } catch (const std::exception& error) {
    return AdminTrouble{"the gate on " + where + " cannot be asked: " + error.what()};
  }
}

int fail(const std::string& trouble) {
  std::fprintf(stderr, "einlass: %s\n", trouble.c_str());
  return kExitFailed;
}

}  // namespace einlass::app
